"""Grids of cells: the part of an array that a picture shows, and how it is laid out on the page."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from .svg import Picture, lines, rectangle, text

_MOST = {"columns": 24, "rows": 16, "slices": 6}  # that are shown
_CELL, _GAP, _MARGIN = (34, 22), 18, 12  # width and height of a cell; of what is left out; around all
MOST_TEXT = 5  # characters in a cell
_PAGE = 900  # where grids side by side go to the next row


class Cell(NamedTuple):
    """kind: of svg.FILLS; text: in it; tip: what a pointer over it shows."""

    kind: str
    text: str
    tip: str


Index = tuple[int, ...]
Axis = tuple[int, int, Iterable[int]]  # first index, end, and those that must be seen
_ONE: Axis = (0, 1, ())
Shown = list["int | None"]  # indices, None where some are left out


def colour(number: int) -> str:
    """The fill of one of several groups."""
    return f"c{number % 8}"


class Grid(NamedTuple):
    """An array of rank 0 to 3, of which `cell` says how each element looks; None leaves its place empty.

    part: of an index and its cell; a thick line stands between neighbours that are in different parts
    """

    caption: str
    axes: tuple[Axis, ...]
    cell: Callable[[Index], Cell | None]
    part: Callable[[Index, Cell | None], object] | None = None

    @classmethod
    def of_array(cls, extents: Sequence[int], cell: Callable[[Index], Cell | None]) -> Grid:
        return cls("", tuple((0, n, ()) for n in extents), cell)

    def slices(self) -> Iterator[tuple[str, Grid, Index]]:
        """The matrices of an array of rank 3, each with its caption and first index; else the grid itself."""
        if len(self.axes) < 3:
            yield self.caption, self, ()
            return
        for i in shown(*self.axes[0], _MOST["slices"]):
            if i is not None:
                caption = f"{self.caption} [{i}, :, :]".strip()
                yield caption, self._replace(axes=self.axes[1:]), (i,)


def shown(first: int, end: int, points: Iterable[int], most: int) -> Shown:
    """The indices from `first` up to `end` that are shown: all, or those around both ends and the points."""
    if end - first <= most:
        return list(range(first, end))
    chosen = sorted({first, end - 1, *(p for p in points if first <= p < end)})
    if len(chosen) > most // 2:
        chosen = chosen[: most // 4] + chosen[-(most // 4) :]
    around: set[int] = set(chosen)
    for width in range(1, most):
        wider = {i for p in chosen for i in range(max(first, p - width), min(end, p + width + 1))}
        if len(wider) > most:
            break
        around = wider
    found: Shown = []
    for i in sorted(around):
        before = found[-1] if found else None
        if before is not None and i == before + 2:
            found.append(before + 1)
        elif before is not None and i > before + 1:
            found.append(None)
        found.append(i)
    return found


def picture_of(title: str, grids: Sequence[Grid], legend: Sequence[tuple[str, str]]) -> Picture:
    """A picture of grids, with a line for each kind of cell that the legend explains."""
    body = [text(_MARGIN, _MARGIN + 10, title, "head")]
    width, y = _MARGIN + 7.4 * len(title), _MARGIN + 22.0
    for grid in grids:
        x, row_height = float(_MARGIN), 0.0
        for caption, part, before in grid.slices():
            drawn, w, h = _draw(part, caption, before)
            if x > _MARGIN and x + w > _PAGE:
                x, y, row_height = float(_MARGIN), y + row_height + _GAP, 0.0
            name = html.escape(grid.caption or "array")
            body.append(f'<g data-grid="{name}" transform="translate({x:g} {y:g})">\n{drawn}</g>\n')
            x, row_height = x + w + _GAP, max(row_height, h)
            width = max(width, x - _GAP)
        y += row_height + 8
    for kind, words in legend:
        body.append(
            rectangle(kind, _MARGIN, y, 14, 12, "", words) + text(_MARGIN + 20, y + 10, words, "left")
        )
        width, y = max(width, _MARGIN + 20 + 6.1 * len(words)), y + 17
    return Picture(title, round(width + _MARGIN), round(y + _MARGIN), "".join(body))


class _Track(NamedTuple):
    """Where the indices of one dimension stand on the page."""

    places: list[tuple[int, float]]
    gaps: list[float]
    end: float

    @classmethod
    def of(cls, indices: Shown, start: float, size: float) -> _Track:
        places: list[tuple[int, float]] = []
        gaps, at = [], start
        for i in indices:
            if i is None:
                gaps.append(at + _GAP / 2)
                at += _GAP
            else:
                places.append((i, at))
                at += size
        return cls(places, gaps, at)


def _draw(grid: Grid, caption: str, before: Index) -> tuple[str, float, float]:
    """A grid of rank 2 at most, its width and its height."""
    rank = len(grid.axes)
    columns = shown(*(grid.axes[-1] if rank else _ONE), _MOST["columns"])
    rows = shown(*(grid.axes[0] if rank == 2 else _ONE), _MOST["rows"])
    top, left = 14.0 + (14 if caption else 0), 0.0
    if rank == 2:
        left = max(14, 6 + 6.1 * max((len(str(i)) for i in rows if i is not None), default=0))
    across, down = _Track.of(columns, left, _CELL[0]), _Track.of(rows, top, _CELL[1])
    parts = [text(left, 10, caption, "left")]
    if rank:
        parts += [text(x + _CELL[0] / 2, top - 4, str(j)) for j, x in _labelled(across)]
    if rank == 2:
        parts += [text(left / 2 - 2, y + 15, str(i)) for i, y in down.places]
    cells: dict[tuple[float, float], object] = {}  # by place: the part of each cell
    for i, y in down.places:
        for j, x in across.places:
            index = (*before, *(i, j)[2 - rank :])
            cell = grid.cell(index)
            cells[x, y] = grid.part and grid.part(index, cell)
            if cell:
                data = ",".join(map(str, index))
                parts.append(rectangle(cell.kind, x, y, *_CELL, data, cell.tip))
                parts.append(text(x + _CELL[0] / 2, y + 15, _short(cell.text)))
        parts += [text(x, y + 15, "…") for x in across.gaps]
    parts += [text(x + _CELL[0] / 2, y + 4, "⋮") for y in down.gaps for _, x in across.places]
    return "".join([*parts, _edges(cells)]), across.end, down.end


def _labelled(track: _Track) -> list[tuple[int, float]]:
    """The places along the top that get their number: of long numbers not all have room."""
    longest = max((len(str(i)) for i, _ in track.places), default=0)
    every, run, found = math.ceil((6.1 * longest + 4) / _CELL[0]), 0, []
    for at, (i, x) in enumerate(track.places):
        run = run + 1 if at and track.places[at - 1][0] == i - 1 else 0
        if run % every == 0:
            found.append((i, x))
    return found


def _edges(parts: dict[tuple[float, float], object]) -> str:
    """The lines between cells of different parts, and around all. Cells beside a gap are not neighbours."""
    width, height = _CELL
    right, bottom = max((x for x, _ in parts), default=0), max((y for _, y in parts), default=0)
    left, top = min((x for x, _ in parts), default=0), min((y for _, y in parts), default=0)
    found: dict[tuple[float, float, float, float], None] = {}
    for (x, y), part in parts.items():
        for neighbour, at_end, ends in (
            ((x - width, y), x == left, (x, y, x, y + height)),
            ((x + width, y), x == right, (x + width, y, x + width, y + height)),
            ((x, y - height), y == top, (x, y, x + width, y)),
            ((x, y + height), y == bottom, (x, y + height, x + width, y + height)),
        ):
            if (neighbour in parts or at_end) and parts.get(neighbour) != part:
                found[ends] = None
    return lines(found)


def _short(words: str) -> str:
    """What fits into a cell; its tip says the rest."""
    return words if len(words) <= MOST_TEXT else f"{words[: MOST_TEXT - 1]}…"
