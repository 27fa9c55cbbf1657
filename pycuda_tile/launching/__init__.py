"""Launches: checks and converts grids, arguments and arrays, and starts kernels on the host or a GPU."""
