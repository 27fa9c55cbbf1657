"""Shared by the host's targets: `cpu`, and `emulated`, where several threads share a tile block."""
