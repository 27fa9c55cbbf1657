"""[1.7.3, 1.7.4] How the operands of a function find a common element type and shape.

A tile is a NumPy array of any rank; a scalar is a NumPy scalar. Shapes need not be powers of two here. Python
numbers stand for a scalar of the other operand's element type, as in NumPy; two of them are int and double,
as in C++.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .convert import element_cast
from .scalars import arithmetic_common_type, integer_range, is_float, is_integral, is_narrowing


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
    wide_a, wide_b = np.broadcast_arrays(element_cast(a, common), element_cast(b, common))
    return wide_a, wide_b, scalars


def is_tile(x: Any) -> bool:
    """Whether x stands for a tile rather than a scalar."""
    return isinstance(x, np.ndarray)


def as_operands(a: Any, b: Any) -> tuple[Any, Any]:
    """Both operands as NumPy arrays or scalars; a Python number takes the other's element type if it can."""
    known = [x.dtype for x in (a, b) if isinstance(x, (np.ndarray, np.generic))]
    element = known[0] if len(known) == 1 else None
    return as_operand(a, element), as_operand(b, element)


def as_operand(x: Any, element: np.dtype | None = None) -> Any:
    """x as a NumPy array or scalar. `element` is the type that a Python number should take if it can."""
    if isinstance(x, (np.ndarray, np.generic)):
        return x
    if isinstance(x, bool):
        return np.bool_(x) if element is None else element.type(x)
    if isinstance(x, int):
        return _python_integer(x, element or np.dtype(np.int32))
    if isinstance(x, float):
        return (
            np.float64(x) if element is None or is_integral(element) else element_cast(np.float64(x), element)
        )
    raise TypeError(f"{type(x).__name__} is no tile: expected a NumPy array or scalar, or a Python number")


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
