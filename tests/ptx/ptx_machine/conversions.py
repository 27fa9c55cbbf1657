"""cvt between all numeric types."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from pycuda_tile.reference import rounding as exact

from . import floats, rounding
from .instructions import Step, apply
from .program import Instruction, PtxError
from .types import FLOATS, NUMPY, modifiers, types_in

_MODES = ("rn", "rz", "rm", "rp", "rna")
_TO_WHOLE = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
_IN_WORDS = {
    "rz": "round_toward_zero",
    "rm": "round_toward_negative",
    "rp": "round_toward_positive",
    "rn": "round_ties_to_even",
}
_SMALL = {
    "e4m3x2": ("e4m3", np.dtype(ml_dtypes.float8_e4m3fn)),
    "e5m2x2": ("e5m2", np.dtype(ml_dtypes.float8_e5m2)),
}


def build(machine, instruction: Instruction) -> Step | None:
    if not instruction.name.startswith("cvt."):
        return None
    to, *_, source = types_in(instruction.name)
    words = modifiers(instruction.name)
    if to in ("f16x2", "bf16x2") and source == "f32":
        return apply(machine, instruction, lambda high, low: _pair(high, low, to[:-2]), to, ["f32", "f32"])
    if to in _SMALL and source == "f32":
        return apply(
            machine, instruction, lambda high, low: _small_pair(high, low, *_SMALL[to]), to, ["f32", "f32"]
        )
    if to == "f16x2" and source in _SMALL and "relu" not in words:
        return apply(machine, instruction, lambda pair: _halves(pair, _SMALL[source][1]), to, [source])
    compute = _conversion(to, source, words)
    return apply(machine, instruction, compute, to, [source])


def _conversion(to: str, source: str, words: set[str]):
    dtype = NUMPY[to]
    if source in FLOATS and to in (*FLOATS, "tf32"):
        return lambda x: _between_floats(x, to, source, words)
    if source in FLOATS:
        return lambda x: _to_integer(x, dtype, words)
    if to in FLOATS:
        mode = next((word for word in _MODES if word in words), "rn")
        return lambda x: _from_integer(x, to, mode)
    if source.endswith("x2") or to.endswith("x2"):
        raise PtxError(f"unknown conversion from {source} to {to}")
    if "sat" in words:
        return lambda x: np.clip(x.astype(object), np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)
    return lambda x: x.astype(dtype)


def _between_floats(x: np.ndarray, to: str, source: str, words: set[str]) -> np.ndarray:
    dtype = NUMPY[to]
    ftz = "ftz" in words
    if ftz and source == "f32":
        x = floats.flush(x)
    for word, whole in _TO_WHOLE.items():
        if word in words:
            x = np.copysign(whole(x), x)
    mode = next((word for word in _MODES if word in words), "rn")
    if to == "tf32" or NUMPY[to].itemsize < NUMPY[source].itemsize:
        result = rounding.to_format(x.astype(np.float64), to, mode, "satfinite" in words)
        result = result.astype(np.float32).view(np.uint32) if to == "tf32" else result.astype(dtype)
    else:
        result = x.astype(dtype)
    if to == "tf32":
        return result
    if "relu" in words:
        result = np.where(result > 0, result, np.where(np.isnan(result), result, 0)).astype(dtype)
    if "sat" in words:
        result = np.where(np.isnan(result), 0, np.clip(result, 0, 1) + 0).astype(dtype)
    if ftz and to == "f32":
        result = floats.flush(result)
    return floats.canonical(result)


def _to_integer(x: np.ndarray, dtype: np.dtype, words: set[str]) -> np.ndarray:
    """The nearest value of the integer's type; NaN becomes 0."""
    if "ftz" in words:
        x = floats.flush(x)
    whole = next(function for word, function in _TO_WHOLE.items() if word in words)(x.astype(np.float64))
    limits = np.iinfo(dtype)
    inside = (whole >= float(limits.min)) & (whole < float(limits.max) + (limits.bits < 64))
    result = np.where(inside, whole, 0).astype(dtype)
    result = np.where(whole >= float(limits.max), limits.max, result)
    return np.where(whole < float(limits.min), limits.min, result).astype(dtype)


def _from_integer(x: np.ndarray, to: str, mode: str) -> np.ndarray:
    dtype = NUMPY[to]
    if x.itemsize <= 4 and to != "f64":  # a double can hold x
        return rounding.to_format(x.astype(np.float64), to, mode).astype(dtype)
    if (to == "f64" and x.itemsize <= 4) or (to in ("f32", "f64") and mode == "rn"):
        return x.astype(dtype)
    name = "float32" if to == "f32" else dtype.name
    values = [
        exact.round_fraction(exact.Fraction(int(v)), np.dtype(name), _IN_WORDS[mode]) if v else 0.0 for v in x
    ]
    return np.array(values).astype(dtype)


def _pair(high: np.ndarray, low: np.ndarray, to: str) -> np.ndarray:
    halves = [_between_floats(x, to, "f32", set()).view(np.uint16).astype(np.uint32) for x in (high, low)]
    return halves[0] << np.uint32(16) | halves[1]


def _small_pair(high: np.ndarray, low: np.ndarray, name: str, dtype: np.dtype) -> np.ndarray:
    """Values beyond the largest one become the largest one, since satfinite is the only form."""

    def one(x: np.ndarray) -> np.ndarray:
        rounded = rounding.to_format(x.astype(np.float64), name)
        largest = rounding.FORMATS[name][2]
        rounded = np.where(
            np.isnan(rounded) & ~np.isnan(x) | np.isinf(rounded), np.copysign(largest, x), rounded
        )
        bits = rounded.astype(np.float32).astype(dtype).view(np.uint8).astype(np.uint16)
        return np.where(np.isnan(x), np.uint16(0x7F), bits)

    return one(high) << np.uint16(8) | one(low)


def _halves(pair: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The conversion is exact, since float16 holds all values of both types."""
    values = np.ascontiguousarray(pair).view(dtype).astype(np.float16)
    return floats.canonical(values).view(np.uint32)
