"""PTX's types as NumPy's."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np

NUMPY = {
    "pred": np.dtype(bool),
    **{f"{kind}{bits}": np.dtype(f"u{bits // 8}") for kind in "ub" for bits in (8, 16, 32, 64)},
    **{f"s{bits}": np.dtype(f"i{bits // 8}") for bits in (8, 16, 32, 64)},
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16x2": np.dtype("u4"),
    "bf16x2": np.dtype("u4"),
    "tf32": np.dtype("u4"),
    "e4m3x2": np.dtype("u2"),
    "e5m2x2": np.dtype("u2"),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
FLOATS = ("f16", "bf16", "f32", "f64")
UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def size_of(kind: str) -> int:
    """Bytes of a value."""
    return NUMPY[kind].itemsize


def is_signed(kind: str) -> bool:
    return kind[0] == "s"


def types_in(name: str) -> list[str]:
    """The types that an instruction's name holds, in their order."""
    return [part for part in name.split(".") if part in NUMPY]


def modifiers(name: str) -> set[str]:
    return set(re.split(r"\.|::", name))
