"""folds: the reductions and scans of a nest in C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir import Operation
from ..lower.folds import known_function, scanning_function, structures
from ..lower.types import element
from ..reading import operands_of, region, value_element
from . import vectors
from .neutral import neutral

if TYPE_CHECKING:
    from .emit import Emitter, Names


class Folds:
    """Writes reductions and scans. By the operation's identity:

    sums:      names of those under way
    combines:  names of their functions
    strips:    names of the structures that these take, if tiles are reduced together
    """

    def __init__(self, emitter: Emitter):
        self._emitter, self._nest, self._translator = emitter, emitter.nest, emitter.translator
        self._line = emitter.line
        self._sums: dict[int, str] = {}
        self._combines: dict[int, str] = {}
        self._strips: dict[int, str] = {}

    def combine(self, op: Operation) -> None:
        """Writes the function of a reduction or scan, before all loops."""
        if len(operands_of(op)) > 1:
            self._several(op)
            return
        if known := (known_function if op.name == "reduce" else scanning_function)(op):
            self._combines[id(op)] = known
            return
        name = self._combines[id(op)] = self._translator.fresh("combine")
        kind, body = element(value_element(operands_of(op)[0])), region(op, 0)
        accumulator, current = (
            self._translator.names.name(argument, argument.name or "v") for argument in body.arguments
        )
        head = f"auto const {name} = [&]({kind} {accumulator}, {kind} {current}) -> {kind}"
        with self._translator.names.block(head, "};"):
            self._translator.function_body(body, lambda names: f"return {names[0]};")

    def declare_sum(self, op: Operation) -> None:
        name, rows = self._translator.fresh("sum"), self._strips.get(id(op))
        self._sums[id(op)], source = name, operands_of(op)[0]
        kind, extent = element(value_element(source)), self._nest.axes.extents[self._nest.inner]
        if self._nest.inner != self._nest.vector:
            self._line(f"loops::reduction_across<{rows or self._emitter.type(source)}, {extent}> {name};")
        elif rows:
            self._line(f"loops::reduction_of_several<{rows}, {extent}> {name};")
        else:
            start = neutral(op)
            known = "true" if start else "false"
            combine = f"decltype({self._combines[id(op)]})"
            self._line(f"loops::reduction_along<{kind}, {extent}, {combine}, {known}> {name}{{{start}}};")

    def declare_scan(self, op: Operation) -> None:
        name = self._sums[id(op)] = self._translator.fresh("scan")
        rows, extent = self._strips.get(id(op)), self._nest.axes.extents[self._nest.inner]
        along = str(self._nest.inner == self._nest.vector).lower()
        kind, combine = rows or self._emitter.type(operands_of(op)[0]), f"decltype({self._combines[id(op)]})"
        given = f"{kind}, {extent}, {combine}, {along}"
        self._line(f"loops::row_scan<{given}> {name};")

    def add(self, op: Operation) -> None:
        """The part of a reduction in each round of its loop."""
        self._line(f"{self._sums[id(op)]}.add({self._next(op)});")

    def define(self, op: Operation, names: Names) -> None:
        """The results of a reduction, or of a scan in a round of its loop."""
        name = self._sums[id(op)]
        if op.name == "scan":
            text = f"{name}.{'next_back' if self._nest.backward else 'next'}({self._next(op)})"
        else:
            text = f"{name}.result({self._combines[id(op)]})"
        if id(op) not in self._strips:
            self._emitter.define(op.results[0], text, names)
            return
        whole = self._translator.fresh("folded")
        self._line(f"auto const {whole} = {text};")
        for i, value in enumerate(op.results):
            part, kind = f"{whole}.e{i}", element(value_element(value))
            if self._nest.has_lanes(value):
                part = (
                    f"loops::load<{vectors.LENGTH}, {kind}>({part}, {vectors.LENGTH}, loops::any<{kind}>())"
                )
            self._emitter.define(value, part, names)

    def _next(self, op: Operation) -> str:
        """What a reduction or scan takes in each round of its loop."""
        at, x = self._emitter.positions[self._nest.inner], ", ".join(map(self._emitter.name, operands_of(op)))
        x = f"{self._strips[id(op)]}{{{x}}}" if id(op) in self._strips else x
        return f"{self._combines[id(op)]}, {at}, {x}"

    def _several(self, op: Operation) -> None:
        """The type of the strips that are reduced together, whose elements are structures."""
        members, self._combines[id(op)] = structures(self._translator, op)
        name = self._strips[id(op)] = self._translator.fresh("strips")
        kinds = [element(value_element(value)) for value in operands_of(op)]
        numbers, length = range(len(kinds)), vectors.LENGTH
        given = ", ".join(f"loops::strip<{kind}, {length}> const& x{i}" for i, kind in enumerate(kinds))
        copies = " ".join(f"loops::copy<{kind}, {length}>(e{i}, x{i}.slots);" for i, kind in enumerate(kinds))
        with self._translator.names.block(f"struct {name}", "};"):
            self._line(f"using structure = {members};")
            self._line(f"enum : unsigned {{ length = {length} }};")
            for i, kind in enumerate(kinds):
                self._line(f"alignas(64) {kind} e{i}[{length}];")
            self._line(f"{name}() = default;")
            self._line(f"{name}({given}) {{ {copies} }}")
            at = ", ".join(f"e{i}[l]" for i in numbers)
            self._line(f"structure at(unsigned l) const {{ return {{{at}}}; }}")
            sets = " ".join(f"e{i}[l] = x.e{i};" for i in numbers)
            self._line(f"void set(unsigned l, structure const& x) {{ {sets} }}")
