"""Runs a module of Tile IR on NumPy arrays: exact, slow, and written to show what each operation means."""

from .run import interpret

__all__ = ["interpret"]
