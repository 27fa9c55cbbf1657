"""Random kernels with ifs and loops, within which they load and store: whole tiles and rows, also of arrays
that they have stored before."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from random_accesses import FLOATS, WHOLE, Tile
from random_nests import INPUTS, OUTPUTS, Kernel, Launch


class Controlled(Kernel):
    """depth:  of the block that is being written"""

    depth = 0

    def statement(self) -> None:
        choices = [super().statement] * 4 + [self.load, self.store, self.row, self.branch, self.repeat]
        self.random.choice(choices[: len(choices) - 2 * (self.depth > 1)])()

    def load(self) -> None:
        self.access(self.random.randrange(INPUTS + OUTPUTS), None)

    def store(self) -> None:
        i = self.random.randrange(INPUTS + OUTPUTS)
        self.access(i, self._converted(self._some([*FLOATS, *WHOLE]), self.kinds[i]))

    def row(self) -> None:
        """Loaded, and perhaps stored where it was, or elsewhere."""
        i, d, shape = (
            self.random.randrange(INPUTS + OUTPUTS),
            self.random.randrange(len(self.shape)),
            self.shape,
        )
        self.shape = tuple(1 if (e == d) == (len(shape) > 1) else n for e, n in enumerate(shape))
        self.access(i, None)
        loaded = self.tiles.pop()
        if self.random.random() < 0.5:
            self.access(i, self._changed(loaded, loaded))
        self.shape = shape
        self.keep(self.broadcast(loaded))

    def branch(self) -> None:
        half = self.constant("i32", (), str(self.shape[-1] // 2))
        size = f"%n{len(self.shape) - 1}"
        condition = self.made_of(half, "i1", (), f"cmpi less_than {size}, {half.name}, signed")
        x = self._some([*FLOATS, *WHOLE])
        either, other = (self._block("yield", lambda: [self._some([x.kind])]) for _ in range(2))
        self.keep(self.let(x.kind, x.shape, f"if {condition.name} -> ({x.type}) {either} else {other}"))

    def repeat(self) -> None:
        """A loop that carries some tiles."""
        starts = list({self._some([*FLOATS, *WHOLE]) for _ in range(self.random.randrange(1, 4))})
        starts.sort(key=lambda tile: tile.name)
        self._count += 1
        n, carried = (
            self._count,
            [Tile(f"%c{self._count}_{i}", x.kind, x.shape) for i, x in enumerate(starts)],
        )
        count, step = (self.constant("i32", (), text) for text in (self.random.choice("023"), "1"))
        types = ", ".join(tile.type for tile in carried)
        given = ", ".join(f"{new.name} = {old.name}" for new, old in zip(carried, starts, strict=True))
        block = self._block("continue", lambda: [self._next(tile) for tile in carried], carried)
        self.lines.append(
            f"{', '.join(f'%r{n}_{i}' for i in range(len(carried)))} = for %i{n} in (%zero to {count.name}, "
            f"step {step.name}) : tile<i32> iter_values({given}) -> ({types}) {block}"
        )
        for i, tile in enumerate(carried):
            self.keep(Tile(f"%r{n}_{i}", tile.kind, tile.shape))

    def _next(self, tile: Tile) -> Tile:
        other = self._some([tile.kind], tile.shape)
        return self.random.choice([tile, other, self._changed(tile, other)])

    def _block(
        self, last: str, results: Callable[[], list[Tile]], arguments: list[Tile] | None = None
    ) -> str:
        lines, tiles = self.lines, self.tiles
        self.lines, self.tiles = [], [*tiles, *(arguments or [])]
        self.depth += 1
        for _ in range(self.random.randrange(1, 5)):
            self.statement()
        found = results()
        self.depth -= 1
        body = "".join(f"    {line}\n" for line in self.lines)
        self.lines, self.tiles = lines, tiles
        end = f"{last} {', '.join(x.name for x in found)} : {', '.join(x.type for x in found)}"
        return f"{{\n{body}    {end}\n  }}"

    def launch(self, rng: np.random.Generator, overlap: bool) -> Launch:
        """Blocks that load what others store would depend on each other, so there is only one."""
        return dataclasses.replace(super().launch(rng, overlap), blocks=1)
