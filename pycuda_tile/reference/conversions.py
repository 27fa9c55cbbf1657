"""[1.7] Conversions: of one element type to another, and of operands to a common element type and shape.

A tile is a NumPy array of any rank; a scalar is a NumPy scalar. Shapes need not be powers of two here. Python
numbers stand for a scalar of the other operand's element type, as in NumPy; two of them are int and double,
as in C++.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda_tile.errors import UndefinedBehaviorError
from pycuda_tile.spec.element_types import NUMPY_TYPES

from .rounding import round_fraction
from .scalars import (
    LARGEST_RESTRICTED,
    arithmetic_common_type,
    bitwidth,
    integer_range,
    is_float,
    is_integral,
    is_narrowing,
)


def convert(x: Any, dtype: DTypeLike) -> Any:
    """[1.7.2] Each element converted by value; narrowing is allowed. See element_cast."""
    source, target = np.asarray(x), np.dtype(dtype)
    if target == source.dtype:
        result = source.copy()
    elif target.kind == "b":
        result = np.asarray(source != 0)
    elif target.name == "float8_e8m0fnu":
        result = _to_power_of_two(source, target)
    elif is_float(target):
        result = _to_float(source, target)
    elif is_integral(source.dtype):
        result = np.asarray(source.astype(target))
    else:
        result = _float_to_integer(source, target)
    return result if isinstance(x, np.ndarray) else result[()]


def arithmetic_conversion(a: Any, b: Any, comparison: bool = False) -> tuple[np.ndarray, np.ndarray, bool]:
    """[1.7.4] Arithmetic tile conversion, or arithmetic comparison conversion.

    Returns both operands as arrays of one element type and shape, and whether they were scalars. Raises
    TypeError if the conversion is ill-formed, ValueError if the shapes are not mutual broadcast compatible.
    """
    a, b = as_operands(a, b)
    if comparison or is_tile(a) == is_tile(b):
        common = arithmetic_common_type(a.dtype, b.dtype)
    else:
        common = (a if is_tile(a) else b).dtype
    for operand in (a, b):
        exempt = is_integral(operand.dtype) and is_float(common)
        if is_narrowing(operand.dtype, common) and not exempt:
            raise TypeError(f"the conversion of {operand.dtype.name} to {common.name} would narrow")
    scalars = not is_tile(a) and not is_tile(b)
    wide_a, wide_b = np.broadcast_arrays(convert(a, common), convert(b, common))
    return wide_a, wide_b, scalars


def is_tile(x: Any) -> bool:
    """Whether x stands for a tile rather than a scalar."""
    return isinstance(x, np.ndarray)


def as_operands(a: Any, b: Any) -> tuple[Any, Any]:
    """Both operands as NumPy arrays or scalars; a Python number adopts the other's element type if it can."""
    known = [x.dtype for x in (a, b) if isinstance(x, (np.ndarray, np.generic))]
    element = known[0] if len(known) == 1 else None
    return as_operand(a, element), as_operand(b, element)


def as_operand(x: Any, element: np.dtype | None = None) -> Any:
    """x as a NumPy array or scalar. `element` is the type that a Python number adopts if it can."""
    if isinstance(x, (np.ndarray, np.generic)):
        return x
    if isinstance(x, bool):
        return np.bool_(x) if element is None else element.type(x)
    if isinstance(x, int):
        return _python_integer(x, element or np.dtype(np.int32))
    if isinstance(x, float):
        return np.float64(x) if element is None or is_integral(element) else convert(np.float64(x), element)
    raise TypeError(f"{type(x).__name__} is not a tile: expected a NumPy array or scalar, or a Python number")


def _python_integer(x: int, element: np.dtype) -> Any:
    if is_integral(element):
        low, high = integer_range(element)
        if not low <= x <= high:
            raise OverflowError(f"{x} does not fit in {element.name}")
    return element.type(x)


def same_kind(result: np.ndarray, scalar: bool, dtype: np.dtype) -> Any:
    """The result in its element type: a NumPy scalar if the operands were scalars, else an array."""
    array = np.asarray(result, dtype)
    return array[()] if scalar else array


def _to_float(source: np.ndarray, target: np.dtype) -> np.ndarray:
    if target.name in LARGEST_RESTRICTED and not is_integral(source.dtype):
        limit = LARGEST_RESTRICTED[target.name]
        with np.errstate(invalid="ignore"):  # signaling NaN
            source = np.asarray(np.clip(source.astype(np.float64), -limit, limit))
    elif target.name in LARGEST_RESTRICTED:
        limit = int(LARGEST_RESTRICTED[target.name])
        source = np.array([max(-limit, min(limit, int(v))) for v in source.flat]).reshape(source.shape)
    with np.errstate(all="ignore"):
        result = np.asarray(source.astype(target))
    if target.itemsize <= 2 and not is_integral(source.dtype):
        result[np.isnan(source)] = _nan(target)
    if _rounds_once(source.dtype, target):
        return result
    for index in np.ndindex(source.shape):
        value = source[index]
        if np.isfinite(value) and value != 0:
            result[index] = round_fraction(_fraction(value), target, "round_ties_to_even")
    return result


def _nan(target: np.dtype) -> Any:
    """What NaN becomes in a format of 16 bits or fewer: all bits but the sign, as on a device; if the format
    has no NaN, its largest number."""
    if "nan" not in NUMPY_TYPES[target.name].specials:
        return LARGEST_RESTRICTED[target.name]
    bits = 8 * target.itemsize
    return np.array((1 << (bits - 1)) - 1, f"u{target.itemsize}").view(target)


def _to_power_of_two(source: np.ndarray, target: np.dtype) -> np.ndarray:
    with np.errstate(all="ignore"):
        fraction, exponent = np.frexp(np.abs(source.astype(np.longdouble)))
    least = np.clip(exponent - (fraction == 0.5), -127, 127)
    bits = np.where(fraction == 0, 0, np.where(np.isinf(fraction), 254, least + 127))
    return np.where(np.isnan(fraction), 255, bits).astype(np.uint8).view(target)


def _rounds_once(source: np.dtype, target: np.dtype) -> bool:
    """Whether NumPy's conversion rounds once; conversions by way of float round twice."""
    if is_integral(source):
        return target.itemsize >= 4 or bitwidth(source) <= 16
    return source.itemsize < 8 or target.name in ("float16", "float32", "float64")


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value)) if is_integral(value.dtype) else Fraction(float(value))


def _float_to_integer(source: np.ndarray, target: np.dtype) -> np.ndarray:
    low, high = integer_range(target)
    result = np.empty(source.shape, target)
    for index in np.ndindex(source.shape):
        value = float(source[index])
        if not (np.isfinite(value) and low <= int(value) <= high):
            raise UndefinedBehaviorError(f"{value} does not fit in {target.name}", kind="conversion-range")
        result[index] = int(value)
    return result
