"""Translates modules of Tile IR to C++ against cuda_tile.h, and builds them."""

from .build import build
from .translate import translate

__all__ = ["build", "translate"]
