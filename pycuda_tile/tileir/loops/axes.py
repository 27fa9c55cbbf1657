"""axes: which dimensions of which tiles are the same loop.

Each dimension of more than one element of each tile in a group belongs to an axis. Operations link the
dimensions of their operands to those of their results.
"""

from __future__ import annotations

from ..ir import Operation, Value
from ..reading import attribute, operands_of, value_shape
from .facts import ELEMENTWISE, LOADS, STORES, is_tile
from .fallback import Fallback

_Dimension = tuple[int, int]  # id of a value, and which of its dimensions


class Axes:
    """The axes of a group. An axis is a number; `extents` has how many elements it has."""

    def __init__(self, ops: list[Operation]):
        self._parent: dict[_Dimension, _Dimension] = {}
        self._values: dict[int, Value] = {}
        self._numbers: dict[_Dimension, int] = {}
        self.extents: list[int] = []
        for op in ops:
            self._link(op)
            for value in [*operands_of(op), *op.results]:
                if is_tile(value):
                    self._values[id(value)] = value
                    self._check(op, value)
        for value in self._values.values():
            for d, extent in enumerate(value_shape(value)):
                if extent > 1:
                    self._number((id(value), d), extent)

    def of(self, value: Value) -> tuple[int | None, ...]:
        """The axis of each dimension; None for dimensions of one element."""
        if not is_tile(value):
            return ()
        return tuple(
            None if n == 1 else self._numbers[self._find((id(value), d))]
            for d, n in enumerate(value_shape(value))
        )

    def list_of(self, value: Value) -> list[int]:
        """The axes along which a value varies, from the outermost to the innermost."""
        return [axis for axis in self.of(value) if axis is not None]

    def _find(self, at: _Dimension) -> _Dimension:
        while self._parent.get(at, at) != at:
            at = self._parent[at]
        return at

    def _check(self, op: Operation, value: Value) -> None:
        long = [d for d, n in enumerate(value_shape(value)) if n > 1]
        if len({self._find((id(value), d)) for d in long}) < len(long):
            raise Fallback(op, "it makes rows and columns one axis")

    def _number(self, at: _Dimension, extent: int) -> None:
        root = self._find(at)
        if root not in self._numbers:
            self._numbers[root] = len(self.extents)
            self.extents.append(extent)

    def _union(self, a: Value, d: int, b: Value, e: int) -> None:
        self._parent[self._find((id(a), d))] = self._find((id(b), e))

    def _same(self, op: Operation, a: Value, b: Value) -> None:
        """Two tiles whose dimensions correspond, apart from those of one element."""
        if not is_tile(a) or not is_tile(b):
            return
        first = [d for d, n in enumerate(value_shape(a)) if n != 1]
        second = [d for d, n in enumerate(value_shape(b)) if n != 1]
        if [value_shape(a)[d] for d in first] != [value_shape(b)[d] for d in second]:
            raise Fallback(op, "it mixes dimensions")
        for d, e in zip(first, second, strict=True):
            self._union(a, d, b, e)

    def _link(self, op: Operation) -> None:
        if op.name in ELEMENTWISE or op.name in LOADS or op.name == "reshape":
            for value in operands_of(op):
                self._same(op, value, op.results[0])
        elif op.name in STORES:
            first, *others = [value for value in operands_of(op) if is_tile(value)]
            for value in others:
                self._same(op, first, value)
        elif op.name == "broadcast":
            (source,), (result,) = operands_of(op), op.results
            for d, n in enumerate(value_shape(source)):
                if n == value_shape(result)[d] != 1:
                    self._union(source, d, result, d)
        elif op.name == "permute":
            (source,), (result,) = operands_of(op), op.results
            for d, from_ in enumerate(attribute(op, "permutation")):
                if value_shape(result)[d] != 1:
                    self._union(result, d, source, int(from_))
        elif op.name == "reduce":
            (source,), (result,) = operands_of(op), op.results
            left = [d for d in range(len(value_shape(source))) if d != int(attribute(op, "dim"))]
            for e, d in enumerate(left):
                if value_shape(source)[d] != 1:
                    self._union(source, d, result, e)
