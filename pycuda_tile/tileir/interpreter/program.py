"""What the tile blocks of one run share, and how they are scheduled."""

from __future__ import annotations

import itertools
import random
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import Any, TextIO

import numpy as np

from pycuda_tile.errors import LaunchError

from .memory import Memory

#: How often a block may give way before another goes on; a block that waits for another does so for ever.
_TURNS = 1000
#: How many iterations of `loop` all blocks together may run while memory stays unchanged.
_IDLE_ROUNDS = 1_000_000


#: A running block: it yields wherever another block may run.
Running = Generator[None, None, Any]


class Program:
    """A run of an entry.

    raises:       whether undefined behaviour is an error
    interleaves:  whether blocks give way before each operation on memory
    functions:    the function of each operation, by its identity, looked up once
    """

    def __init__(self, grid: tuple[int, int, int], raises: bool, seed: int | None, out: TextIO | None = None):
        self.grid, self.raises = grid, raises
        self.chance = None if seed is None else random.Random(seed)
        self.interleaves = self.chance is not None
        self.memory = Memory()
        self.globals: dict[str, int] = {}
        self.functions: dict[int, Any] = {}
        self._noise = None if seed is None else np.random.default_rng(seed)
        self._out = out
        self._idle = 0

    def write(self, text: str) -> None:
        """Writes the output of a print."""
        (self._out or sys.stdout).write(text)

    def undefined(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Values for undefined elements: zero, or with a seed random ones, which expose reliance on them."""
        if self._noise is None or dtype.kind == "b":
            return np.zeros((), dtype)
        noise = self._noise.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
        return noise.view(dtype).reshape(shape)

    def changed(self) -> None:
        """Notes that memory may have changed."""
        self._idle = 0

    def step(self) -> None:
        """Counts an iteration of `loop`. Raises LaunchError if the blocks can no longer make progress."""
        self._idle += 1
        if self._idle > _IDLE_ROUNDS:
            raise LaunchError(
                f"loops ran {_IDLE_ROUNDS} rounds while no block wrote to memory: "
                "what they wait for does not come"
            )

    def run(self, start: Callable[[tuple[int, int, int]], Running]) -> None:
        """Run all blocks; start(index) is a generator that yields wherever another block may run."""
        starts = (start(index) for index in self._indices())
        if self.chance is None:
            _in_turns(starts)
        else:
            self._by_chance(starts, self.chance)

    def _indices(self) -> list[tuple[int, int, int]]:
        x, y, z = map(range, self.grid)
        indices = [(i, j, k) for k, j, i in itertools.product(z, y, x)]
        if self.chance is not None:
            self.chance.shuffle(indices)
        return indices

    def _by_chance(self, starts: Iterator[Running], chance: random.Random) -> None:
        """Each step resumes a random running block or starts the next one."""
        running: list[Running] = []
        waiting = True
        while running or waiting:
            if waiting and (not running or chance.random() < 0.1):
                if (block := next(starts, None)) is None:
                    waiting = False
                    continue
                running.append(block)
            place = chance.randrange(len(running))
            if next(running[place], "end") == "end":
                running.pop(place)


def _in_turns(starts: Iterator[Running]) -> None:
    """One block after another, in ascending order; a block that does not finish lets the next ones run."""
    halted: deque[Running] = deque()
    for block in starts:
        if not _goes_on(block):
            continue
        halted.append(block)
        # Also resume the blocks that were paused earlier: what they wait for may have happened.
        halted = deque(b for b in halted if _goes_on(b))
    while halted:
        halted = deque(b for b in halted if _goes_on(b))


def _goes_on(block: Running) -> bool:
    """Whether a block is still running after its turn."""
    return all(next(block, "end") != "end" for _ in range(_TURNS))
