"""Checks of what pictures are made of."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable

from ..errors import PictureError

LARGEST_TILE = 2**24  # elements [2.1.4.6]
_HIGHEST_RANK = 3
_GREATEST = 2**63 - 1


def integer(value: object, what: str, least: int = -_GREATEST - 1) -> int:
    """An integer of 64 bits that is not less than `least`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise PictureError(f"{what} must be an integer, got {_shown(value)}") from None
    if not least <= number <= _GREATEST:
        raise PictureError(f"{what} must be from {least} to 2^63 - 1, got {number}")
    return number


def integers(
    value: object, what: str, least: int = -_GREATEST - 1, rank: int | None = None
) -> tuple[int, ...]:
    """Integers, one a dimension; a single one stands for a tuple of one."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        value = (value,)
    numbers: list[int] = []
    for given in value:
        if len(numbers) == _HIGHEST_RANK:
            raise PictureError(f"{what}: pictures have at most {_HIGHEST_RANK} dimensions: leave some out")
        numbers.append(integer(given, what, least))
    if rank is not None and len(numbers) != rank:
        dimensions = "1 dimension" if rank == 1 else f"{rank} dimensions"
        raise PictureError(f"{what}: expected {rank}, for {dimensions}, got {len(numbers)}")
    return tuple(numbers)


def tile_shape(value: object, rank: int | None = None) -> tuple[int, ...]:
    """The lengths of a tile: powers of two."""
    shape = integers(value, "the shape of a tile", rank=rank)
    for length in shape:
        if length < 1 or length & (length - 1):
            raise PictureError(f"each length of a tile is a power of two, got the shape {shape}")
    if math.prod(shape) > LARGEST_TILE:
        raise PictureError(f"a tile has at most 2^24 elements, got the shape {shape}")
    return shape


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
