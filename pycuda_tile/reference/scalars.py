"""[1.4] The scalar types as NumPy dtypes, and the properties that the conversion rules use.

The table of element types says which NumPy or ml_dtypes type represents which C++ type; `char` and `long` are
represented by the type of the same size. `__nv_tf32` has no NumPy type and is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda_tile.spec.element_types import NUMPY_TYPES, ElementType


def format_of(element: ElementType) -> tuple[int, int, int]:
    """Stored bits of the mantissa, and the exponents of the smallest and the largest normal number."""
    return element.mantissa, element.smallest_exponent, element.largest_exponent


_FLOATS = {name: e for name, e in NUMPY_TYPES.items() if not e.is_integral}
FLOAT_FORMATS = {name: format_of(e) for name, e in _FLOATS.items()}
BASIC_FLOATS = tuple(name for name, e in _FLOATS.items() if e.is_basic)

#: The largest finite value of the types whose conversions saturate, except e8m0.
LARGEST_RESTRICTED = {name: e.greatest for name, e in _FLOATS.items() if e.saturates and e.signed}

#: [1.7.1] The types of greater conversion rank than each.
GREATER_RANK = {
    name: tuple(other for other, o in _FLOATS.items() if e.has_lower_rank(o)) for name, e in _FLOATS.items()
}


def is_float(dtype: np.dtype) -> bool:
    """Whether dtype is a floating point scalar type, restricted ones included."""
    return dtype.name in FLOAT_FORMATS


def is_basic_float(dtype: np.dtype) -> bool:
    """Whether dtype is double, float, __half or __nv_bfloat16."""
    return dtype.name in BASIC_FLOATS


def require_basic_float(x: Any) -> Any:
    """Returns x, or raises TypeError if its elements are not basic floating point."""
    if not is_basic_float(x.dtype):
        raise TypeError(f"the operand must be basic floating point, it is {x.dtype.name}")
    return x


def is_integral(dtype: np.dtype) -> bool:
    """Whether dtype is an integral scalar type; bool is one."""
    return dtype.kind in "biu"


def is_signed(dtype: np.dtype) -> bool:
    """Whether dtype is a signed integral type."""
    return dtype.kind == "i"


def bitwidth(dtype: np.dtype) -> int:
    """[1.4.1] The bits that encode the values of an integral type; 1 for bool."""
    return 1 if dtype.kind == "b" else 8 * dtype.itemsize


def integer_range(dtype: np.dtype) -> tuple[int, int]:
    """The smallest and the largest value of an integral type."""
    bits = bitwidth(dtype)
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed(dtype) else (0, 2**bits - 1)


def arithmetic_common_type(a: DTypeLike, b: DTypeLike) -> np.dtype:
    """[1.7.4] The arithmetic common type: the usual arithmetic conversions of C++ without integral promotion.

    Raises TypeError if there is none.
    """
    a, b = np.dtype(a), np.dtype(b)
    for dtype in (a, b):
        if not (is_integral(dtype) or is_basic_float(dtype)):
            raise TypeError(f"{dtype.name} is not an arithmetic scalar type")
    if is_float(a) or is_float(b):
        return _common_float(a, b)
    if is_signed(a) != is_signed(b):
        signed, unsigned = (a, b) if is_signed(a) else (b, a)
        # The rank grows with the width; a wider signed type holds all values of the unsigned one.
        return unsigned if bitwidth(unsigned) >= bitwidth(signed) else signed
    return a if bitwidth(a) >= bitwidth(b) else b


def _common_float(a: np.dtype, b: np.dtype) -> np.dtype:
    if not is_float(a) or a == b:
        return b
    if not is_float(b) or a.name in GREATER_RANK[b.name]:
        return a
    if b.name in GREATER_RANK[a.name]:
        return b
    raise TypeError(f"{a.name} and {b.name} have no common type: neither has the greater conversion rank")


def is_narrowing(source: np.dtype, target: np.dtype) -> bool:
    """[1.7.2] Whether a scalar conversion narrows, judged by the types alone."""
    if source == target:
        return False
    if is_float(source) and is_float(target):
        return target.name not in GREATER_RANK[source.name]
    if is_float(source) or is_float(target):
        return True
    low, high = integer_range(source)
    target_low, target_high = integer_range(target)
    # A conversion to bool narrows even where the values fit; there is no other type of one bit.
    return not (target_low <= low and high <= target_high)
