"""indices: the functions of positions, in C++, that say where elements are whose places loops compute."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from ..ir import Operation, Value
from ..lower.translation import Translation
from ..reading import is_pointer, operands_of, value_shape
from .facts import SHAPES, behind
from .quasi_affine import BASE, Index, function_of
from .stages import Nest


class Indices:
    """Writes the functions that a nest needs before its loops. `origin` gives what stands for a value that is
    the same everywhere."""

    def __init__(self, translator: Translation, nest: Nest, origin: Callable[[Value], str]):
        self._translator, self._nest, self._origin = translator, nest, origin
        self._functions: dict[tuple[str, int], str] = {}  # by how values are computed

    def function(self, index: Index) -> str:
        key = self._key(index)
        if key not in self._functions:
            self._functions[key] = self._write(index)
        return self._functions[key]

    def _key(self, index: Index) -> tuple[str, int]:
        """What indices have in common of which the pointers are equally far from their bases."""
        analysis = self._nest.analysis
        value, op = behind(index.value, SHAPES, analysis.definitions)
        if op is not None and op.name == "offset" and analysis.is_uniform(operands_of(op)[0]):
            return "distance", analysis.structure(operands_of(op)[1])
        return "pointers", analysis.structure(value)

    def call(self, index: Index, positions: dict[int, str]) -> str:
        """An index at positions, or within bounds, along each axis."""
        axes = self._nest.axes.list_of(index.value)
        return f"{self.function(index)}({', '.join(positions[axis] for axis in axes)})"

    def _write(self, index: Index) -> str:
        varying = {id(op.results[0]) for op in index.ops} | {id(value) for value in index.given}
        used = [value for op in index.ops for value in operands_of(op)]
        same = [value for value in used if id(value) not in varying]
        names = {id(value): BASE if is_pointer(value) else self._origin(value) for value in same}
        axes = self._nest.axes.list_of(index.value)
        positions = {axis: self._translator.fresh(f"i{axis}") for axis in axes}
        name = self._translator.fresh("index")
        head = f"auto const {name} = [&]({', '.join(f'auto {positions[axis]}' for axis in axes)})"
        with self._translator.names.block(head, "};"):
            for value in index.given:
                names[id(value)] = self._given(value, positions)
            for op in index.ops:
                names[id(op.results[0])] = self._computed(op, names, positions)
            self._translator.line(f"return {names[id(index.value)]};")
        return name

    def _given(self, value: Value, positions: dict[int, str]) -> str:
        """The element of a tile of others."""
        count, slots = math.prod(value_shape(value)), f"{self._translator.names[value]}.slots"
        return self._let(f"loops::element<{count}>({slots}, {self._place(value, positions)})")

    def _computed(self, op: Operation, names: dict[int, str], positions: dict[int, str]) -> str:
        if op.name == "iota":
            return self._place(op.results[0], positions)
        operands = [names[id(value)] for value in operands_of(op)]
        if op.name in SHAPES:
            return operands[0]
        text = function_of(op, operands, self._nest.analysis)
        return text if text in operands else self._let(text)

    def _place(self, value: Value, positions: dict[int, str]) -> str:
        """How many elements of a tile are before the one at the positions."""
        weights = self._nest.axes.weights(self._nest.axes.list_of(value))
        terms = [
            positions[axis] if n == 1 else f"loops::product<long long>({positions[axis]}, {n})"
            for axis, n in weights.items()
        ]
        return functools.reduce("loops::sum<long long>({}, {})".format, terms)

    def _let(self, text: str) -> str:
        name = self._translator.fresh("n")
        self._translator.line(f"auto const {name} = {text};")
        return name
