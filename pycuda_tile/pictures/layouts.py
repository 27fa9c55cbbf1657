"""Layouts: where in memory the elements of an array lie [2.10]."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from ..errors import PictureError
from .checks import integer, integers
from .grid import Cell, Grid, colour, picture_of
from .svg import Picture

_MOST_CANDIDATES = 10_000  # indices along one dimension that may share an offset with others


class Layout(NamedTuple):
    """Lengths, and the distance in memory of neighbours along each dimension, both counted in elements."""

    name: str
    extents: tuple[int, ...]
    strides: tuple[int, ...]

    def offset(self, index: tuple[int, ...]) -> int:
        """Where an element lies, counted from the one at index 0."""
        return sum(i * stride for i, stride in zip(index, self.strides, strict=True))

    def index_at(self, offset: int) -> tuple[int, ...] | None:
        """The index of the element that lies there, the lowest if there are several; None if none does."""
        if math.prod(self.extents) == 0:
            return None
        order = sorted(range(len(self.extents)), key=lambda d: -abs(self.strides[d]))
        index = [0] * len(order)
        return tuple(index) if self._find(offset, order, index) else None

    def _find(self, offset: int, order: list[int], index: list[int]) -> bool:
        """Sets the indices of the dimensions in `order`, those of the greatest strides first."""
        if not order:
            return offset == 0
        d, rest = order[0], order[1:]
        low, high = self._reach(rest)
        stride = self.strides[d]
        if stride == 0:
            return self._find(offset, rest, index)
        ends = sorted((Fraction(offset - low, stride), Fraction(offset - high, stride)))
        candidates = range(max(0, math.floor(ends[0])), min(self.extents[d] - 1, math.ceil(ends[1])) + 1)
        if len(candidates) > _MOST_CANDIDATES:
            raise PictureError(f"the strides {self.strides} of {self} interleave too much to be drawn")
        for i in candidates:
            index[d] = i
            if self._find(offset - i * stride, rest, index):
                return True
        index[d] = 0
        return False

    def _reach(self, dimensions: list[int]) -> tuple[int, int]:
        """The lowest and the highest offset along some dimensions."""
        ends = [(self.extents[d] - 1) * self.strides[d] for d in dimensions]
        return sum(end for end in ends if end < 0), sum(end for end in ends if end > 0)

    def picture(self) -> Picture:
        """The array, each element with its offset, and below it the memory, each place with its element."""
        if math.prod(self.extents) == 0:
            return picture_of(f"{self}: no elements", [], [])
        low, high = self._reach(list(range(len(self.extents))))
        array = Grid.of_array(self.extents, self._element)
        memory = Grid("memory", ((low, high + 1, (0,)),), self._place)
        unused = [("plain", "place without an element")] if self._has_gaps(high + 1 - low) else []
        return picture_of(f"{self}: offsets in elements", [array, memory], unused)

    def _has_gaps(self, places: int) -> bool:
        return places > math.prod(n for n, s in zip(self.extents, self.strides, strict=True) if s)

    def _element(self, index: tuple[int, ...]) -> Cell:
        offset = self.offset(index)
        return Cell(self._colour(index), str(offset), f"element {list(index)} at offset {offset}")

    def _place(self, place: tuple[int, ...]) -> Cell:
        index = self.index_at(place[0])
        if index is None:
            return Cell("plain", "", f"offset {place[0]}: no element")
        return Cell(
            self._colour(index), ",".join(map(str, index)), f"offset {place[0]}: element {list(index)}"
        )

    def _colour(self, index: tuple[int, ...]) -> str:
        return colour(index[0] if len(index) > 1 else 0)

    def __str__(self) -> str:
        return f"{self.name}, {' x '.join(map(str, self.extents)) or 'one element'}"


def layout_right(extents: Any) -> Layout:
    """Row major: the last index varies fastest."""
    lengths = integers(extents, "the extents", 0)
    return Layout("layout_right", lengths, _right(lengths))


def layout_left(extents: Any) -> Layout:
    """Column major: the first index varies fastest."""
    lengths = integers(extents, "the extents", 0)
    return Layout("layout_left", lengths, _left(lengths))


def layout_right_padded(extents: Any, alignment: int) -> Layout:
    """Row major; rows begin at multiples of `alignment` elements."""
    lengths = integers(extents, "the extents", 0)
    return Layout("layout_right_padded", lengths, _right((*lengths[:-1], _padded(lengths[-1:], alignment))))


def layout_left_padded(extents: Any, alignment: int) -> Layout:
    """Column major; columns begin at multiples of `alignment` elements."""
    lengths = integers(extents, "the extents", 0)
    return Layout("layout_left_padded", lengths, _left((_padded(lengths[:1], alignment), *lengths[1:])))


def layout_strided(extents: Any, strides: Any) -> Layout:
    """With a stride for each dimension, counted in elements."""
    lengths = integers(extents, "the extents", 0)
    return Layout("layout_strided", lengths, integers(strides, "the strides", rank=len(lengths)))


def layout_of(array: Any) -> Layout:
    """The layout of an array: a NumPy array, a tensor of PyTorch, or any that has a shape and strides."""
    extents = integers(array.shape, "the array's shape", 0)
    strides = getattr(array, "strides", None)
    if strides is not None:  # in bytes
        size = integer(array.itemsize, "the array's itemsize", 0) or 1
        strides = integers(strides, "the array's strides", rank=len(extents))
        if any(stride % size for stride in strides):
            raise PictureError(f"the array's strides {strides} are not multiples of its {size} byte elements")
        strides = tuple(stride // size for stride in strides)
    elif callable(getattr(array, "stride", None)):  # PyTorch
        strides = integers(array.stride(), "the array's strides", rank=len(extents))
    else:
        raise PictureError(f"a {type(array).__name__} does not say its strides: pass its shape instead")
    usual = {_left(extents): "layout_left", _right(extents): "layout_right"}
    return Layout(usual.get(strides, "layout_strided"), extents, strides)


def span_of(what: Any) -> Layout:
    """The layout of what a view is a view of: a layout, extents or an array."""
    if isinstance(what, Layout):
        return what
    return layout_of(what) if hasattr(what, "shape") else layout_right(what)


def _padded(length: tuple[int, ...], alignment: int) -> int:
    if not length:
        raise PictureError("a padded layout has at least one dimension")
    multiple = integer(alignment, "the alignment", 1)
    return -(-length[0] // multiple) * multiple


def _right(lengths: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(lengths[d + 1 :]) for d in range(len(lengths)))


def _left(lengths: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(lengths[:d]) for d in range(len(lengths)))
