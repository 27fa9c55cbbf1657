"""Elements of arrays by C++'s names, in NumPy: how they are stored, drawn and read as float64."""

from __future__ import annotations

import numpy as np

# C++ type: what NumPy stores it as
STORED = {
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "__half": np.dtype(np.float16),
    "__nv_bfloat16": np.dtype(np.uint16),
    "__nv_fp8_e4m3": np.dtype(np.uint8),
    "signed char": np.dtype(np.int8),
    "int": np.dtype(np.int32),
}


def is_integer(kind: str) -> bool:
    return kind in ("signed char", "int")


def values(stored: np.ndarray, kind: str) -> np.ndarray:
    """The elements as float64, which has all of them exactly."""
    if kind == "__nv_bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind == "__nv_fp8_e4m3":
        return _E4M3[stored]
    return stored.astype(np.float64)


def normal(shape: tuple[int, ...], kind: str, random: np.random.Generator) -> np.ndarray:
    """Elements of about 1, of both signs; integers from their whole range."""
    if is_integer(kind):
        limits = np.iinfo(STORED[kind])
        return random.integers(limits.min, limits.max, shape, STORED[kind], endpoint=True)
    if kind == "__nv_fp8_e4m3":  # of 2**-4 to 3.75, as many of each
        codes = random.integers(3 << 3, 9 << 3, shape, np.uint8)
        return codes | (random.integers(0, 2, shape, np.uint8) << 7)
    if kind == "__nv_bfloat16":
        found = random.standard_normal(shape, np.float32)
        return (found.view(np.uint32) >> 16).astype(np.uint16)
    if kind == "__half":
        return random.standard_normal(shape, np.float32).astype(np.float16)
    return random.standard_normal(shape, STORED[kind])


def _e4m3(code: int) -> float:
    exponent, mantissa = code >> 3 & 15, code & 7
    if code & 127 == 127:
        return float("nan")
    size = (8 + mantissa) * 2.0 ** (exponent - 10) if exponent else mantissa * 2.0**-9
    return -size if code & 128 else size


_E4M3 = np.array([_e4m3(code) for code in range(256)])
