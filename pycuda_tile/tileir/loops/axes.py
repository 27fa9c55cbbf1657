"""axes: which dimensions of which tiles are the same loop.

Each dimension of more than one element of each tile in a group consists of axes: of one, or, where a reshape
divides it or makes it of others, of several, the innermost last. Operations link the dimensions of their
operands to those of their results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..ir import Operation, Value
from ..reading import attribute, operands_of, value_shape
from .facts import ELEMENTWISE, LOADS, STORES, is_joint, is_plain_view, tiles_of
from .fallback import Fallback

#: Other operations whose tiles have the same elements in the same order, or results in their places.
_ALIKE = ("reshape", "scan")


class _Loop:
    """A loop over `extent` positions. It may turn out to be another one, or two: an outer and an inner."""

    def __init__(self, extent: int):
        self.extent = extent
        self._is: list[_Loop] = []

    def resolved(self) -> list[_Loop]:
        if not self._is:
            return [self]
        self._is = [part for each in self._is for part in each.resolved()]
        return self._is

    def becomes(self, *others: _Loop) -> None:
        self._is = list(others)


def _popped(loops: list[_Loop]) -> _Loop:
    """Takes away the innermost one."""
    loops[-1:] = loops[-1].resolved()
    return loops.pop()


class Axes:
    """The axes of a group. An axis is a number; `extents` has how many elements it has."""

    def __init__(self, ops: Sequence[Operation]):
        self._values: dict[int, Value] = {}
        self._dimensions: dict[int, list[_Loop]] = {}
        self.extents: list[int] = []
        self._of: dict[int, tuple[tuple[int, ...], ...]] = {}
        for op in ops:
            self._link(op)
        self._number()
        if any(len(set(axes)) < len(axes) for axes in map(self.list_of, self._values.values())):
            raise Fallback(_first_that_repeats(ops), "it makes rows and columns one axis")

    def of(self, value: Value) -> tuple[tuple[int, ...], ...]:
        """The axes of each dimension: none for dimensions of one element, and of tiles that are not within
        the loops."""
        return self._of.get(id(value), ())

    def list_of(self, value: Value) -> list[int]:
        """The axes along which a value varies, from the outermost to the innermost."""
        return [axis for axes in self.of(value) for axis in axes]

    def weights(self, axes: Sequence[int]) -> dict[int, int]:
        """How far positions along the axes of one dimension, or of a tile, are from each other."""
        return {axis: math.prod(self.extents[a] for a in axes[i + 1 :]) for i, axis in enumerate(axes)}

    def _number(self) -> None:
        numbers: dict[_Loop, int] = {}
        for key, dimensions in self._dimensions.items():
            parts = [each.resolved() if each.extent > 1 else [] for each in dimensions]
            for part in (part for of_one in parts for part in of_one):
                if part not in numbers:
                    numbers[part] = len(numbers)
                    self.extents.append(part.extent)
            self._of[key] = tuple(tuple(numbers[part] for part in each) for each in parts)

    # --- links ---

    def _loops(self, value: Value) -> list[_Loop]:
        if id(value) not in self._dimensions:
            self._values[id(value)] = value
            self._dimensions[id(value)] = [_Loop(n) for n in value_shape(value)]
        return self._dimensions[id(value)]

    def _same(self, op: Operation, some: Sequence[_Loop], others: Sequence[_Loop]) -> None:
        """Both run over the same elements in the same order."""
        left, right = ([each for each in given if each.extent > 1] for given in (some, others))
        while left and right:
            a, b = _popped(left), _popped(right)
            if a.extent < b.extent:
                a, b, left, right = b, a, right, left
            if a.extent == b.extent:
                if a is not b:
                    b.becomes(a)
            elif a.extent % b.extent:
                raise Fallback(op, "it mixes dimensions")
            else:
                outer = _Loop(a.extent // b.extent)
                a.becomes(outer, b)
                left.append(outer)
        assert not left and not right

    def _link(self, op: Operation) -> None:
        if "view" in op.operands and not is_plain_view(op):
            raise Fallback(op, "its view chooses elements one by one", on_tiles=True)
        tiles = tiles_of(op)
        loops = [self._loops(value) for value in tiles]
        if (
            op.name in ELEMENTWISE
            or op.name in LOADS
            or op.name in STORES
            or op.name in _ALIKE
            or is_joint(op)
        ):
            for each in loops[1:]:
                self._same(op, loops[0], each)
        elif op.name == "broadcast" and len(tiles) == 2:
            for source, result in zip(*loops, strict=True):
                if source.extent == result.extent:
                    self._same(op, [source], [result])
        elif op.name == "permute" and len(tiles) == 2:
            for d, from_ in enumerate(attribute(op, "permutation")):
                self._same(op, [loops[1][d]], [loops[0][int(from_)]])
        elif op.name == "reduce":
            dim, count = int(attribute(op, "dim")), len(operands_of(op))
            for each in loops[1:count]:
                self._same(op, loops[0], each)
            for each in loops[count:]:
                self._same(op, [loop for d, loop in enumerate(loops[0]) if d != dim], each)


def _first_that_repeats(ops: Sequence[Operation]) -> Operation:
    """The first operation with which a tile has one axis twice; with the last one, some have."""
    fits, fails = 0, len(ops)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        try:
            Axes(ops[:middle])
            fits = middle
        except Fallback as error:
            return error.op
    return ops[fails - 1]
