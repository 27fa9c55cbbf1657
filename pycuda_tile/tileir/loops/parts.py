"""parts: tiles that are taken apart or put together are computed in parts.

Where all that uses a tile takes slices of it (`extract`), what makes the tile is repeated for each slice:
loads of a partition become loads of smaller tiles, elementwise operations are on smaller tiles, and of joined
tiles (`cat`) one is taken. A store of joined tiles becomes two. So these operations need no tiles in memory.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ..elements import unsigned
from ..ir import Block, Operation, Scalar, Tile, Token, Value, walk
from ..lower.tiles import shared_value
from ..reading import attribute, dense, group, operand, operands_of, value_element, value_shape
from .facts import ELEMENTWISE, LOADS, STORES, is_small, is_tile, is_weak
from .induction import constant

_INDEX = Tile(Scalar("i64"), ())


@dataclasses.dataclass(frozen=True)
class Slice:
    """The first element of a part along each axis, and how many there are."""

    starts: tuple[int, ...]
    shape: tuple[int, ...]

    def along(self, dim: int, start: int, count: int) -> Slice:
        """The same with other elements along an axis."""
        starts, shape = list(self.starts), list(self.shape)
        starts[dim], shape[dim] = start, count
        return Slice(tuple(starts), tuple(shape))


def divide(body: Block) -> None:
    """Replaces slices of tiles, and stores of joined tiles, in a kernel."""
    if any(op.name in ("extract", "cat") for op in walk(body)):
        _Division(body).run()


class _Division:
    """blocks:  that an operation is in
    made:    parts, by the value's identity
    apart:   whether nothing needs a value as a whole, by the value's identity
    """

    def __init__(self, body: Block):
        self.body, self.ops = body, list(walk(body))
        self.blocks: dict[int, Block] = {}
        self.definitions: dict[int, Operation] = {}
        self.users: dict[int, list[Operation]] = {}
        self.made: dict[tuple[int, Slice], Value] = {}
        self.apart: dict[int, bool] = {}
        self._enter(body)
        for op in self.ops:
            for value in operands_of(op):
                self.users.setdefault(id(value), []).append(op)
        self.slices = {id(op): found for op in self.ops if (found := self._slice(op)) is not None}
        self.stores = {id(op) for op in self.ops if self._is_divisible_store(op)}

    def _enter(self, block: Block) -> None:
        self.blocks.update((id(argument), block) for argument in block.arguments)
        for op in block.ops:
            self._know(op, block)
            for inner in op.regions:
                if inner is not None:
                    self._enter(inner)

    def _know(self, op: Operation, block: Block) -> None:
        self.blocks[id(op)] = block
        self.definitions.update((id(result), op) for result in op.results)

    def run(self) -> None:
        replaced: dict[int, Value] = {}
        for op in self.ops:
            if id(op) in self.stores:
                self._divide_store(op)
            elif id(op) in self.slices and self._gives_parts(operand(op, "source")):
                replaced[id(op.results[0])] = self._part(operand(op, "source"), self.slices[id(op)])
        for op in walk(self.body):
            for name, values in op.operands.items():
                op.operands[name] = [replaced.get(id(value), value) for value in values]

    # --- which tiles ---

    def _slice(self, op: Operation) -> Slice | None:
        """What an `extract` takes, if that is known."""
        if op.name != "extract":
            return None
        shape, starts = value_shape(op.results[0]), []
        for index, size in zip(group(op, "indices"), shape, strict=True):
            found = self.definitions.get(id(index))
            if found is None or found.name != "constant":
                return None
            starts.append(int(dense(found).flat[0]) * size)
        whole = value_shape(operand(op, "source"))
        inside = all(a >= 0 and a + n <= m for a, n, m in zip(starts, shape, whole, strict=True))
        return Slice(tuple(starts), shape) if inside else None

    def _is_divisible_store(self, op: Operation) -> bool:
        if op.name not in STORES or not is_weak(op) or self._joint(_stored(op)) is None:
            return False
        if "view" in op.operands:
            return self._is_partition(op)
        return not is_small(op)  # else its pointers are a row, or soon made

    def _joint(self, value: Value) -> int | None:
        """The axis along which a tile is joined, or computed from tiles that are."""
        op = self.definitions.get(id(value))
        if op is None or not is_tile(value) or len(self.users.get(id(value), ())) > 1:
            return None
        if op.name == "cat":
            return int(attribute(op, "dim"))
        if op.name not in ELEMENTWISE:
            return None
        found = {self._joint(each) for each in operands_of(op)} - {None}
        return found.pop() if len(found) == 1 else None

    def _is_partition(self, op: Operation) -> bool:
        """Whether parts of the tiles of an access are tiles of another partition."""
        made = self.definitions.get(id(operand(op, "view")))
        if made is None or made.name != "make_partition_view":
            return False
        return all(value_element(index) == "i32" for index in group(op, "index"))

    def _is_apart(self, value: Value) -> bool:
        if id(value) not in self.apart:
            self.apart[id(value)] = all(map(self._takes_parts, self.users.get(id(value), ())))
        return self.apart[id(value)]

    def _takes_parts(self, op: Operation) -> bool:
        if id(op) in self.slices or id(op) in self.stores:
            return True
        return self._has_parts(op) and self._is_apart(op.results[0])

    def _has_parts(self, op: Operation) -> bool:
        """Whether an operation can be repeated for parts of its result."""
        if op.name in LOADS:
            return is_weak(op) and ("view" not in op.operands or self._is_partition(op))
        return op.name in ELEMENTWISE | {"broadcast", "permute", "cat"}

    def _gives_parts(self, value: Value) -> bool:
        """Whether a part of a tile is made without it, and nothing is computed twice."""
        op = self.definitions.get(id(value))
        if op is None or not is_tile(value):
            return False
        if op.name == "constant":
            return shared_value(op) is not None
        return op.name in ("broadcast", "cat", "iota") or (self._has_parts(op) and self._is_apart(value))

    # --- parts ---

    def _part(self, value: Value, which: Slice) -> Value:
        if which.shape == value_shape(value):
            return value
        key = id(value), which
        if key not in self.made:
            self.made[key] = self._new_part(value, which)
        return self.made[key]

    def _new_part(self, value: Value, which: Slice) -> Value:
        op = self.definitions.get(id(value))
        if op is None or not self._gives_parts(value):
            return self._extracted(value, which)
        if op.name == "cat":
            return self._part_of_joined(op, which)
        return self._positions(op, which) if op.name == "iota" else self._repeated(op, which)

    def _put(self, op: Operation, other: Operation, behind: bool = False) -> Operation:
        """Places an operation before or behind another one."""
        op.line, op.location = other.line, other.location
        block = self.blocks[id(other)]
        at = next(i for i, each in enumerate(block.ops) if each is other)
        block.ops.insert(at + behind, op)
        self._know(op, block)
        return op

    def _repeated(self, op: Operation, which: Slice) -> Value:
        """A part of an operation's first result, of that operation."""
        operands = self._operands(op, which)
        results = [Value(Tile(op.results[0].type.element, which.shape), op.results[0].name)]
        if op.name in LOADS:  # what follows the load now follows one of its parts
            results.append(op.results[1])
            op.results[1] = Value(Token())
        return self._put(Operation(op.name, operands, op.attributes, results), op).results[0]

    def _operands(self, op: Operation, which: Slice) -> dict[str, list[Value]]:
        found = {name: [self._operand(op, v, which) for v in vs] for name, vs in op.operands.items()}
        if "view" in op.operands:
            made = self.definitions[id(operand(op, "view"))]
            kind = dataclasses.replace(made.results[0].type, tile=which.shape, steps=which.shape)
            smaller = Operation(made.name, made.operands, made.attributes, [Value(kind)])
            found["view"] = self._put(smaller, made, behind=True).results
            given = zip(group(op, "index"), made.results[0].type.tile, which.starts, which.shape, strict=True)
            found["index"] = [self._index(op, index, m // n, a // n) for index, m, a, n in given]
        return found

    def _operand(self, op: Operation, value: Value, which: Slice) -> Value:
        if not is_tile(value):
            return value
        if op.name == "broadcast":
            for dim, extent in enumerate(value_shape(value)):
                which = which.along(dim, 0, 1) if extent == 1 else which
        elif op.name == "permute":
            order = [int(d) for d in attribute(op, "permutation")]
            places = [order.index(d) for d in range(len(order))]
            which = Slice(*(tuple(each[p] for p in places) for each in (which.starts, which.shape)))
        return self._part(value, which)

    def _index(self, op: Operation, index: Value, parts: int, part: int) -> Value:
        """The index of a part, where an index of 32 bits counts tiles of so many parts."""
        known = self.definitions.get(id(index))
        if known is not None and known.name == "constant":
            return self._constant(op, _INDEX, int(unsigned(dense(known)).flat[0]) * parts + part)
        wide = Operation("exti", {"from": [index]}, {"signedness": "unsigned"}, [Value(_INDEX)])
        first = self._put(wide, op).results[0]
        for name, number in (("muli", parts), ("addi", part)):
            by = self._constant(op, _INDEX, number)
            sides = {"lhs": [first], "rhs": [by]}
            first = self._put(Operation(name, sides, {"overflow": "none"}, [Value(_INDEX)]), op).results[0]
        return first

    def _constant(self, op: Operation, kind: Tile, number: int) -> Value:
        return self._put(constant(number, kind), op).results[0]

    def _positions(self, op: Operation, which: Slice) -> Value:
        kind = Tile(op.results[0].type.element, which.shape)
        first = self._put(Operation("iota", {}, op.attributes, [Value(kind)]), op).results[0]
        sides = {"lhs": [first], "rhs": [self._constant(op, kind, which.starts[0])]}
        return self._put(Operation("addi", sides, {"overflow": "none"}, [Value(kind)]), op).results[0]

    def _part_of_joined(self, op: Operation, which: Slice) -> Value:
        dim, sides = int(attribute(op, "dim")), operands_of(op)
        start, count = which.starts[dim], which.shape[dim]
        half = value_shape(sides[0])[dim]
        if start + count <= half:
            return self._part(sides[0], which)
        if start >= half:
            return self._part(sides[1], which.along(dim, start - half, count))
        first, second = (self._part(each, which.along(dim, 0, half)) for each in sides)
        result = Value(Tile(op.results[0].type.element, which.shape))
        joined = Operation("cat", {"lhs": [first], "rhs": [second]}, op.attributes, [result])
        return self._put(joined, op).results[0]

    def _extracted(self, value: Value, which: Slice) -> Value:
        """A part of a tile that something needs as a whole."""
        numbers = [start // count for start, count in zip(which.starts, which.shape, strict=True)]
        kind, one = Tile(value.type.element, which.shape), Tile(Scalar("i32"), ())
        indices = [Operation("constant", {}, {"value": np.int32(n)}, [Value(one)]) for n in numbers]
        given = {"source": [value], "indices": [op.results[0] for op in indices]}
        extract = Operation("extract", given, {}, [Value(kind, value.name)])
        made = self.definitions.get(id(value))
        if made is None:
            block, at = self.blocks[id(value)], 0
        else:
            block = self.blocks[id(made)]
            at = next(i for i, each in enumerate(block.ops) if each is made) + 1
            extract.line, extract.location = made.line, made.location
        block.ops[at:at] = [*indices, extract]
        for op in (*indices, extract):
            self._know(op, block)
        return extract.results[0]

    def _divide_store(self, op: Operation) -> None:
        value = _stored(op)
        dim = self._joint(value)
        if dim is None:
            return
        half = value_shape(value)[dim] // 2
        whole = Slice((0,) * len(value_shape(value)), value_shape(value))
        for number in (0, 1):
            operands = self._operands(op, whole.along(dim, number * half, half))
            results = [Value(Token())] if number == 0 else op.results
            self._divide_store(self._put(Operation(op.name, operands, op.attributes, results), op))
        block = self.blocks[id(op)]
        block.ops[:] = [each for each in block.ops if each is not op]


def _stored(op: Operation) -> Value:
    return operand(op, "tile" if "view" in op.operands else "value")
