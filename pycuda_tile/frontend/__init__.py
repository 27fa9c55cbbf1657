"""Reads CUDA Tile C++ source: which kernels it holds, in the user's names."""
