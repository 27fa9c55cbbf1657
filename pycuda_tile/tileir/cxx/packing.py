"""Floats of 4 bits, and repack.

C++ has a float of 4 bits in the lower half of a byte, and so have the tiles here: Tile IR, which has two in a
byte, has no tile of a single one, nor a select. They become what they are where an operation computes with
them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from ..ir import Scalar, Tile, Value
from .builder import I8, I32, width
from .intrinsics import Intrinsics
from .llvm import Instruction
from .names import Name


class Packing(Intrinsics):
    """The operations `pack` and `unpack`."""

    @functools.cached_property
    def _halves(self) -> dict[Value, Value]:
        """What bytes are as floats of 4 bits, where they were made of them."""
        return {}

    def halves(self, value: Value, element: Scalar) -> Value:
        """Bytes as floats of 4 bits, of which a tile has an even number: a single one becomes two."""
        shape, size = value.type.shape, math.prod(value.type.shape)
        if size > 1 and (known := self._known_halves(value)) is not None:
            return known
        both = self.pure("unpack", {"source": self.reshape(value, (size,))}, Tile(element, (2 * size,)))
        return both if size == 1 else self.reshape(self._first_of_pairs(both), shape)

    def _known_halves(self, value: Value) -> Value | None:
        """What bytes were made of, with their shape."""
        if value in self._halves:
            return self.reshape(self._halves[value], value.type.shape)
        op = self.made_by(value, "reshape") or self.made_by(value, "permute")
        known = self._known_halves(op.operands["source"][0]) if op else None
        if op is None or known is None or op.name == "reshape":
            return known if known is None else self.reshape(known, value.type.shape)
        return self._permuted(known, list(op.attributes["permutation"]))

    def bytes_of_halves(self, value: Value, shape: Sequence[int]) -> Value:
        """The inverse of halves()."""
        size, halves = math.prod(shape), value
        if size > 1:
            column = Tile(value.type.element, (size, 1))
            operands = {"lhs": self.reshape(value, column.shape), "rhs": self.constant(column, 0)}
            value = self.pure("cat", operands, Tile(column.element, (size, 2)), {"dim": 1})
        packed = self.pure("pack", {"source": self.reshape(value, (2 * size,))}, Tile(I8, (size,)))
        if size == 1:
            packed = self.binary("andi", packed, self.constant(Tile(I8, ()), 15))
        self._halves[packed] = halves
        return self.reshape(packed, shape)

    def convert_half_bytes(self, value: Value, to: Name, source: Name) -> Value:
        """A conversion from or to floats of 4 bits."""
        shape, size = value.type.shape, math.prod(value.type.shape)
        if source.packed:
            value = self.halves(value, source.packed)
        elif size == 1:
            value = self.broadcast(self.reshape(value, (1,)), (2,))
        value = self.convert(value, to.packed or to.element, source.is_signed, to.is_signed)
        if to.packed:
            return self.bytes_of_halves(value, shape)
        return value if size > 1 else self.reshape(self._first_of_pairs(value), shape)

    def _first_of_pairs(self, value: Value) -> Value:
        size = math.prod(value.type.shape) // 2
        zero = self.constant(Tile(I32, ()), 0)
        operands = {"source": self.reshape(value, (size, 2)), "indices": [zero, zero]}
        first = self.pure("extract", operands, Tile(value.type.element, (size, 1)))
        return self.reshape(first, (size,))

    def call_repack(self, i: Instruction, type_: Name, source: Name, dimension: int) -> Value:
        """The bits along a dimension, by their bytes in a row."""
        value, to = self.value(i.operands[0]), _stored(type_)
        element = _stored(source)
        if element != value.type.element:
            value = self.halves(value, element)
        if width(element) == width(to):
            return self.as_element(value, to)
        last = len(type_.tile.shape) - 1
        axes = [*(axis for axis in range(last + 1) if axis != dimension), dimension]
        shape = tuple(type_.tile.shape[axis] for axis in axes)
        row = self.reshape(self._permuted(value, axes), (math.prod(value.type.shape),))
        size = math.prod(shape)
        if width(element) != 8:
            row = self.pure("pack", {"source": row}, Tile(I8, (size * width(to) // 8,)))
        row = self.as_element(row, I8)
        if width(to) != 8:
            row = self.pure("unpack", {"source": row}, Tile(to, (size,)))
        result = self.reshape(self.as_element(row, to), shape)
        result = self._permuted(result, [axes.index(axis) for axis in range(last + 1)])
        return self.bytes_of_halves(result, type_.tile.shape) if to != type_.tile.element else result

    def _permuted(self, value: Value, axes: list[int]) -> Value:
        if axes == sorted(axes):
            return value
        shape = tuple(value.type.shape[axis] for axis in axes)
        attributes = {"permutation": tuple(axes)}
        return self.pure("permute", {"source": value}, Tile(value.type.element, shape), attributes)


def _stored(type_: Name) -> Scalar:
    """The elements of a tile, as operations on their bits have them."""
    name = type_.arguments[0]
    assert isinstance(name, Name) and isinstance(type_.tile.element, Scalar)
    return name.packed or type_.tile.element
