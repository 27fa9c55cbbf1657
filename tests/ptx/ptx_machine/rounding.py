"""Floating point rounded once: results of arithmetic (rounded.cpp), and values to a narrower format."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np

from pycuda_tile.compilers import toolchain

ADD, SUBTRACT, MULTIPLY, DIVIDE, SQUARE_ROOT, FUSED = range(6)
MODES = {"rn": 0, "rz": 1, "rm": 2, "rp": 3, "odd": 4}
# bits after the point, exponent of the smallest normal number, largest finite value
FORMATS = {
    "f32": (23, -126, float(np.finfo(np.float32).max)),
    "tf32": (10, -126, float(np.float32(2 - 2**-10) * np.float32(2.0**127))),
    "f16": (10, -14, 65504.0),
    "bf16": (7, -126, (2 - 2**-7) * 2.0**127),
    "e4m3": (3, -6, 448.0),
    "e5m2": (2, -14, 57344.0),
}


@functools.cache
def _library() -> ctypes.CDLL:
    source = Path(__file__).with_name("rounded.cpp")
    compiler = toolchain.find_compiler()
    name = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    with tempfile.TemporaryDirectory() as folder:
        built = os.path.join(folder, f"rounded_{name}.so")
        flags = ["-std=c++20", "-O1", "-frounding-math", "-ffp-contract=off", "-shared", "-fPIC"]
        done = compiler.run([*flags, str(source), "-o", built])
        assert done.returncode == 0, done.stdout
        return ctypes.CDLL(built)


def arithmetic(operation: int, mode: str, a: np.ndarray, b=None, c=None) -> np.ndarray:
    """An operation on float32 or float64 arrays of one shape."""
    arrays = [np.ascontiguousarray(a if x is None else x, a.dtype) for x in (a, b, c)]
    out = np.empty(a.shape, a.dtype)
    function = _library().rounded32 if a.dtype == np.float32 else _library().rounded64
    addresses = [ctypes.c_void_p(x.ctypes.data) for x in (*arrays, out)]
    function(operation, MODES[mode], ctypes.c_long(a.size), *addresses)
    return out


def to_format(values: np.ndarray, name: str, mode: str = "rn", saturate: bool = False) -> np.ndarray:
    """Float64 values rounded to a narrower format, as float64; zeros keep their sign. Values beyond the
    largest one become infinities, or the largest one with `saturate`, or NaN if the format has no
    infinity."""
    bits, smallest, largest = FORMATS[name]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(values)
        step = np.maximum(exponent - 1, smallest) - bits
        scaled = np.ldexp(values, -step)
        rounding = {"rn": np.rint, "rz": np.trunc, "rm": np.floor, "rp": np.ceil, "rna": _round_away}[mode]
        result = np.copysign(np.ldexp(rounding(scaled), step), values)
    finite = np.isfinite(values)
    result = np.where(finite, result, values)
    over = np.abs(result) > largest
    kept = {"rz": True, "rm": values > 0, "rp": values < 0}.get(mode, False)
    beyond = np.where(kept & finite | saturate, largest, np.nan if name == "e4m3" else np.inf)
    return np.where(over, np.copysign(beyond, values), result)


def _round_away(values: np.ndarray) -> np.ndarray:
    """Rounds to nearest, halves away from zero."""
    return np.copysign(np.floor(np.abs(values) + 0.5), values)
