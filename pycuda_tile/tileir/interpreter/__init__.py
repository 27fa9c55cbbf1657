"""Runs a module of Tile IR on NumPy arrays: exact and slow, the meaning of each operation in plain sight."""

from .run import interpret

__all__ = ["interpret"]
