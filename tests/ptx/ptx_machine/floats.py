"""Floating point: arithmetic rounded once, min and max, and approximations.

An approximation is the exact result, rounded; a GPU's may differ within the bounds of the PTX manual.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from . import rounding
from .instructions import elementwise
from .program import Instruction, PtxError
from .types import modifiers

_MODES = {"rn", "rz", "rm", "rp"}
_NAN = {np.dtype(np.float32): np.uint32(0x7FFFFFFF), np.dtype(np.float64): None}
_OPERATIONS = {
    "add": rounding.ADD,
    "sub": rounding.SUBTRACT,
    "mul": rounding.MULTIPLY,
    "div": rounding.DIVIDE,
    "sqrt": rounding.SQUARE_ROOT,
    "fma": rounding.FUSED,
    "mad": rounding.FUSED,
}
_APPROXIMATIONS = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rcp": lambda x: 1 / x,
    "div": lambda x, y: x / y,
}


def flush(values: np.ndarray) -> np.ndarray:
    """Subnormal float32 values become zeros of the same sign."""
    return np.where(np.abs(values) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), values), values)


def canonical(values: np.ndarray) -> np.ndarray:
    """The only NaN that arithmetic on float32, float16 and bfloat16 produces."""
    bits = {4: np.uint32(0x7FFFFFFF), 2: np.uint16(0x7FFF)}.get(values.itemsize)
    if bits is None:
        return values
    return np.where(np.isnan(values), bits.view(values.dtype), values)


def function(instruction: Instruction, kind: str):
    """The function on arrays for a floating point instruction; None for any other instruction."""
    base, *_ = instruction.name.split(".")
    words = modifiers(instruction.name)
    if kind in ("f16x2", "bf16x2"):
        return _on_halves(instruction, kind)
    if (compute := _plain(base, words, kind)) is None:
        return None
    ftz, saturate = "ftz" in words, "sat" in words

    def whole(*operands: np.ndarray) -> np.ndarray:
        if ftz and kind == "f32":
            operands = [flush(x) for x in operands]
        result = compute(*operands)
        if ftz and kind == "f32":
            result = flush(result)
        if saturate:
            result = np.where(np.isnan(result), 0, np.clip(result, 0, 1) + 0).astype(result.dtype)
        return result

    return whole


def _plain(base: str, words: set[str], kind: str):
    if base in ("min", "max"):
        return _extremum(base, "NaN" in words)
    if base == "neg":
        return np.negative
    if base == "abs":
        return np.abs
    if base == "copysign":
        return lambda sign, magnitude: np.copysign(magnitude, sign)
    approximate = words & {"approx", "full"}
    if base in _APPROXIMATIONS and (approximate or base in ("ex2", "lg2", "sin", "cos", "tanh", "rsqrt")):
        return _approximation(_APPROXIMATIONS[base])
    mode = next(iter(words & _MODES), "rn")
    if base == "rcp":
        return lambda x: canonical(rounding.arithmetic(rounding.DIVIDE, mode, np.ones_like(x), x))
    if base not in _OPERATIONS:
        return None
    operation = _OPERATIONS[base]
    if kind in ("f16", "bf16"):
        return lambda *x: canonical(_in_double(operation, kind, *x))
    return lambda *x: canonical(rounding.arithmetic(operation, mode, *x))


def _in_double(operation: int, kind: str, *operands: np.ndarray) -> np.ndarray:
    wide = rounding.arithmetic(operation, "odd", *(x.astype(np.float64) for x in operands))
    return rounding.to_format(wide, kind).astype(operands[0].dtype)


def _approximation(exact):
    def compute(*operands: np.ndarray) -> np.ndarray:
        result = exact(*(x.astype(np.float64) for x in operands))
        return canonical(result.astype(operands[0].dtype))

    return compute


def _extremum(base: str, with_nan: bool):
    def compute(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        first_wins = a < b if base == "min" else a > b
        tie = np.signbit(a) if base == "min" else ~np.signbit(a)  # -0 is less than +0
        result = np.where(first_wins | ((a == b) & tie), a, b)
        result = np.where(np.isnan(b), a, result)
        either = np.isnan(a) | np.isnan(b) if with_nan else np.isnan(a) & np.isnan(b)
        return canonical(np.where(either, a.dtype.type(np.nan), result))

    return compute


def _on_halves(instruction: Instruction, kind: str):
    dtype = np.dtype(np.float16) if kind == "f16x2" else np.dtype(ml_dtypes.bfloat16)
    narrow = Instruction(instruction.name.replace(kind, kind[:-2]), instruction.operands)
    compute = function(narrow, kind[:-2])
    if compute is None:
        raise PtxError(f"unknown instruction {instruction}")

    def whole(*operands: np.ndarray) -> np.ndarray:
        halves = [np.ascontiguousarray(x).view(dtype) for x in operands]
        return np.ascontiguousarray(compute(*halves)).view(np.uint32)

    return whole


build = elementwise(function)
