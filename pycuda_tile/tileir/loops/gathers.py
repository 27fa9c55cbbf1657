"""gathers: loads from and stores to places that loops compute, in C++ (cuda_tile/loops/gathers.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import vectors
from .affine import bits_of_pointee
from .effects import Access
from .facts import needed_for
from .places import Place
from .quasi_affine import Index, pointers_of

if TYPE_CHECKING:
    from .emit import Emitter, Names

#: If rows begin anywhere, one is asked for so many rows ahead at least, and so many bytes.
_ROWS_AHEAD, _BYTES_AHEAD = 8, 2048


class Gathers:
    """Writes such accesses. `runs` are the names of what is known of rows, by their functions of
    positions."""

    def __init__(self, emitter: Emitter):
        self._emitter, self._nest, self._translator = emitter, emitter.nest, emitter.translator
        self._line = emitter.line
        self._runs: dict[str, str] = {}

    def declare_runs(self, needed: set[int]) -> None:
        """What rows of places that are computed are known to be, from one strip to the next."""
        self._runs = {}
        for access in self._nest.effects.accesses if self._nest.inner == self._nest.vector else ():
            place = self._emitter.places[id(access.op)]
            made = access.stores or id(access.value) in needed
            if place.index and place.index not in self._runs and made:
                assert access.index is not None
                self._runs[place.index] = self._declare_row(access.index)

    def load(self, access: Access, names: Names) -> str:
        """Loads from places that are computed: along a row, mostly neighbours or one element."""
        (result, *_), place = access.op.results, self._emitter.places[id(access.op)]
        given = f"{self._existing(access)}, {place.padding}"
        if not self._nest.has_lanes(result):
            return f"loops::load_one<{place.kind}>({self._pointers(access, names)}, {given})"
        row = self._row(access, names)
        return f"loops::load_run<{vectors.LENGTH}, {place.kind}>({row}, {given})"

    def store(self, access: Access) -> None:
        """Stores to such places."""
        kind = self._emitter.places[id(access.op)].kind
        given = f"{self._emitter.name(access.value)}, {self._existing(access)}"
        if not self._nest.has_lanes(access.value):
            at = self._pointers(access, self._emitter.local)
            self._line(f"loops::store_one<{kind}>({at}, {given});")
            return
        row = self._row(access, self._emitter.local)
        self._line(f"loops::store_run<{vectors.LENGTH}, {kind}>({row}, {given});")

    def _existing(self, access: Access) -> str:
        """How many elements exist, or which."""
        if access.mask is not None:
            return self._emitter.name(access.mask)
        return self._emitter.inside(self._emitter.places[id(access.op)], access.value)

    def _row(self, access: Access, names: Names) -> str:
        """What functions of cuda_tile/loops/gathers.h are to know of a strip's place."""
        place, index = self._emitter.places[id(access.op)], access.index
        assert index is not None
        vector, position = self._nest.vector, self._emitter.positions[self._nest.vector]
        self._prefetch_row(index, place)
        run = self._runs.get(place.index) or self._declare_run(index)
        belongs = f"{run}.exist"
        if place.index not in self._runs or not index.is_neighbours:
            at = self._row_at("i", f"{self._nest.axes.extents[vector]} - i")
            function = f"[&](long long i) {{ return {self._emitter.indices.call(index, at)}; }}"
            test = f"{run}.has<{vectors.LENGTH}>({position}, {function})"
            belongs = self._emitter.variable(test, names, "belongs")
        otherwise = self._translator.fresh("pointers")
        with self._translator.names.block(f"auto const {otherwise} = [&]", "};"):
            known, self._emitter.local = self._emitter.local, dict(self._emitter.local)
            self._line(f"return {self._pointers(access, self._emitter.local)};")
            self._emitter.local = known
        return f"{belongs}, {run}, {place.origin}, {position}, {otherwise}"

    def _pointers(self, access: Access, names: Names) -> str:
        """What an access's pointers are, where they are no run."""
        pointers = pointers_of(access.op)
        for op in needed_for([pointers], self._nest.ops):
            if id(op.results[0]) not in self._emitter.local and id(op.results[0]) not in self._emitter.outer:
                self._emitter.operation(op, names)
        return self._emitter.name(pointers)

    @staticmethod
    def _progressions(positions: dict[int, str]) -> dict[int, str]:
        return {axis: f"loops::progression{{{i}}}" for axis, i in positions.items()}

    def _prefetch_row(self, index: Index, place: Place) -> None:
        """Asks for a row that comes soon, if rows begin anywhere."""
        nest, positions = self._nest, self._emitter.positions
        axes = {axis for value in index.given for axis in nest.axes.list_of(value)}
        axis = next((axis for axis in (nest.inner, *nest.outer[::-1]) if axis in axes), None)
        if axis is None:
            return
        size = nest.axes.extents[nest.vector] * max(8, bits_of_pointee(index.base)) // 8
        rows = max(_ROWS_AHEAD, _BYTES_AHEAD // size)
        soon = f"loops::least({positions[axis]} + {rows}, {nest.axes.extents[axis] - 1})"
        at = self._progressions(positions | {axis: soon})
        row = f"{place.origin} + {self._emitter.indices.call(index, at)}.first"
        self._line(f"loops::prefetch<{vectors.LENGTH}>({row});")

    def _declare_row(self, index: Index) -> str:
        """What is known of a row before its loop."""
        if not index.is_neighbours:
            return self._declare_run(index)
        name, size = self._translator.fresh("row"), self._nest.axes.extents[self._nest.vector]
        call = self._emitter.indices.call(index, self._row_at("0", str(size)))
        self._line(f"loops::neighbours const {name}{{{call}, {size}}};")
        return name

    def _row_at(self, first: str, count: str) -> dict[int, str]:
        """The positions of so many elements of the present row."""
        at = self._progressions(self._emitter.positions)
        return at | {self._nest.vector: f"loops::progression{{{first}, 1, {count}}}"}

    def _declare_run(self, index: Index) -> str:
        name = self._translator.fresh("run")
        self._line(f"loops::run<{index.repeats}> {name};")
        return name
