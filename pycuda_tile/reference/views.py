"""[2.12] Partition views: an array divided into tiles of one shape; those at its far edges may exceed it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from .conversions import as_operand, convert

#: [1.9.4] What a load yields outside of the array. All but zero require floating point elements.
PADDINGS = {
    "zero": 0.0,
    "negative_zero": -0.0,
    "nan": np.nan,
    "positive_inf": np.inf,
    "negative_inf": -np.inf,
}


class PartitionView:
    """[2.12.1] `array` divided into tiles of `shape`, which has the array's rank. Stores modify the array."""

    def __init__(self, array: np.ndarray, shape: tuple[int, ...]):
        if len(shape) != array.ndim:
            raise TypeError(f"tiles of shape {shape} do not partition an array of shape {array.shape}")
        self.array, self.shape = array, shape

    @property
    def grid(self) -> tuple[int, ...]:
        """The number of partitions along each dimension, including partial ones at the array's end."""
        return tuple(-(-n // s) for n, s in zip(self.array.shape, self.shape, strict=True))

    def load(self, *index: int) -> np.ndarray:
        """The tile at a partition index. Raises UndefinedBehaviorError (unmasked-partition) if the array does
        not contain all of it."""
        return self.array[self._whole(index)].copy()

    def load_masked(self, *index: int, padding: str = "zero") -> np.ndarray:
        """The tile at a partition index, with padding beyond the end of the array."""
        inside = self._inside(index)
        tile = np.full(self.shape, convert(np.float64(PADDINGS[padding]), self.array.dtype))
        tile[tuple(slice(0, s.stop - s.start) for s in inside)] = self.array[inside]
        return tile

    def store(self, tile: Any, *index: int) -> None:
        """Writes a tile to a partition index. Raises the same UndefinedBehaviorError as load."""
        self.array[self._whole(index)] = self._operand(tile)

    def store_masked(self, tile: Any, *index: int) -> None:
        """Writes the part of a tile that lies in the array."""
        inside = self._inside(index)
        self.array[inside] = self._operand(tile)[tuple(slice(0, s.stop - s.start) for s in inside)]

    #: [2.12.1] Atomic accesses differ from others only between concurrent threads or blocks.
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

    def _inside(self, index: tuple[int, ...]) -> tuple[slice, ...]:
        """The part of a partition that lies in the array."""
        if len(index) != self.array.ndim:
            raise TypeError(f"{len(index)} partition indices for an array of rank {self.array.ndim}")
        if not all(0 <= i < n for i, n in zip(index, self.grid, strict=True)):
            raise UndefinedBehaviorError(
                f"partition {index} of a grid of {self.grid}", kind="partition-bounds"
            )
        starts = [i * s for i, s in zip(index, self.shape, strict=True)]
        ends = [min(b + s, n) for b, s, n in zip(starts, self.shape, self.array.shape, strict=True)]
        return tuple(map(slice, starts, ends))

    def _whole(self, index: tuple[int, ...]) -> tuple[slice, ...]:
        inside = self._inside(index)
        if any(s.stop - s.start != n for s, n in zip(inside, self.shape, strict=True)):
            raise UndefinedBehaviorError(
                f"partition {index} is cut by the end of the array", kind="unmasked-partition", index=index
            )
        return inside
