"""[2.2.25 to 2.2.31] Pointers and tiles of pointers.

A pointer is an array and the number of an element in it, in row-major order; a tile of pointers has an array
of such numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError


@dataclass(frozen=True, eq=False)
class Pointers:
    """Pointers to elements of `array`: `pointer(array) + iota(...)`; a scalar pointer if `index` is not an
    array."""

    array: np.ndarray
    index: Any

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.index)

    @property
    def addresses(self) -> Any:
        return self.array.ctypes.data + np.asarray(self.index) * self.array.itemsize

    def __add__(self, offset: Any) -> Pointers:
        return Pointers(self.array, self.index + np.asarray(offset, np.int64))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        """A pointer moved back by so many elements, or the distance of two pointers into one array."""
        if not isinstance(other, Pointers):
            return self + -np.asarray(other, np.int64)
        if other.array is not self.array:
            raise UndefinedBehaviorError("difference of pointers into two arrays", kind="pointer-arithmetic")
        return self.index - other.index

    def __eq__(self, other: object) -> Any:
        """[2.2.29, 2.2.30] Compares element by element, like all comparisons; None is the null pointer."""
        return self._compare(operator.eq, other)

    def __ne__(self, other: object) -> Any:
        return self._compare(operator.ne, other)

    def __lt__(self, other: Pointers) -> Any:
        return self._compare(operator.lt, other)

    def __le__(self, other: Pointers) -> Any:
        return self._compare(operator.le, other)

    def __gt__(self, other: Pointers) -> Any:
        return self._compare(operator.gt, other)

    def __ge__(self, other: Pointers) -> Any:
        return self._compare(operator.ge, other)

    def _compare(self, op: Callable, other: object) -> Any:
        if not isinstance(other, Pointers) and other is not None:
            return NotImplemented
        return op(self.addresses, 0 if other is None else other.addresses)


def pointer(array: np.ndarray) -> Pointers:
    """A pointer to the first element of an array; stores modify the array."""
    return Pointers(array, np.int64(0))


def check_pointers(ptr: object) -> None:
    """Raises TypeError for an array, whose elements are values."""
    if not isinstance(ptr, Pointers):
        raise TypeError(
            f"expected pointers, such as reference.pointer(array) + indices, got {type(ptr).__name__}"
        )
