"""Translates modules of Tile IR to C++ against cuda_tile.h, op by op, and builds them."""
