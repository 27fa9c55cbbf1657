"""What the targets of the host share: `cpu`, and `emulated`, where several threads share a tile block."""
