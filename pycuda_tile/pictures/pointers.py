"""A tile of pointers, as load and store take it: which elements of an array it points to [2.7.4]."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..errors import PictureError
from .checks import LARGEST_TILE
from .grid import Cell, Grid, picture_of
from .layouts import Layout, layout_right
from .svg import Picture


class Pointers(NamedTuple):
    """Pointers `array + offsets`, of which an access takes those where the mask is true.

    order:  which pointers have the offsets in `sorted`, which are in ascending order
    """

    span: Layout
    offsets: np.ndarray
    mask: np.ndarray
    sorted: np.ndarray
    order: np.ndarray

    def picture(self) -> Picture:
        """The array, with the numbers of the pointers to each element."""
        extents, strides = self.span.extents, self.span.strides
        low = min(0, int(self.sorted[0])) if self.sorted.size else 0
        high = max(math.prod(extents) - 1, int(self.sorted[-1])) if self.sorted.size else 0
        first, last = low // strides[0], high // strides[0]
        seen = [int(offset) // strides[0] for offset in (*self.sorted[:3], *self.sorted[-3:])]
        axes = (
            (first, max(extents[0], last + 1), [*seen, extents[0] - 1, extents[0]]),
            *((0, n, ()) for n in extents[1:]),
        )
        grid = Grid("", axes, self._cell, lambda index, cell: cell and 0 <= index[0] < extents[0])
        legend = [("touched", "element that is accessed, with the number of its pointer in the tile")]
        if not self.mask.all():
            legend.append(("outside", "left out by the mask"))
        if self._undefined():
            legend.append(("undefined", "outside of the array: undefined"))
        return picture_of(f"{self.offsets.size} pointers to {_size(extents)}", [grid], legend)

    def _undefined(self) -> bool:
        taken = self.offsets[self.mask]
        return bool(taken.size and (taken.min() < 0 or taken.max() >= math.prod(self.span.extents)))

    def _cell(self, index: tuple[int, ...]) -> Cell | None:
        offset = self.span.offset(index)
        inside = 0 <= index[0] < self.span.extents[0]
        start, end = np.searchsorted(self.sorted, offset), np.searchsorted(self.sorted, offset, "right")
        found = sorted(int(i) for i in self.order[start:end])
        taken = [i for i in found if self.mask.flat[i]]
        where = f"element {list(index)}" if inside else f"offset {offset}, not in the array"
        if taken:
            words = str(taken[0]) + ("+" if len(taken) > 1 else "")
            tip = f"{where}: pointer {', '.join(map(str, taken[:8]))}"
            return Cell("touched", words, tip) if inside else Cell("undefined", "?", f"{tip}: undefined")
        if found:
            return Cell("outside", "", f"{where}: pointer {found[0]}, left out by the mask")
        return Cell("plain", "", where) if inside else None


def pointers(extents: Any, offsets: Any, mask: Any = True) -> Pointers:
    """A tile of pointers to a row-major array.

    extents:  of the array, or the array
    offsets:  of the pointers from its first element: an array of integers, of any shape
    mask:     which of them are accessed: bool, broadcast to that shape
    """
    span = layout_right(getattr(extents, "shape", extents))
    if not span.extents:
        span = layout_right((1,))
    if math.prod(span.extents) == 0:
        raise PictureError(f"the array has no elements to point to: its extents are {span.extents}")
    numbers = np.asarray(offsets)
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise PictureError(f"the offsets must be integers, got an array of {numbers.dtype}")
    if numbers.size > LARGEST_TILE:
        raise PictureError(f"a tile has at most 2^24 elements, got {numbers.size} offsets")
    if numbers.size and numbers.max() > np.iinfo(np.int64).max:
        raise PictureError(f"an offset must fit 64 bits, got {numbers.max()}")
    flags = np.asarray(mask)
    if flags.dtype != bool:
        raise PictureError(f"the mask must be bool, got an array of {flags.dtype}")
    try:
        flags = np.broadcast_to(flags, numbers.shape)
    except ValueError:
        raise PictureError(
            f"the mask has the shape {flags.shape}, which does not broadcast to that of the offsets, "
            f"{numbers.shape}"
        ) from None
    flat = numbers.ravel().astype(np.int64)
    order = np.argsort(flat, kind="stable")
    return Pointers(span, flat, flags.ravel(), flat[order], order)


def _size(extents: tuple[int, ...]) -> str:
    return f"an array of {' x '.join(map(str, extents))}"
