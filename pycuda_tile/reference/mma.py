"""[2.5] Matrix products of tiles; tiles of rank three have one product for each index of the first dimension.

The manual asks for an approximation and gives no bound. Floating point products are summed in double
precision, so a target's result lies within an error bound of the result here. Integer sums are exact; a sum
outside the accumulator's range, for which the manual leaves the result open, wraps.
"""

from __future__ import annotations

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from .. import spec
from ..spec.element_types import CXX_TYPES
from .conversions import convert
from .scalars import is_integral

# NumPy's names for the classes of integers in the table of matrix products.
_INTEGERS = {"int8": ("int8", "uint8"), "int32": ("int32",)}


def _dtypes(name: str) -> tuple[str, ...]:
    """NumPy's names for an element type; tf32, which NumPy does not have, is computed as float."""
    if name == "__nv_tf32":
        return ("float32",)
    return _INTEGERS.get(name) or (CXX_TYPES[name].numpy,)


# [2.5.1] Element types of the factors, and those that the accumulator may have; the first is matmul's result.
ACCUMULATORS = {
    factor: tuple(_dtypes(name)[0] for name in row.accumulators.split())
    for row in spec.load("mma")
    for factor in _dtypes(row.left)
}


def mma(lhs: np.ndarray, rhs: np.ndarray, acc: np.ndarray) -> np.ndarray:
    """[2.5.4] lhs rhs + acc: n x k, k x m, n x m; or each with a leading batch dimension (1 broadcasts)."""
    _check_factors(lhs, rhs)
    if acc.dtype.name not in ACCUMULATORS[lhs.dtype.name]:
        raise TypeError(f"{lhs.dtype.name} factors have no accumulator of {acc.dtype.name}")
    wide = np.dtype(np.int64 if is_integral(acc.dtype) else np.float64)
    with np.errstate(all="ignore"):
        product = np.matmul(lhs.astype(wide), rhs.astype(wide))
        if product.shape[-2:] != acc.shape[-2:] or np.broadcast_shapes(product.shape, acc.shape) != acc.shape:
            raise ValueError(f"the accumulator has shape {acc.shape}, the product {product.shape}")
        return convert(product + acc.astype(wide), acc.dtype)


def matmul(lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """[2.5.5] lhs rhs, in the element type that the manual specifies for these factors."""
    _check_factors(lhs, rhs)
    batch = (max(lhs.shape[0], rhs.shape[0]),) if lhs.ndim == 3 else ()
    shape = (*batch, lhs.shape[-2], rhs.shape[-1])
    return mma(lhs, rhs, np.zeros(shape, ACCUMULATORS[lhs.dtype.name][0]))


def _check_factors(lhs: np.ndarray, rhs: np.ndarray) -> None:
    """Raise TypeError or ValueError if the manual has no product of these types or shapes."""
    both_bytes = {lhs.dtype.name, rhs.dtype.name} <= {"int8", "uint8"}
    if lhs.dtype.name not in ACCUMULATORS or (lhs.dtype != rhs.dtype and not both_bytes):
        raise TypeError(f"there is no product of {lhs.dtype.name} and {rhs.dtype.name}")
    if lhs.ndim != rhs.ndim or lhs.ndim not in (2, 3) or lhs.shape[-1] != rhs.shape[-2]:
        raise ValueError(f"shapes {lhs.shape} and {rhs.shape} do not multiply")


def scaled_mma(
    lhs: np.ndarray, lhs_scale: np.ndarray, rhs: np.ndarray, rhs_scale: np.ndarray, acc: np.ndarray
) -> np.ndarray:
    """[13.5] acc + the product of the scaled operands: a scale holds for a run of elements along the
    dimension that is summed, and is not negative. Computed in double and rounded once."""
    left = _scaled(lhs, lhs_scale, -1)
    right = _scaled(rhs, rhs_scale, -2)
    with np.errstate(all="ignore"):
        return (acc.astype(np.float64) + left @ right).astype(acc.dtype)


def _scaled(x: np.ndarray, scales: np.ndarray, axis: int) -> np.ndarray:
    if (scales.astype(np.float64) < 0).any():
        raise UndefinedBehaviorError("a scale is negative", kind="conversion-range")
    runs = np.repeat(scales.astype(np.float64), x.shape[axis] // scales.shape[axis], axis)
    return x.astype(np.float64) * runs
