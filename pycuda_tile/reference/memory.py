"""[2.7.1 to 2.7.5] Loads and stores through pointers.

Elements of a tile are accessed one after another in row-major order, which is one of the orders that the
manual allows. Where a mask is false, nothing is accessed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from .conversions import as_operand, convert
from .pointers import Pointers, check_pointers
from .scalars import is_narrowing


def load(ptr: Pointers) -> Any:
    """[2.7.4] The elements pointed to, as a tile of the pointers' shape; a scalar for a single pointer."""
    return load_masked(ptr, True)


def load_masked(ptr: Pointers, mask: Any, padding: Any = 0) -> Any:
    """[2.7.4] The elements where the mask is true, elsewhere the converted padding; both are broadcast."""
    check_pointers(ptr)
    result = np.broadcast_to(convert(as_operand(padding, ptr.array.dtype), ptr.array.dtype), ptr.shape)
    result = result.copy()
    for place, at in accesses(ptr, mask):
        result[place] = ptr.array.flat[at]
    return result[()] if np.ndim(ptr.index) == 0 else result


def store(ptr: Pointers, value: Any) -> None:
    """[2.7.5] Writes value, a tile of the pointers' shape or a scalar for a single pointer."""
    store_masked(ptr, value, True)


def store_masked(ptr: Pointers, value: Any, mask: Any) -> None:
    """[2.7.5] Writes value where the mask is true; the mask is broadcast."""
    value = stored_value(ptr, value)
    for place, at in accesses(ptr, mask):
        ptr.array.flat[at] = value[place]


#: [2.7.4, 2.7.5] Atomic accesses differ from others only between concurrent threads or blocks.
atomic_load, atomic_load_masked = load, load_masked
atomic_store, atomic_store_masked = store, store_masked


def stored_value(ptr: Pointers, value: Any) -> np.ndarray:
    """A value to write, converted to the pointee's type without narrowing; it has the pointers' shape."""
    check_pointers(ptr)
    value = as_operand(value, ptr.array.dtype)
    if np.shape(value) != ptr.shape:
        raise TypeError(f"a value of shape {np.shape(value)} is not for pointers of shape {ptr.shape}")
    if is_narrowing(value.dtype, ptr.array.dtype):
        raise TypeError(f"the conversion of {value.dtype.name} to {ptr.array.dtype.name} would narrow")
    return np.asarray(convert(value, ptr.array.dtype))


def accesses(ptr: Pointers, mask: Any) -> list[tuple[tuple[int, ...], int]]:
    """The position in the tile and the number of the element for each access that the mask enables."""
    mask = np.broadcast_to(convert(as_operand(mask), bool), ptr.shape)
    found = [(place, int(np.asarray(ptr.index)[place])) for place in np.ndindex(ptr.shape) if mask[place]]
    for place, at in found:
        if not 0 <= at < ptr.array.size:
            raise UndefinedBehaviorError(
                f"element {place} points to element {at} of an array of {ptr.array.size}",
                kind="memory-bounds",
            )
    return found
