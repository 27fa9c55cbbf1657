"""Types and constants of Tile IR in C++."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...spec.element_types import TILEIR_TYPES
from ..elements import DTYPES, HALF_BYTE
from ..reading import TileFacts, pointee

ELEMENTS = {name: e.cxx for name, e in TILEIR_TYPES.items() if e.cxx} | {"i4": "signed char"}
ELEMENTS["mask"] = "mask"  # a bool of fused code (loops/vectors.py)


class Tensor(NamedTuple):
    """A tensor view: C++ expressions of its base, extents and strides, and those that are known numbers.

    changes:  whether the kernel may store through a view of the same base
    """

    base: str
    element: str
    changes: bool
    extents: tuple[str, ...]
    strides: tuple[str, ...]
    known_extents: tuple[int | None, ...]
    known_strides: tuple[int | None, ...]


class Tiles(NamedTuple):
    """A view of tiles: the C++ name of its partition_view ("" for other views), and what it was made from."""

    name: str
    tensor: Tensor
    kind: TileFacts


class NotLowered(Exception):
    """Something cannot be translated; the message says what."""


def element(name: str) -> str:
    """An element type; "ptr<f32>" is a pointer to floats, "ptr<f4E2M1FN>" to bytes with two elements each."""
    if name.startswith("ptr<"):
        return f"{pointee_type(pointee(name))}*"
    if name not in ELEMENTS:
        raise NotLowered(f"elements of type {name}")
    return ELEMENTS[name]


def pointee_type(name: str) -> str:
    """What a pointer to elements points to."""
    return "unsigned char" if name == HALF_BYTE else element(name)


def shape(extents: tuple[int, ...]) -> str:
    return f"ct::shape<{', '.join(map(str, extents))}>"


def tile(name: str, extents: tuple[int, ...]) -> str:
    """A tile type; a zero-dimensional tile is a scalar."""
    return f"ct::tile<{element(name)}, {shape(extents)}>" if extents else element(name)


def literal(value: np.generic | np.ndarray, name: str) -> str:
    """One element as a C++ expression of exactly its type and bits."""
    if name in ("i1", "mask"):
        return "true" if value else "false"
    if name == "i64":
        return "(-9223372036854775807LL - 1)" if int(value) == -(2**63) else f"{int(value)}LL"
    if name == "i32":
        return "(-2147483647 - 1)" if int(value) == -(2**31) else str(int(value))
    if name in ("i8", "i16"):
        return f"static_cast<{ELEMENTS[name]}>({int(value)})"
    number = float(value)
    if name in ("f32", "f64") and math.isfinite(number):
        return number.hex() + ("f" if name == "f32" else "")
    return from_bits(np.asarray(value), name)


def from_bits(value: np.ndarray, name: str) -> str:
    """An element given by its bits."""
    size = DTYPES[name].itemsize
    unsigned = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long long"}[size]
    bits = int(value.reshape(-1).view(f"u{size}")[0])
    return f"tileir::bit_cast<{element(name)}>(static_cast<{unsigned}>({bits:#x}))"
