"""Kinds of operands and results: "int", "0d i32", "1d number", "ptr", "token", "view", "any", ..."""

from __future__ import annotations

import math
import re
from typing import Any

from ..ir import Constant, Pointer, Scalar, TensorView, Tile, TileView, Token

LARGEST_TILE = 1 << 24
_NAME = re.compile(r"[A-Za-z_][\w$.]*")
WIDTHS = {
    "i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64,
    "f16": 16, "bf16": 16, "f32": 32, "tf32": 19, "f64": 64,
    "f8E4M3FN": 8, "f8E5M2": 8, "f8E8M0FNU": 8, "fnv8E5M3FNU": 8, "f4E2M1FN": 4,
}  # fmt: skip
SINCE = {
    "f8E8M0FNU": (13, 2), "f4E2M1FN": (13, 3), "i4": (13, 3), "fnv8E5M3FNU": (13, 4),
    "strided_view": (13, 3), "gather_scatter_view": (13, 3),
}  # fmt: skip
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
_EIGHT_BITS = ("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "fnv8E5M3FNU")
_ELEMENTS = {
    "int": INTEGERS,
    "float": FLOATS,
    "anyfloat": (*FLOATS, "tf32", *_EIGHT_BITS, "f4E2M1FN"),
    "mmafloat": (*FLOATS, "tf32", "f8E4M3FN", "f8E5M2"),
    "smallfloat": ("f8E4M3FN", "f8E5M2", "f4E2M1FN"),
    "scalefloat": ("f8E8M0FNU", "f8E4M3FN", "fnv8E5M3FNU"),
    "word": ("i32", "i64", "f32", "f64"),
    "number": tuple(WIDTHS),
}
_WORDS = {
    "int": "a tile of integers",
    "float": "a tile of f16, bf16, f32 or f64",
    "anyfloat": "a tile of floats",
    "number": "a tile of numbers",
    "ptr": "a tile of pointers",
    "tile": "a tile",
    "view": "a view of tiles",
    "tensor_view": "a tensor view",
    "token": "a token",
}


def fits(type_: Any, kind: str) -> bool:
    """Whether a type is of a kind."""
    rank, _, what = kind.rpartition(" ")
    if rank and not (isinstance(type_, Tile) and len(type_.shape) == int(rank[0])):
        return False
    if what == "any":
        return True
    others = {"token": Token, "view": TileView, "tensor_view": TensorView}
    if what in others:
        return isinstance(type_, others[what])
    if not isinstance(type_, Tile):
        return False
    if what == "tile":
        return True
    if what == "ptr":
        return isinstance(type_.element, Pointer)
    return isinstance(type_.element, Scalar) and type_.element.name in _ELEMENTS.get(what, (what,))


def words(kind: str) -> str:
    """A kind as a person says it."""
    rank, _, what = kind.rpartition(" ")
    text = _WORDS.get(what) or f"a tile of {', '.join(_ELEMENTS.get(what, (what,)))}"
    return f"{text} with {rank[0]} axes" if rank else text


def are_hints(found: Any) -> bool:
    """Whether these are hints: for each architecture names with a number, a truth value or text."""
    if not isinstance(found, dict) or not all(isinstance(inner, dict) for inner in found.values()):
        return False
    names = [*found, *(name for inner in found.values() for name in inner)]
    values = [value for inner in found.values() for value in inner.values()]
    named = all(isinstance(name, str) and _NAME.fullmatch(name) for name in names)
    return named and all(isinstance(value, (Constant, bool, str)) for value in values)


def is_power_of_two(n: int) -> bool:
    return n > 0 and not n & (n - 1)


def wrong(type_: Any) -> str | None:
    """What is wrong with a type in itself."""
    if isinstance(type_, Tile):
        if not all(map(is_power_of_two, type_.shape)) or math.prod(type_.shape) > LARGEST_TILE:
            return str(type_)
        return wrong(type_.element)
    if isinstance(type_, Pointer):
        return wrong(type_.pointee)
    if isinstance(type_, Scalar):
        return None if type_.name in WIDTHS else f"element type {type_}"
    if isinstance(type_, TensorView):
        known = [n for n in (*type_.shape, *type_.strides) if n is not None]
        ok = len(type_.shape) == len(type_.strides) and all(n >= 0 for n in known)
        return wrong(type_.element) if ok else str(type_)
    if isinstance(type_, TileView):
        extents = (*type_.tile, *type_.steps)
        ok = all(n > 0 for n in extents) and all(map(is_power_of_two, type_.tile))
        return wrong(type_.tensor) if ok and math.prod(type_.tile) <= LARGEST_TILE else str(type_)
    return None if isinstance(type_, Token) else f"type {type_}"


def since(type_: Any) -> tuple[int, int]:
    """The first version that has a type."""
    if isinstance(type_, Scalar):
        return SINCE.get(type_.name, (13, 1))
    if isinstance(type_, Pointer):
        return since(type_.pointee)
    if isinstance(type_, (Tile, TensorView)):
        return since(type_.element)
    if isinstance(type_, TileView):
        return max(SINCE.get(type_.kind, (13, 1)), since(type_.tensor))
    return (13, 1)
