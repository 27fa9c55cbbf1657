"""Which types are legal in themselves, and since which version."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...spec.element_types import TILEIR_TYPES
from ..ir import MAX_ELEMENTS, Pointer, Scalar, TensorView, Tile, TileView, Token
from ..versions import parse_version

#: Bits of the elements that `pack` produces.
PACKED = {name: e.bits if e.bits < 8 else 8 * e.size for name, e in TILEIR_TYPES.items()}
_SINCE = {
    **{name: parse_version(e.tileir_since) for name, e in TILEIR_TYPES.items()},
    **dict.fromkeys(("strided_view", "gather_scatter_view"), (13, 3)),
}


def is_power_of_two(n: int) -> bool:
    return n > 0 and not n & (n - 1)


def wrong(type_: Any) -> str | None:
    """The type and what is wrong with it; None if it is legal."""
    found = _wrong(type_)
    return f"{type_}, but {found}" if found else None


def _wrong(type_: Any) -> str | None:
    """The requirement that a type violates, if any."""
    if isinstance(type_, Tile):
        return _wrong_extents(type_.shape, type_.element) or _wrong_elements(type_)
    if isinstance(type_, TensorView):
        if len(type_.shape) != len(type_.strides):
            return "each axis must have an extent and a stride"
        if any(n is not None and n <= 0 for n in (*type_.shape, *type_.strides)):
            return "extents and strides must be positive"
        return _wrong_in_memory(type_.element)
    if isinstance(type_, TileView):
        if not type_.tile:
            return "a view must have at least one axis"
        if len(type_.steps) != len(type_.tile) or any(n <= 0 for n in type_.steps):
            return "each axis must have a positive step"
        return _wrong_extents(type_.tile, type_.tensor.element) or _wrong(type_.tensor)
    return None if isinstance(type_, Token) else "a tile, a view or a token is expected"


def _wrong_extents(shape: Sequence[int], element: Any) -> str | None:
    if not all(map(is_power_of_two, shape)):
        return "extents must be powers of two"
    if math.prod(shape) > MAX_ELEMENTS:
        return "a tile must have at most 2^24 elements"
    odd = str(element) == "f4E2M1FN" and math.prod(shape) % 2
    return "two f4E2M1FN share a byte, so their number must be even" if odd else None


def _wrong_elements(tile: Tile) -> str | None:
    element = tile.element
    if isinstance(element, Pointer):
        several = str(element.pointee) == "f4E2M1FN" and tile.shape
        if several:
            return "a pointer to f4E2M1FN must be a tile without axes"
        return _wrong_in_memory(element.pointee)
    known = isinstance(element, Scalar) and element.name in TILEIR_TYPES
    return None if known else "elements must be numbers or pointers"


def _wrong_in_memory(element: Any) -> str | None:
    known = isinstance(element, Scalar) and element.name in TILEIR_TYPES and element.name != "i4"
    return None if known else "memory must hold numbers, of any type except i4"


def since(type_: Any) -> tuple[int, int]:
    """The first version that has a type."""
    if isinstance(type_, Scalar):
        return _SINCE.get(type_.name, (13, 1))
    if isinstance(type_, Pointer):
        return since(type_.pointee)
    if isinstance(type_, (Tile, TensorView)):
        return since(type_.element)
    if isinstance(type_, TileView):
        return max(_SINCE.get(type_.kind, (13, 1)), since(type_.tensor))
    return (13, 1)
