"""Operations that move elements, and matrix products."""

from __future__ import annotations

import math

import numpy as np

from pycuda_tile import reference

from ..elements import DTYPES, doubles, read, unsigned, wrap
from .report import Report


def iota(count: int, element: str) -> np.ndarray:
    """0, 1, 2, ..., read as unsigned."""
    return wrap(np.arange(count), DTYPES[element])


def broadcast(source: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Repeats axes of length 1."""
    return np.broadcast_to(source, shape)


def reshape(source: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The elements in row-major order in another shape."""
    return np.reshape(source, shape)


def permute(source: np.ndarray, permutation: tuple[int, ...]) -> np.ndarray:
    """Axis i of the result is axis permutation[i] of source."""
    return np.transpose(source, permutation)


def cat(lhs: np.ndarray, rhs: np.ndarray, dim: int) -> np.ndarray:
    """lhs, then rhs, along dim."""
    return np.concatenate([lhs, rhs], axis=dim)


def select(cond: np.ndarray, val_if_true: np.ndarray, val_if_false: np.ndarray) -> np.ndarray:
    """Elements of one operand or the other."""
    return np.where(cond, val_if_true, val_if_false)


def extract(
    source: np.ndarray, indices: list[np.ndarray], shape: tuple[int, ...], report: Report
) -> np.ndarray:
    """Slice number `indices` of source, divided into slices of `shape`. A slice that does not exist is
    undefined (extract-bounds); the number is then taken modulo the number of slices."""
    _slice_exists(source.shape, indices, shape, report)
    return source[slice_of(source.shape, indices, shape)]


def insert(
    source: np.ndarray, destination: np.ndarray, indices: list[np.ndarray], report: Report
) -> np.ndarray:
    """destination with slice number `indices` replaced by source. A slice that does not exist is undefined
    (extract-bounds); nothing is then replaced."""
    result = destination.copy()
    if _slice_exists(destination.shape, indices, source.shape, report):
        result[slice_of(destination.shape, indices, source.shape)] = source
    return result


def _slice_exists(
    whole: tuple[int, ...], indices: list[np.ndarray], shape: tuple[int, ...], report: Report
) -> bool:
    numbers = tuple(int(unsigned(index)) for index in indices)
    counts = tuple(n // s for n, s in zip(whole, shape, strict=True))
    exists = all(i < n for i, n in zip(numbers, counts, strict=True))
    if not exists:
        report("extract-bounds", f"slice {numbers} of a tile that has {counts} slices")
    return exists


def slice_of(whole: tuple[int, ...], indices: list[np.ndarray], shape: tuple[int, ...]) -> tuple[slice, ...]:
    """The position of slice number `indices`, modulo their number, of shape `shape` in a tile of shape
    `whole`."""
    starts = [int(unsigned(i)) % (n // s) * s for i, n, s in zip(indices, whole, shape, strict=True)]
    return tuple(slice(start, start + s) for start, s in zip(starts, shape, strict=True))


def mmaf(lhs: np.ndarray, rhs: np.ndarray, acc: np.ndarray) -> np.ndarray:
    """lhs rhs + acc, summed in double."""
    return reference.mma(lhs, rhs, acc)


def mmai(lhs: np.ndarray, rhs: np.ndarray, acc: np.ndarray, sign_lhs: str, sign_rhs: str) -> np.ndarray:
    """lhs rhs + acc of bytes, each factor read as signed or unsigned; the sum wraps."""
    return reference.mma(read(lhs, sign_lhs), read(rhs, sign_rhs), acc)


def mmaf_scaled(
    lhs: np.ndarray,
    rhs: np.ndarray,
    acc: np.ndarray,
    lhs_scale: np.ndarray,
    rhs_scale: np.ndarray,
    report: Report,
) -> np.ndarray:
    """(lhs * lhs_scale) (rhs * rhs_scale) + acc; each scale covers a block of elements along the summed
    axis. Negative scales are undefined (conversion-range), and count with their sign."""
    if any((doubles(scale) < 0).any() for scale in (lhs_scale, rhs_scale)):
        report("conversion-range", "a scale is negative")
    a = doubles(lhs) * _along(lhs_scale, lhs.shape[-1], -1)
    b = doubles(rhs) * _along(rhs_scale, rhs.shape[-2], -2)
    with np.errstate(all="ignore"):
        return reference.element_cast(np.asarray(a @ b + acc.astype(np.float64)), acc.dtype)


def _along(scale: np.ndarray, length: int, axis: int) -> np.ndarray:
    return np.repeat(doubles(scale), math.ceil(length / scale.shape[axis]), axis)
