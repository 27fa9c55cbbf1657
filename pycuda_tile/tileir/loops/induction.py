"""induction: a tile to which each round of a loop adds the same everywhere becomes what the loop begins with,
plus a number that the loop carries.

So pointers that move on with each round, as by `p = p + 32 * pitch`, are as regular as the first ones.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..elements import DTYPES
from ..ir import Block, Operation, Scalar, Tile, Value, walk
from ..lower.tiles import shared_value
from ..reading import operands_of, region, value_element, value_shape
from .facts import SHAPES, blocks, is_scalar, is_tile

_ADDS = frozenset({"offset", "addi", "subi"})


def carry_numbers(body: Block) -> None:
    """Replaces such tiles in a kernel, first those of inner loops."""
    made = {id(value): op for op in walk(body) for value in op.results}
    for block in reversed(list(blocks(body))):
        for loop in [op for op in block.ops if op.name in ("for", "loop")]:
            _Loop(loop, block, made).run()


class _Loop:
    def __init__(self, loop: Operation, block: Block, made: dict[int, Operation]):
        self.loop, self.block, self.made = loop, block, made
        self.body, self.counts = region(loop, 0), loop.name == "for"

    def run(self) -> None:
        ends = list(_ends(self.body))
        for at, tile in enumerate(self.body.arguments[self.counts :]):
            if not is_tile(tile):
                continue
            added = [self._added(operands_of(end)[at], tile) for _, end in ends]
            if None not in added and any(added):  # one that stays may be of floats, where -0 + 0 is another
                self._replace(at, tile)
                for (block, end), steps in zip(ends, added, strict=True):
                    self._add(block, end, at, steps or [])

    def _added(self, value: Value, tile: Value) -> list[Operation] | None:
        """The operations that make a value of a tile, of which each adds the same everywhere."""
        found: list[Operation] = []
        while value is not tile:
            op = self.made.get(id(value))
            if op is None or op.name not in _ADDS or self._source(operands_of(op)[1]) is None:
                return None
            found.insert(0, op)
            value = operands_of(op)[0]
        return found

    def _source(self, value: Value) -> Value | None:
        """A value of one element, or a constant, that is all elements of another one."""
        op = self.made.get(id(value))
        if is_scalar(value) or (op is not None and op.name == "constant" and shared_value(op) is not None):
            return value
        return self._source(operands_of(op)[0]) if op is not None and op.name in SHAPES else None

    def _replace(self, at: int, tile: Value) -> None:
        """Lets the loop carry a number, which is zero at first, in place of a tile."""
        number = _number("i64" if value_element(tile).startswith("ptr") else value_element(tile))
        given = self.loop.operands["initValues"]
        first, zero = given[at], constant(0, number)
        given[at] = zero.results[0]
        self._put(self.block, self.loop, [zero])
        carried = self.body.arguments[at + self.counts] = Value(number, tile.name)
        self.body.ops[:0] = self._moved(first, carried, tile)
        if self.counts:
            last, self.loop.results[at] = self.loop.results[at], Value(number, tile.name)
            after = next(i for i, op in enumerate(self.block.ops) if op is self.loop) + 1
            self.block.ops[after:after] = self._moved(first, self.loop.results[at], last)

    def _moved(self, first: Value, by: Value, result: Value) -> list[Operation]:
        """Adds a number to all elements of a tile."""
        shape, kind = value_shape(result), by.type.element
        one = Operation("reshape", {"source": [by]}, {}, [Value(Tile(kind, (1,) * len(shape)))])
        all_ = Operation("broadcast", {"source": one.results}, {}, [Value(Tile(kind, shape))])
        if value_element(result).startswith("ptr"):
            add = Operation("offset", {"ptr": [first], "offset": all_.results}, {}, [result])
        else:
            sides = {"lhs": [first], "rhs": all_.results}
            add = Operation("addi", sides, {"overflow": "none"}, [result])
        for op in (one, all_, add):
            op.line, op.location = self.loop.line, self.loop.location
            self.made[id(op.results[0])] = op
        return [one, all_, add]

    def _add(self, block: Block, end: Operation, at: int, steps: list[Operation]) -> None:
        """Adds to the number what operations add to the tile, at the end of a round."""
        number = self.body.arguments[at + self.counts]
        for step in steps:
            by = self._scalar(block, end, operands_of(step)[1])
            if step.name == "offset" and value_element(by) != "i64":
                wide = Operation("exti", {"from": [by]}, {"signedness": "signed"}, [Value(number.type)])
                by = self._put(block, end, [wide])
            name = "subi" if step.name == "subi" else "addi"
            sides = {"lhs": [number], "rhs": [by]}
            number = self._put(
                block, end, [Operation(name, sides, {"overflow": "none"}, [Value(number.type)])]
            )
        end.operands["operands"][at] = number

    def _scalar(self, block: Block, end: Operation, value: Value) -> Value:
        """What all elements of a tile are."""
        source = self._source(value)
        assert source is not None
        if is_tile(source):
            number = shared_value(self.made[id(source)])
            assert number is not None
            return self._put(block, end, [constant(number, _number(value_element(value)))])
        if value_shape(source) == ():
            return source
        result = [Value(_number(value_element(value)))]
        return self._put(block, end, [Operation("reshape", {"source": [source]}, {}, result)])

    def _put(self, block: Block, before: Operation, ops: list[Operation]) -> Value:
        """Places operations before another one; returns their result."""
        at = next(i for i, op in enumerate(block.ops) if op is before)
        block.ops[at:at] = ops
        for op in ops:
            op.line, op.location = before.line, before.location
            self.made[id(op.results[0])] = op
        return ops[-1].results[0]


def _number(kind: str) -> Tile:
    return Tile(Scalar(kind), ())


def constant(number: int | np.generic, kind: Tile) -> Operation:
    """The operation that makes a tile of which each element is a number."""
    value = np.array(number).astype(DTYPES[str(kind.element)])
    return Operation("constant", {}, {"value": value}, [Value(kind)])


def _ends(block: Block) -> Iterator[tuple[Block, Operation]]:
    """The ends of rounds of a loop, with their blocks."""
    for op in block.ops:
        if op.name == "continue":
            yield block, op
        elif op.name == "if":
            for inner in op.regions:
                if inner is not None:
                    yield from _ends(inner)
