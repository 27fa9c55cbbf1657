"""The memory that a program can reach: the arrays passed to it and its globals, each at a simulated address.

Every allocation begins at a multiple of 2^40, so an address identifies its allocation, and an access past the
end of one is detected instead of landing in another. Address 0 is the null pointer.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .report import Report

_SPACING = 40


class Allocation(NamedTuple):
    """Bytes that a program may access, and their name in messages."""

    data: np.ndarray
    name: str
    readonly: bool


class Memory:
    """Allocations, and typed access to them."""

    def __init__(self) -> None:
        self._allocations: list[Allocation] = []

    def add(self, array: np.ndarray, name: str, readonly: bool = False) -> int:
        """Make an array reachable; returns the address of its first element. Stores modify the array."""
        data, first = _bytes_of(array)
        readonly = readonly or not array.flags.writeable
        self._allocations.append(Allocation(data, name, readonly))
        return (len(self._allocations) << _SPACING) + first

    def load(
        self, addresses: np.ndarray, dtype: np.dtype, mask: np.ndarray, otherwise: np.ndarray, report: Report
    ) -> np.ndarray:
        """Elements where the mask is true, `otherwise` elsewhere and where an access is undefined."""
        # In C order, whatever the order of `otherwise`, because `flat` must be a view.
        result = np.array(np.broadcast_to(otherwise, addresses.shape), dtype, order="C")
        flat = result.reshape(-1)
        for allocation, places, offsets in self._accesses(addresses, dtype, mask, report):
            flat[places] = _get(allocation.data, offsets, dtype)
        return result

    def store(self, addresses: np.ndarray, values: np.ndarray, mask: np.ndarray, report: Report) -> None:
        """Write elements where the mask is true and the access is defined."""
        flat = np.broadcast_to(values, addresses.shape).reshape(-1)
        for allocation, places, offsets in self._accesses(addresses, values.dtype, mask, report):
            if allocation.readonly:
                report("read-only-write", f"a store to {allocation.name}, which is read-only")
            else:
                _put(allocation.data, offsets, flat[places])

    def _accesses(
        self, addresses: np.ndarray, dtype: np.dtype, mask: np.ndarray, report: Report
    ) -> Iterator[tuple[Allocation, np.ndarray, np.ndarray]]:
        """Defined accesses by allocation: (allocation, positions in the flat tile, their byte offsets)."""
        places = np.flatnonzero(np.broadcast_to(mask, addresses.shape))
        if not places.size:
            return
        flat = addresses.reshape(-1)[places]
        numbers = flat >> _SPACING
        distinct = [numbers[0]] if (numbers == numbers[0]).all() else np.unique(numbers)
        for number in distinct:
            here = numbers == number
            if not 0 < number <= len(self._allocations):
                what = "through a null pointer" if number == 0 else "far outside every array"
                report("memory-bounds", f"an access {what}, at address {int(flat[here][0]):#x}")
                continue
            allocation = self._allocations[int(number) - 1]
            offsets = flat[here] & ((1 << _SPACING) - 1)
            inside = _in_bounds(allocation, offsets, dtype, report)
            yield allocation, places[here][inside], offsets[inside]


def _in_bounds(allocation: Allocation, offsets: np.ndarray, dtype: np.dtype, report: Report) -> np.ndarray:
    """Which offsets lie in the allocation; reports those outside it and misaligned ones."""
    size = allocation.data.size
    inside = offsets <= size - dtype.itemsize
    if not inside.all():
        at = int(offsets[~inside][0])
        at = at - (1 << _SPACING) if at >= 1 << (_SPACING - 1) else at
        report(
            "memory-bounds",
            f"an access to {dtype.itemsize} bytes at byte {at} of {allocation.name}, which has {size}",
        )
    odd = offsets[inside] % dtype.itemsize != 0
    if odd.any():
        at = int(offsets[inside][odd][0])
        report("misaligned-access", f"an access to {dtype.itemsize} bytes at byte {at} of {allocation.name}")
    return inside


def _get(data: np.ndarray, offsets: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if dtype.kind == "b":
        return data[offsets] != 0
    if not (offsets % dtype.itemsize).any():
        return _typed(data, dtype)[offsets // dtype.itemsize]
    places = offsets[:, None] + np.arange(dtype.itemsize)
    return np.ascontiguousarray(data[places]).view(dtype)[:, 0]


def _put(data: np.ndarray, offsets: np.ndarray, values: np.ndarray) -> None:
    dtype = values.dtype
    if not (offsets % dtype.itemsize).any():
        _typed(data, dtype)[offsets // dtype.itemsize] = values
    else:
        places = offsets[:, None] + np.arange(dtype.itemsize)
        data[places] = np.ascontiguousarray(values)[:, None].view(np.uint8)


def _typed(data: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return data[: data.size // dtype.itemsize * dtype.itemsize].view(dtype)


def _bytes_of(array: np.ndarray) -> tuple[np.ndarray, int]:
    """All bytes from the first to the last of an array, and the position of its first element in them."""
    if array.flags.c_contiguous:
        return array.reshape(-1).view(np.uint8), 0
    start = array.__array_interface__["data"][0]
    steps = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    low, high = sum(s for s in steps if s < 0), sum(s for s in steps if s > 0) + array.itemsize
    if 0 in array.shape:
        low = high = 0
    buffer = (ctypes.c_uint8 * (high - low)).from_address(start + low)
    buffer.owner = array  # keeps the array alive as long as the buffer
    return np.frombuffer(buffer, np.uint8), -low
