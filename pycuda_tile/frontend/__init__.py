"""Reads CUDA Tile C++ source and finds its kernels, under the names that the user gave them."""
