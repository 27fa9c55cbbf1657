"""Views of tensor spans: which elements a partition or a chunk holds [2.12, 2.13 and 2.14 of 13.4]."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import PictureError
from .checks import integer, integers, tile_shape
from .grid import MOST_TEXT, Cell, Grid, colour, picture_of
from .layouts import Layout, span_of
from .svg import Picture

_PADDINGS = {"zero": "0", "negative_zero": "-0", "positive_inf": "inf", "negative_inf": "-inf", "nan": "nan"}

Places = range | np.ndarray  # along one dimension: a box, or the places that a tile lists


class View(NamedTuple):
    """A view of a span.

    steps:   the distance of neighbouring chunks along each dimension; None: a tile names the places
    places:  for each dimension the places in the span that the chunk in question has; None: all chunks
    masked:  whether the access leaves out what is outside of the span; else that is undefined
    """

    name: str
    span: Layout
    shape: tuple[int, ...]
    steps: tuple[int, ...] | None
    places: tuple[Places, ...] | None
    masked: bool
    padding: str

    def picture(self) -> Picture:
        """The span, and what is outside of it but in a chunk. Cells hold the index in the tile, or, where all
        chunks are drawn, that of the chunk."""
        if self.places is None:
            return self._picture_of_all()
        axes = tuple(
            (min(0, _least(places)), max(n, _greatest(places) + 1), _ends(places, n))
            for n, places in zip(self.span.extents, self.places, strict=True)
        )
        grid = Grid("", axes, self._cell_of_one, _kind)
        legend = [("touched", "element of the chunk, with its index in the tile")]
        if self._is_partial():
            legend.append(self._outside()[1])
        return picture_of(self._title(), [grid], legend)

    def _title(self) -> str:
        span = " x ".join(map(str, self.span.extents)) or "one element"
        shape = " x ".join(map(str, self.shape)) or "one element"
        return f"{self.name} of {span}, tiles of {shape}"

    def _is_partial(self) -> bool:
        assert self.places is not None
        pairs = zip(self.span.extents, self.places, strict=True)
        return any(_least(places) < 0 or _greatest(places) >= n for n, places in pairs)

    def _outside(self) -> tuple[str, tuple[str, str]]:
        """What stands in a cell outside of the span, and the legend's line about it."""
        if self.masked:
            value = _PADDINGS[self.padding]
            return value, ("outside", f"outside of the span: loads give {value}, stores leave it out")
        return "?", ("undefined", "outside of the span: undefined without a mask")

    def _is_inside(self, index: tuple[int, ...]) -> bool:
        return all(0 <= i < n for i, n in zip(index, self.span.extents, strict=True))

    def _cell_of_one(self, index: tuple[int, ...]) -> Cell | None:
        assert self.places is not None
        found = [_positions(places, i) for i, places in zip(index, self.places, strict=True)]
        inside = self._is_inside(index)
        where = f"element {list(index)}"
        if not all(found):
            return Cell("plain", "", where) if inside else None
        in_tile = ",".join(str(positions[0]) for positions in found)
        more = "+" if any(len(positions) > 1 for positions in found) else ""
        if inside:
            holds = " x ".join(str(list(positions)) for positions in found) if more else f"[{in_tile}]"
            return Cell("touched", in_tile + more, f"{where}, in the tile at {holds}")
        words, (kind, meaning) = self._outside()
        return Cell(kind, words, f"{where}, in the tile at [{in_tile}]: {meaning}")

    # ---- all chunks --------------------------------------------------------------------------------------

    def _picture_of_all(self) -> Picture:
        assert self.steps is not None
        ends = [
            _end_of_chunks(*lengths)
            for lengths in zip(self.span.extents, self.shape, self.steps, strict=True)
        ]
        axes = tuple((0, max(n, end), (n,)) for n, end in zip(self.span.extents, ends, strict=True))
        legend = [("c0", "element of a chunk, with the chunk's index")]
        if any(step < length for step, length in zip(self.steps, self.shape, strict=True)):
            what = "indices" if self._lists_chunks() else "number"
            legend.append(("overlap", f"element of several chunks, with their {what}"))
        if any(step > length for step, length in zip(self.steps, self.shape, strict=True)):
            legend.append(("plain", "element of no chunk"))
        if any(end > n for n, end in zip(self.span.extents, ends, strict=True)):
            legend.append(self._outside()[1])
        return picture_of(self._title(), [Grid("", axes, self._cell_of_all, _kind)], legend)

    def chunks_of(self, index: tuple[int, ...]) -> tuple[range, ...]:
        """For each dimension the indices of the chunks that hold an element."""
        assert self.steps is not None
        lengths = zip(index, self.span.extents, self.shape, self.steps, strict=True)
        return tuple(
            range(max(0, -(-(i - length + 1) // step)), min(i, n - 1) // step + 1)
            for i, n, length, step in lengths
        )

    def _lists_chunks(self) -> bool:
        """Whether a cell has room for the indices of all chunks that it is in."""
        assert self.steps is not None
        if len(self.steps) > 1:
            return False
        last = (self.span.extents[0] - 1) // self.steps[0]
        return -(-self.shape[0] // self.steps[0]) * (len(str(last)) + 1) <= MOST_TEXT + 1

    def _cell_of_all(self, index: tuple[int, ...]) -> Cell | None:
        chunks = self.chunks_of(index)
        count = math.prod(len(found) for found in chunks)
        inside = self._is_inside(index)
        listed = " x ".join(f"{c[0]}" if len(c) == 1 else f"{c[0]} to {c[-1]}" for c in chunks if c)
        where = f"element {list(index)}"
        if not count:
            return Cell("plain", "", f"{where}: in no chunk") if inside else None
        if not inside:
            words, (kind, meaning) = self._outside()
            return Cell(kind, words, f"{where} of chunk {listed}: {meaning}")
        if count > 1:
            words = " ".join(map(str, chunks[0])) if self._lists_chunks() else f"{count}x"
            return Cell("overlap", words, f"{where}: in {count} chunks, {listed}")
        first = [found[0] for found in chunks]
        # Neighbours along any dimension get different colours.
        shade = colour(sum(i * weight for i, weight in zip(first, (1, 3, 2), strict=False)))
        return Cell(shade, ",".join(map(str, first)), f"{where} of chunk {first}")


def partition_view(
    span: Any, shape: Any, index: Any = None, *, masked: bool = True, padding: str = "zero"
) -> View:
    """A tensor span divided into tiles.

    span:     a layout, the extents of an array, or an array
    shape:    of the tiles
    index:    of the partition that is loaded or stored; without it, all are drawn
    masked:   as by load_masked, store_masked; else what is outside of the span is undefined
    padding:  what a masked load has there: "zero", "negative_zero", "positive_inf", "negative_inf", "nan"
    """
    return strided_view(span, shape, shape, index, masked=masked, padding=padding)._replace(
        name="partition_view" if index is None else f"partition {list(integers(index, 'the index'))}"
    )


def strided_view(
    span: Any, shape: Any, strides: Any, index: Any = None, *, masked: bool = True, padding: str = "zero"
) -> View:
    """Tiles of a tensor span that begin `strides` elements apart; otherwise as partition_view."""
    layout = span_of(span)
    rank = len(layout.extents)
    lengths = tile_shape(shape, rank)
    steps = integers(strides, "the strides", 1, rank)
    places = None
    name = "strided_view"
    if index is not None:
        at = integers(index, "the index", rank=rank)
        places = tuple(range(i * s, i * s + n) for i, s, n in zip(at, steps, lengths, strict=True))
        name = f"chunk {list(at)}"
    return View(f"{name} by {list(steps)}", layout, lengths, steps, places, bool(masked), _padding(padding))


def gather_scatter_view(
    span: Any, shape: Any, dim: int, index: Any, *, masked: bool = True, padding: str = "zero"
) -> View:
    """A chunk whose places along dimension `dim` are listed; otherwise as partition_view.

    index: for `dim` the list of places, for the other dimensions the element where the chunk begins
    """
    layout = span_of(span)
    rank = len(layout.extents)
    lengths = tile_shape(shape, rank)
    along = integer(dim, "dim", 0)
    if along >= rank:
        raise PictureError(f"dim must be less than the rank, which is {rank}, got {along}")
    given = (index,) if rank == 1 and not _is_nested(index) else tuple(index)
    if len(given) != rank:
        raise PictureError(f"the index: expected {rank}, one for each dimension, got {len(given)}")
    places: list[Places] = []
    for d, (at, length) in enumerate(zip(given, lengths, strict=True)):
        if d == along:
            listed = np.array([integer(i, "a place") for i in (at if isinstance(at, Iterable) else (at,))])
            if len(listed) != length:
                raise PictureError(
                    f"the tile has {length} places along dimension {d}, got a list of {len(listed)}"
                )
            places.append(listed)
        else:
            first = integer(at, f"the index of dimension {d}")
            places.append(range(first, first + length))
    name = f"gather_scatter_view along {along}"
    return View(name, layout, lengths, None, tuple(places), bool(masked), _padding(padding))


def _padding(name: str) -> str:
    if name not in _PADDINGS:
        raise PictureError(f"padding is one of {', '.join(_PADDINGS)}, got {name!r}")
    return name


def _is_nested(index: Any) -> bool:
    """Whether the index of a span of rank 1 is a tuple of one list, and not that list."""
    return isinstance(index, tuple) and len(index) == 1 and isinstance(index[0], Iterable)


def _positions(places: Places, i: int) -> Sequence[int]:
    """Which places of a tile hold index i of the span."""
    if isinstance(places, range):
        return (places.index(i),) if i in places else ()
    return [int(position) for position in np.flatnonzero(places == i)]


def _least(places: Places) -> int:
    return places[0] if isinstance(places, range) else int(places.min())


def _greatest(places: Places) -> int:
    return places[-1] if isinstance(places, range) else int(places.max())


def _ends(places: Places, extent: int) -> list[int]:
    """The indices that a picture shows even where it leaves out most."""
    chosen = [places[0], places[-1]] if isinstance(places, range) else [int(i) for i in np.unique(places)]
    return [*chosen, extent - 1, extent]


def _kind(index: tuple[int, ...], cell: Cell | None) -> str | None:
    return cell and cell.kind


def _end_of_chunks(extent: int, length: int, step: int) -> int:
    """One more than the last place of the last chunk that begins in the span."""
    return (extent - 1) // step * step + length if extent else 0
