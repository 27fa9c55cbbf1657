"""narrow: integers that are computed in a wider type than they are kept in.

C++ widens `char` and `short` to `int` before it adds them, and cuts off what does not fit when it stores
them. Sums, differences, products and bits have the same low bits in the narrow type, of which vectors hold
more.
"""

from __future__ import annotations

from ..elements import bits_of
from ..ir import Block, Operation, Scalar, Tile, Value, walk
from ..lower.tiles import shared_value
from ..reading import operands_of, value_element, value_shape
from .facts import SHAPES, Definitions, blocks, is_tile
from .induction import constant

_KEEP_LOW_BITS = frozenset({"addi", "subi", "andi", "ori", "xori"})


def narrow(body: Block) -> None:
    """Makes what is cut off be computed in the narrow type."""
    made = {id(value): op for op in walk(body) for value in op.results}
    possible: dict[str, set[int]] = {}
    for block in blocks(body):
        ops: list[Operation] = []
        for op in block.ops:
            ops += (_narrowed(op, body, made, possible) if op.name == "trunci" else None) or [op]
        block.ops[:] = ops


def _narrowed(
    op: Operation, body: Block, made: Definitions, possible: dict[str, set[int]]
) -> list[Operation] | None:
    """What computes the result of a `trunci` in its type; None if that is not possible, or is nothing."""
    (source,), kind = operands_of(op), value_element(op.results[0])
    if bits_of(kind) < 8 or not is_tile(source):
        return None
    if kind not in possible:
        possible[kind] = _computable(body, kind)
    if id(source) not in possible[kind] or made[id(source)].name not in _keeping(kind):
        return None
    new = _Narrow(kind, made)
    new.compute(source)
    new.ops[-1].results = op.results
    return new.ops


def _keeping(kind: str) -> frozenset[str]:
    """Processors have no products of bytes."""
    return _KEEP_LOW_BITS | ({"muli"} if bits_of(kind) > 8 else set())


def _computable(body: Block, kind: str) -> set[int]:
    """The tiles of which the low bits can be computed in a type, by identity."""
    found: set[int] = set()
    keeping = _keeping(kind) | SHAPES
    for op in walk(body):
        if op.name == "exti":
            is_computable = bits_of(value_element(operands_of(op)[0])) <= bits_of(kind)
        elif op.name == "constant":
            is_computable = value_element(op.results[0])[0] == "i" and shared_value(op) is not None
        else:
            is_computable = op.name in keeping and all(id(value) in found for value in operands_of(op))
        if is_computable and is_tile(op.results[0]):
            found.add(id(op.results[0]))
    return found


class _Narrow:
    """Computes values in a narrow type; `ops` has the operations."""

    def __init__(self, kind: str, made: Definitions):
        self.kind, self.made = kind, made
        self.ops: list[Operation] = []
        self.values: dict[int, Value] = {}

    def compute(self, value: Value) -> None:
        left = [value]
        while left:
            op = self.made[id(left[-1])]
            before = [] if op.name in ("exti", "constant") else operands_of(op)
            missing = [each for each in before if id(each) not in self.values]
            if not missing:
                result = left.pop()
                if id(result) not in self.values:
                    self.values[id(result)] = self._new(op, result)
            left += missing

    def _new(self, op: Operation, value: Value) -> Value:
        type_ = Tile(Scalar(self.kind), value_shape(value))
        if op.name == "exti" and value_element(operands_of(op)[0]) == self.kind:
            return operands_of(op)[0]
        if op.name == "constant":
            bits = bits_of(self.kind)
            number = int(shared_value(op)) % (1 << bits)  # type: ignore[arg-type]
            new = constant(number - (number >> bits - 1 << bits), type_)
        else:
            operands = op.operands
            if op.name != "exti":
                operands = {name: [self.values[id(v)] for v in values] for name, values in operands.items()}
            attributes = {name: held for name, held in op.attributes.items() if name != "overflow"}
            new = Operation(op.name, operands, attributes, [Value(type_)], [], op.line, op.location)
        self.ops.append(new)
        return new.results[0]
