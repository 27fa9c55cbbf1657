"""Views of memory: strided tensors, and the tiles they are divided into. All lengths are in elements."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..elements import unsigned


class TensorView(NamedTuple):
    """A tensor in memory: element (i, j) is i * strides[0] + j * strides[1] elements, which have `bits` bits,
    behind the address `base`."""

    base: int
    bits: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Places(NamedTuple):
    """The addresses of the elements of one tile of a view, and which of them lie in the tensor. `high` tells
    which of those with four bits are in the high half of their byte."""

    addresses: np.ndarray
    inside: np.ndarray
    high: np.ndarray | None


class TileView(NamedTuple):
    """A tensor divided into tiles: tile number i along axis d begins at element i * steps[d] of the tensor's
    axis axes[d]. The steps of a partition view equal its tile's extents."""

    tensor: TensorView
    tile: tuple[int, ...]
    axes: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def index_space(self) -> tuple[int, ...]:
        """How many tiles there are along each axis, including partial tiles at the tensor's end."""
        return tuple(
            -(-self.tensor.shape[axis] // step) for axis, step in zip(self.axes, self.steps, strict=True)
        )

    def reach(self, d: int, index: np.ndarray) -> tuple[int, int]:
        """The first and the last element along axis d of the tile at `index`."""
        first = int(unsigned(index)) * self.steps[d]
        return first, first + self.tile[d] - 1

    def places(self, index: list[np.ndarray]) -> Places:
        """The elements of tile `index`; beyond the index space, none lies in the tensor."""
        return _places(
            self,
            [
                _first(i, step, self.tensor.shape[axis]) + np.arange(n)
                for i, step, n, axis in zip(index, self.steps, self.tile, self.axes, strict=True)
            ],
        )


class GatherScatterView(NamedTuple):
    """A tensor from which a tile takes arbitrary rows: along `sparse` an index names each element, along the
    other axes the first one of the tile. All indices count elements."""

    tensor: TensorView
    tile: tuple[int, ...]
    axes: tuple[int, ...]
    sparse: int

    @property
    def index_space(self) -> tuple[int, ...]:
        """How many elements there are along each axis: a tile may begin at any of them."""
        return tuple(self.tensor.shape[axis] for axis in self.axes)

    def reach(self, d: int, index: np.ndarray) -> tuple[int, int]:
        """The first and the last element along axis d of the tile at `index`."""
        numbers = unsigned(index)
        more = 0 if d == self.sparse else self.tile[d] - 1
        return int(numbers.min()), int(numbers.max()) + more

    def places(self, index: list[np.ndarray]) -> Places:
        """The elements of the tile at `index`: individual ones along the sparse axis, consecutive ones along
        the others."""
        coordinates = []
        for d, (i, size, axis) in enumerate(zip(index, self.tile, self.axes, strict=True)):
            extent = self.tensor.shape[axis]
            if d == self.sparse:
                coordinates.append(np.minimum(unsigned(i), np.uint64(extent)).astype(np.int64))
            else:
                coordinates.append(_first(i, 1, extent) + np.arange(size))
        return _places(self, coordinates)


def _first(index: np.ndarray, step: int, extent: int) -> int:
    """Where a tile begins, clamped to the end of the tensor."""
    return min(int(unsigned(index)) * step, extent)


def _places(view: TileView | GatherScatterView, coordinates: list[np.ndarray]) -> Places:
    """The addresses of all combinations of coordinates along the axes of a tile, and which are inside."""
    tensor, rank = view.tensor, len(view.tile)
    offsets, inside = np.zeros((), np.int64), np.ones((), bool)
    for d, (along, axis) in enumerate(zip(coordinates, view.axes, strict=True)):
        valid = along < tensor.shape[axis]
        to_axis = (-1,) + (1,) * (rank - 1 - d)
        offsets = offsets + (np.where(valid, along, 0) * np.int64(tensor.strides[axis])).reshape(to_axis)
        inside = inside & valid.reshape(to_axis)
    offsets, inside = np.broadcast_to(offsets, view.tile), np.broadcast_to(inside, view.tile)
    if tensor.bits == 4:
        return Places(tensor.base + offsets // 2, inside, offsets % 2 != 0)
    return Places(tensor.base + offsets * np.int64(tensor.bits // 8), inside, None)
