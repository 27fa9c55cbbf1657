"""[2.12] Views: tiles of one shape, called chunks, of an array, at whose edges they may exceed it.

PartitionView divides the array, StridedView [13.4] has a chunk every so many elements, and GatherScatterView
[13.4] takes the places along one dimension one by one. Atomic accesses differ from others only between
concurrent threads or blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from . import arithmetic, bitwise
from .conversions import as_operand, convert

#: [1.9.4] What a load yields outside of the array. All but zero require floating point elements.
PADDINGS = {
    "zero": 0.0,
    "negative_zero": -0.0,
    "nan": np.nan,
    "positive_inf": np.inf,
    "negative_inf": -np.inf,
}


class _View:
    """What all views have. `_places` says where a chunk is: the coordinates along each dimension."""

    def __init__(self, array: np.ndarray, shape: tuple[int, ...]):
        if len(shape) != array.ndim:
            raise TypeError(f"tiles of shape {shape} do not partition an array of shape {array.shape}")
        self.array, self.shape = array, shape

    def _places(self, index: tuple[Any, ...]) -> list[np.ndarray]:
        raise NotImplementedError

    def load(self, *index: Any) -> np.ndarray:
        """The tile at an index. Raises UndefinedBehaviorError (unmasked-partition) if the array does not
        contain all of it."""
        return self.array[np.ix_(*self._whole(index))]

    def load_masked(self, *index: Any, padding: str = "zero") -> np.ndarray:
        """The tile at an index, with padding beyond the end of the array."""
        at, inside = self._inside(index)
        tile = np.full(self.shape, convert(np.float64(PADDINGS[padding]), self.array.dtype))
        tile[np.ix_(*inside)] = self.array[np.ix_(*at)]
        return tile

    def store(self, tile: Any, *index: Any) -> None:
        """Writes a tile to an index. Raises the same UndefinedBehaviorError as load."""
        self.array[np.ix_(*self._whole(index))] = self._operand(tile)

    def store_masked(self, tile: Any, *index: Any) -> None:
        """Writes the part of a tile that lies in the array."""
        at, inside = self._inside(index)
        self.array[np.ix_(*at)] = self._operand(tile)[np.ix_(*inside)]

    atomic_load, atomic_load_masked = load, load_masked
    atomic_store, atomic_store_masked = store, store_masked

    def _operand(self, tile: Any) -> np.ndarray:
        tile = as_operand(tile)
        if tile.shape != self.shape or tile.dtype != self.array.dtype:
            raise TypeError(
                f"expected a tile of {self.array.dtype.name} of shape {self.shape}, "
                f"got {tile.dtype.name} of {tile.shape}"
            )
        return tile

    def _inside(self, index: tuple[Any, ...]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The coordinates of the chunk's elements that lie in the array: in the array, and in the chunk."""
        if len(index) != self.array.ndim:
            raise TypeError(f"{len(index)} indices for an array of rank {self.array.ndim}")
        places = self._places(index)
        inside = [
            np.flatnonzero((at >= 0) & (at < n)) for at, n in zip(places, self.array.shape, strict=True)
        ]
        return [at[kept] for at, kept in zip(places, inside, strict=True)], inside

    def _whole(self, index: tuple[Any, ...]) -> list[np.ndarray]:
        at, _ = self._inside(index)
        if any(len(places) != n for places, n in zip(at, self.shape, strict=True)):
            raise UndefinedBehaviorError(
                f"the chunk {index} is cut by the end of the array", kind="unmasked-partition", index=index
            )
        return at


def _updating(function: Callable, masked: bool) -> Callable:
    """An update of each element of a chunk by an operation and a tile."""

    def update(self: _View, tile: Any, *index: Any) -> None:
        at, inside = self._inside(index)
        if not masked:
            self._whole(index)
        places = np.ix_(*at)
        self.array[places] = function(self.array[places], self._operand(tile)[np.ix_(*inside)])

    return update


class StridedView(_View):
    """[13.4] Chunks of `shape`, one every `strides` elements along each dimension."""

    def __init__(self, array: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...]):
        super().__init__(array, shape)
        if len(strides) != array.ndim or any(stride <= 0 for stride in strides):
            raise TypeError(f"{strides} are not strides of chunks of an array of shape {array.shape}")
        self.strides = strides

    @property
    def grid(self) -> tuple[int, ...]:
        """The number of chunks along each dimension: all whose first element is in the array."""
        return tuple(-(-n // s) for n, s in zip(self.array.shape, self.strides, strict=True))

    def _places(self, index: tuple[Any, ...]) -> list[np.ndarray]:
        if not all(0 <= i < n for i, n in zip(index, self.grid, strict=True)):
            raise UndefinedBehaviorError(f"chunk {index} of a grid of {self.grid}", kind="partition-bounds")
        return [i * d + np.arange(n) for i, d, n in zip(index, self.strides, self.shape, strict=True)]

    atomic_and, atomic_and_masked = (_updating(bitwise.bit_and, masked) for masked in (False, True))
    atomic_or, atomic_or_masked = (_updating(bitwise.bit_or, masked) for masked in (False, True))
    atomic_xor, atomic_xor_masked = (_updating(bitwise.bit_xor, masked) for masked in (False, True))
    atomic_max, atomic_max_masked = (_updating(arithmetic.max, masked) for masked in (False, True))
    atomic_min, atomic_min_masked = (_updating(arithmetic.min, masked) for masked in (False, True))
    atomic_add, atomic_add_masked = (_updating(arithmetic.add, masked) for masked in (False, True))
    atomic_sub, atomic_sub_masked = (_updating(arithmetic.sub, masked) for masked in (False, True))


class PartitionView(StridedView):
    """[2.12.1] `array` divided into tiles of `shape`, which has the array's rank. Stores modify the array."""

    def __init__(self, array: np.ndarray, shape: tuple[int, ...]):
        super().__init__(array, shape, shape)


class GatherScatterView(_View):
    """[13.4] Chunks whose coordinates along `dim` an array of indices gives; along the others an index is
    that of the first element. What lies outside of the array may be accessed with a mask."""

    def __init__(self, array: np.ndarray, shape: tuple[int, ...], dim: int):
        super().__init__(array, shape)
        if not 0 <= dim < array.ndim:
            raise TypeError(f"dim: expected 0 to rank - 1 of the array, got {dim}")
        self.dim = dim

    def _places(self, index: tuple[Any, ...]) -> list[np.ndarray]:
        given = np.asarray(index[self.dim])
        if given.shape != (self.shape[self.dim],):
            raise TypeError(f"expected {self.shape[self.dim]} indices along {self.dim}, got {given.shape}")
        return [
            given.astype(np.int64) if d == self.dim else index[d] + np.arange(n)
            for d, n in enumerate(self.shape)
        ]

    def store(self, tile: Any, *index: Any) -> None:
        """Writes a tile. Raises UndefinedBehaviorError (data-race) for equal indices, too."""
        self._require_different(index)
        super().store(tile, *index)

    def store_masked(self, tile: Any, *index: Any) -> None:
        """Writes the part of a tile that lies in the array. Equal indices are undefined."""
        self._require_different(index)
        super().store_masked(tile, *index)

    atomic_store, atomic_store_masked = store, store_masked

    def _require_different(self, index: tuple[Any, ...]) -> None:
        at, _ = self._inside(index)
        if len(np.unique(at[self.dim])) != len(at[self.dim]):
            raise UndefinedBehaviorError("a store through equal indices", kind="data-race")
