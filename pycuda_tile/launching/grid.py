"""Checks the grid of a launch."""

from __future__ import annotations

import operator

from ..errors import ArgumentTypeError, ArgumentValueError

MOST_BLOCKS = 2**31 - 1, 65535, 65535  # CUDA's, along x, y and z


def check_grid(kernel: str, grid: object) -> tuple[int, int, int]:
    """The numbers of blocks along x, y and z, from an integer or a tuple of one to three."""
    if type(grid) is int and 1 <= grid <= MOST_BLOCKS[0]:  # the common case, fast
        return grid, 1, 1
    sizes = grid if isinstance(grid, (tuple, list)) else (grid,)
    try:
        sizes = tuple(operator.index(size) for size in sizes)
    except TypeError:
        sizes = ()
    if not 1 <= len(sizes) <= 3:
        raise ArgumentTypeError(
            f"{kernel}: the grid must be an integer or a tuple of one to three integers, got {grid!r}"
        )
    for axis, size, limit in zip("xyz", sizes, MOST_BLOCKS, strict=False):
        if not 1 <= size <= limit:
            raise ArgumentValueError(
                f"{kernel}: grid {grid!r} has {size} blocks along {axis}, allowed are 1 to {limit}"
            )
    return (*sizes, 1, 1)[:3]
