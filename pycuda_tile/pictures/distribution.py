"""Tiles, and how the threads of a block share one: the rule of include/cuda_tile/threads/distribution_bits.h.

All lengths are powers of two, so the row-major index of an element is a string of bits. Each bit selects the
thread or the slot in that thread; bits of a thread that no bit of the index selects make copies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import PictureError
from .checks import integer, tile_shape
from .grid import Cell, Grid, colour, picture_of
from .layouts import layout_right
from .svg import Picture

_MOST_THREADS = 1024
_COPY = -1  # in place of a bit of the index


class Tile:
    """A tile, and the threads that share it, if there are any."""

    def __init__(self, shape: tuple[int, ...], threads: int | None = None):
        self.shape, self.threads = shape, threads

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @cached_property
    def _bits(self) -> tuple[list[int], list[int]]:
        """Which bit of the index each bit of the slot and of the thread is."""
        return _distribute(self.size, self.shape[-1] if self.shape else 1, self.threads or 1)

    @property
    def owner(self) -> np.ndarray:
        """The first thread that holds each element."""
        return _collect(self._bits[1], np.arange(self.size)).reshape(self.shape)

    @property
    def slot(self) -> np.ndarray:
        """Which of its elements it is to that thread."""
        return _collect(self._bits[0], np.arange(self.size)).reshape(self.shape)

    @property
    def copies(self) -> int:
        """How many threads hold each element."""
        return 1 << self._bits[1].count(_COPY)

    def holders(self, index: tuple[int, ...]) -> list[int]:
        """The threads that hold an element."""
        found = [self._owner_and_slot(index)[0]]
        for bit, source in enumerate(self._bits[1]):
            if source == _COPY:
                found += [thread | 1 << bit for thread in found]
        return found

    def _owner_and_slot(self, index: tuple[int, ...]) -> tuple[int, int]:
        number = layout_right(self.shape).offset(index)
        return _collect(self._bits[1], number), _collect(self._bits[0], number)

    def picture(self) -> Picture:
        """Its elements with their indices, or with threads and slots."""
        name = f"tile of shape {self.shape}" if self.shape else "tile of one element"
        if self.threads is None:
            return picture_of(name, [Grid.of_array(self.shape, _element)], [])
        title = f"{name} over {self.threads} threads: thread:slot of each element"
        held = f"a thread holds {1 << len(self._bits[0])} elements; 8 colours tell neighbours apart"
        if self.copies > 1:
            held += f"; {self.copies} threads hold each element, the first of them is shown"
        return picture_of(title, [Grid.of_array(self.shape, self._shared)], [("c0", held)])

    def _shared(self, index: tuple[int, ...]) -> Cell:
        owner, slot = self._owner_and_slot(index)
        holders = self.holders(index)
        names = f"thread {owner}" if len(holders) == 1 else f"threads {_listed(holders)}"
        return Cell(colour(owner), f"{owner}:{slot}", f"element {list(index)}: slot {slot} of {names}")

    def __repr__(self) -> str:
        threads = "" if self.threads is None else f", threads={self.threads}"
        return f"tile({self.shape}{threads})"


def tile(shape: Any, threads: int | None = None) -> Tile:
    """A tile of `shape`, and how `threads` threads, a power of two up to 1024, share it."""
    lengths = tile_shape(shape)
    if threads is not None:
        threads = integer(threads, "threads", 1)
        if threads > _MOST_THREADS or threads & (threads - 1):
            raise PictureError(f"threads must be a power of two from 1 to {_MOST_THREADS}, got {threads}")
    return Tile(lengths, threads)


def _element(index: tuple[int, ...]) -> Cell:
    return Cell("touched", ",".join(map(str, index)), f"element {list(index)}")


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) if len(numbers) <= 8 else f"{', '.join(map(str, numbers[:7]))}, …"


def _collect(sources: list[int], number: Any) -> Any:
    """The number whose bits are these bits of `number`, which may be an array."""
    found = number * 0
    for bit, source in enumerate(sources):
        if source != _COPY:
            found |= (number >> source & 1) << bit
    return found


def _distribute(size: int, columns: int, threads: int) -> tuple[list[int], list[int]]:
    """Bits of the slot and of the thread."""
    rows = size // columns
    if threads >= 32 and rows >= 16 and (columns == 1 or columns >= 8):
        return _distribute_matrix(_log2(rows), _log2(columns), _log2(threads) - 5)
    return _distribute_runs(_log2(size), _log2(threads))


def _distribute_runs(size: int, threads: int) -> tuple[list[int], list[int]]:
    """Runs of up to 4 neighbours are dealt to the threads in row-major order. All numbers are bits."""
    slots = max(0, size - threads)
    run = min(slots, 2) if threads else slots
    copies = max(0, threads - size)
    return (
        [*range(run), *range(run + threads, threads + slots)],
        [*range(run, run + threads - copies), *[_COPY] * copies],
    )


def _distribute_matrix(rows: int, columns: int, warps: int) -> tuple[list[int], list[int]]:
    """As the accumulators of matrix instructions. All numbers are bits."""
    by_rows = min(warps, rows - 4)
    by_columns = 0 if columns < 3 else min(warps - by_rows, columns - 3)
    held = 0 if columns < 3 else columns - by_columns - 2
    run = min(held, 3)
    slots = [*range(run), *range(run + 2, held + 2), columns + 3]
    slots += range(columns + 4 + by_rows, columns + rows)
    threads = [run, run + 1] if columns else [_COPY, _COPY]
    threads += range(columns, columns + 3)
    threads += range(columns + 4, columns + 4 + by_rows)
    threads += range(columns - by_columns, columns)
    return slots, threads + [_COPY] * (warps - by_rows - by_columns)


def _log2(number: int) -> int:
    return number.bit_length() - 1
