"""Kinds of operands and results: "int", "0d i32", "1d number", "ptr", "token", "view", "any", ..."""

from __future__ import annotations

import re
from typing import Any

from ..ir import Constant, Pointer, Scalar, TensorView, Tile, TileView, Token
from ..rows import rows

_NAME = re.compile(r"[A-Za-z_][\w$.]*")
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
_ROWS = {row["kind"]: row for row in rows("kinds.tsv")}
_ELEMENTS = {kind: row["elements"].split() for kind, row in _ROWS.items()}


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
    return isinstance(type_.element, Scalar) and type_.element.name in _ELEMENTS[what]


def words(kind: str) -> str:
    """A kind as a person says it."""
    rank, _, what = kind.rpartition(" ")
    text = _ROWS[what]["meaning"]
    return f"{text} with {rank[0]} axes" if rank else text


def are_hints(found: Any) -> bool:
    """Whether these are hints: for each architecture names with a number, a truth value or text."""
    if not isinstance(found, dict) or not all(isinstance(inner, dict) for inner in found.values()):
        return False
    names = [*found, *(name for inner in found.values() for name in inner)]
    values = [value for inner in found.values() for value in inner.values()]
    named = all(isinstance(name, str) and _NAME.fullmatch(name) for name in names)
    return named and all(isinstance(value, (Constant, bool, str)) for value in values)
