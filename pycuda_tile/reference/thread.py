"""[2.1.1] The grid of a launch, and the index of a block in it. Both have three dimensions, x first."""

from __future__ import annotations

import math


def num_blocks(grid: int | tuple[int, ...]) -> tuple[int, int, int]:
    """[2.1.1.2] The grid as its blocks see it: dimensions missing from `grid` have one block."""
    given = (grid,) if isinstance(grid, int) else tuple(grid)
    x, y, z = given + (1,) * (3 - len(given))
    return x, y, z


def bid(number: int, grid: int | tuple[int, ...]) -> tuple[int, int, int]:
    """[2.1.1.1] The index of block `number`, counted along x first."""
    x, y, z = num_blocks(grid)
    if not 0 <= number < math.prod((x, y, z)):
        raise IndexError(f"block {number} of a grid of {x} x {y} x {z}")
    return number % x, number // x % y, number // (x * y)
