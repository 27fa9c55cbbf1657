"""[2.2.25 to 2.2.31, 2.7] Pointers, and what is read and written through them.

A pointer is an array and the number of an element in it, in row-major order; a tile of pointers has an array
of such numbers. Elements of a tile are accessed one after another in row-major order, one of the orders that
the manual allows. Where a mask is false, nothing is accessed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from . import arithmetic
from .conversions import as_operand
from .convert import element_cast
from .scalars import is_narrowing


@dataclass(frozen=True, eq=False)
class Pointers:
    """Pointers to elements of `array`: `pointer(array) + iota(...)`; a scalar one if `index` is no array."""

    array: np.ndarray
    index: Any

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.index)

    def __add__(self, offset: Any) -> Pointers:
        return Pointers(self.array, self.index + np.asarray(offset, np.int64))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        """A pointer so many elements before, or the distance of two pointers into one array."""
        if not isinstance(other, Pointers):
            return self + -np.asarray(other, np.int64)
        if other.array is not self.array:
            raise UndefinedBehaviorError("difference of pointers into two arrays", kind="pointer-arithmetic")
        return self.index - other.index


def pointer(array: np.ndarray) -> Pointers:
    """A pointer to the first element of an array, which what is stored goes to."""
    return Pointers(array, np.int64(0))


def load(ptr: Pointers) -> Any:
    """[2.7.4] The elements that are pointed to, as a tile of the pointers' shape; a scalar for a pointer."""
    return load_masked(ptr, True)


def load_masked(ptr: Pointers, mask: Any, padding: Any = 0) -> Any:
    """[2.7.4] The elements where the mask is true, elsewhere the padding, converted; both are broadcast."""
    result = np.broadcast_to(element_cast(as_operand(padding, ptr.array.dtype), ptr.array.dtype), ptr.shape)
    result = result.copy()
    for place, at in _accesses(ptr, mask):
        result[place] = ptr.array.flat[at]
    return result[()] if np.ndim(ptr.index) == 0 else result


def store(ptr: Pointers, value: Any) -> None:
    """[2.7.5] Writes value, a tile of the pointers' shape or a scalar for a pointer."""
    store_masked(ptr, value, True)


def store_masked(ptr: Pointers, value: Any, mask: Any) -> None:
    """[2.7.5] Writes value where the mask is true, which is broadcast."""
    value = _operand(ptr, value)
    for place, at in _accesses(ptr, mask):
        ptr.array.flat[at] = value[place]


#: [2.7.4, 2.7.5] Atomic accesses differ from others only where threads or blocks meet.
atomic_load, atomic_load_masked = load, load_masked
atomic_store, atomic_store_masked = store, store_masked


def _update(section: str, summary: str, function: Callable[[Any, Any], Any]) -> tuple[Callable, Callable]:
    """An atomic update and its masked form. Both yield what was there before, the latter 0 elsewhere."""

    def masked(ptr: Pointers, value: Any, mask: Any) -> Any:
        value, dtype = _operand(ptr, value), ptr.array.dtype
        before = np.zeros(ptr.shape, dtype)
        for place, at in _accesses(ptr, mask):
            before[place] = ptr.array.flat[at]
            ptr.array.flat[at] = function(dtype.type(before[place]), dtype.type(value[place]))
        return before[()] if np.ndim(ptr.index) == 0 else before

    def unmasked(ptr: Pointers, value: Any) -> Any:
        return masked(ptr, value, True)

    unmasked.__doc__ = f"[{section}] {summary}; yields what was there before."
    masked.__doc__ = f"[{section}] {summary} where the mask is true; yields what was there before, else 0."
    return unmasked, masked


def _wrapping(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Atomic sums of integers wrap around, whatever their sign."""

    def update(before: Any, value: Any) -> Any:
        if not np.issubdtype(before.dtype, np.integer):
            return function(before, value)
        unsigned = np.dtype(f"u{before.dtype.itemsize}")
        return function(before.view(unsigned), value.view(unsigned)).view(before.dtype)

    return update


atomic_and, atomic_and_masked = _update("2.7.7", "Bitwise and", np.bitwise_and)
atomic_or, atomic_or_masked = _update("2.7.8", "Bitwise or", np.bitwise_or)
atomic_xor, atomic_xor_masked = _update("2.7.9", "Bitwise exclusive or", np.bitwise_xor)
atomic_max, atomic_max_masked = _update("2.7.10", "Maximum", np.maximum)
atomic_min, atomic_min_masked = _update("2.7.11", "Minimum", np.minimum)
atomic_add, atomic_add_masked = _update("2.7.12", "Addition", _wrapping(arithmetic.add))
atomic_sub, atomic_sub_masked = _update("2.7.13", "Subtraction", _wrapping(arithmetic.sub))
atomic_xchg, atomic_xchg_masked = _update("2.7.14", "Exchange", lambda before, value: value)


def atomic_compare_exchange(ptr: Pointers, compare: Any, value: Any) -> Any:
    """[2.7.6] Writes value where memory holds compare, bit for bit; yields what was there before."""
    return atomic_compare_exchange_masked(ptr, compare, value, True)


def atomic_compare_exchange_masked(ptr: Pointers, compare: Any, value: Any, mask: Any) -> Any:
    """[2.7.6] The same where the mask is true; yields compare elsewhere."""
    compare, value = _operand(ptr, compare), _operand(ptr, value)
    before = np.array(np.broadcast_to(compare, ptr.shape))
    for place, at in _accesses(ptr, mask):
        before[place] = ptr.array.flat[at]
        if before[place].tobytes() == compare[place].tobytes():
            ptr.array.flat[at] = value[place]
    return before[()] if np.ndim(ptr.index) == 0 else before


def _operand(ptr: Pointers, value: Any) -> np.ndarray:
    """A value to write, in the type of what is pointed to; it has the pointers' shape and must not narrow."""
    value = as_operand(value, ptr.array.dtype)
    if np.shape(value) != ptr.shape:
        raise TypeError(f"a value of shape {np.shape(value)} is not for pointers of shape {ptr.shape}")
    if is_narrowing(value.dtype, ptr.array.dtype):
        raise TypeError(f"the conversion of {value.dtype.name} to {ptr.array.dtype.name} would narrow")
    return np.asarray(element_cast(value, ptr.array.dtype))


def _accesses(ptr: Pointers, mask: Any) -> list[tuple[tuple[int, ...], int]]:
    """Where the mask is true: the place in the tile, and the number of the element."""
    mask = np.broadcast_to(element_cast(as_operand(mask), bool), ptr.shape)
    found = [(place, int(np.asarray(ptr.index)[place])) for place in np.ndindex(ptr.shape) if mask[place]]
    for place, at in found:
        if not 0 <= at < ptr.array.size:
            raise UndefinedBehaviorError(
                f"element {place} points to element {at} of an array of {ptr.array.size}",
                kind="memory-bounds",
            )
    return found
