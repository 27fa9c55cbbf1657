"""[2.7.6 to 2.7.14] Atomic updates of memory, one element after another in row-major order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import arithmetic
from .memory import accesses, stored_value
from .pointers import Pointers


def _update(section: str, summary: str, function: Callable[[Any, Any], Any]) -> tuple[Callable, Callable]:
    """An atomic update and its masked form. Both yield the old value, or 0 where the mask is false."""

    def masked(ptr: Pointers, value: Any, mask: Any) -> Any:
        value, dtype = stored_value(ptr, value), ptr.array.dtype
        before = np.zeros(ptr.shape, dtype)
        for place, at in accesses(ptr, mask):
            before[place] = ptr.array.flat[at]
            ptr.array.flat[at] = function(dtype.type(before[place]), dtype.type(value[place]))
        return before[()] if np.ndim(ptr.index) == 0 else before

    def unmasked(ptr: Pointers, value: Any) -> Any:
        return masked(ptr, value, True)

    unmasked.__doc__ = f"[{section}] {summary}; yields what was there before."
    masked.__doc__ = f"[{section}] {summary} where the mask is true; yields what was there before, else 0."
    return unmasked, masked


def _wrapping(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Atomic sums of integers wrap around, whether signed or unsigned."""

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
    """[2.7.6] Writes value where memory holds compare, bit for bit; yields the old value."""
    return atomic_compare_exchange_masked(ptr, compare, value, True)


def atomic_compare_exchange_masked(ptr: Pointers, compare: Any, value: Any, mask: Any) -> Any:
    """[2.7.6] The same where the mask is true; yields compare elsewhere."""
    compare, value = stored_value(ptr, compare), stored_value(ptr, value)
    before = np.array(np.broadcast_to(compare, ptr.shape))
    for place, at in accesses(ptr, mask):
        before[place] = ptr.array.flat[at]
        if before[place].tobytes() == compare[place].tobytes():
            ptr.array.flat[at] = value[place]
    return before[()] if np.ndim(ptr.index) == 0 else before
