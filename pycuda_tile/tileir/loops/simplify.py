"""simplify: a copy of a kernel that is easier to fuse.

-  Promises (`assume`) are left out, and i1 values that were widened only to be compared with zero are used as
   they are.
-  Arrays of a kernel's own that only hold a constant become that constant (tables.py).
-  Products with scales or with sums of half become products without (expand.py).
-  Integers that are widened, added and cut off again are added as they are (narrow.py).
-  Tiles to which each round of a loop adds the same everywhere become numbers (induction.py).
-  Conditionals that choose between tiles which are made anyway become `select` (if_conversion.py).
-  Numbers made of tiles of bools become a `select` between two constants, for which comparisons are masks.
-  What the mask of an access chooses among its own addresses, as in `p + select(i < n, i, 0)`, is no choice.
-  Tiles of which only slices are used, and joined tiles that are stored, become smaller tiles (parts.py).
-  Equal computations on single elements, views among them, become one, so that equal values are the same.
-  Constant tiles, positions (`iota`) and what is cheaply made of them are computed anew for each use: shared
   by a row and a column, they would make the two one axis. What is left of them outside of loops is shared
   again (translate.py).
-  Operations whose results nothing uses are left out, weak loads among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..elements import bits_of
from ..ir import Block, Entry, Operation, Value, walk
from ..reading import attribute, dense, operands_of, optional_operand, value_element
from .expand import expand
from .facts import LOADS, SHAPES, SOURCES, blocks, has_tiles, is_pure, is_scalar, is_tile, is_weak
from .if_conversion import convert_ifs
from .induction import carry_numbers, constant
from .narrow import narrow
from .parts import divide
from .tables import keep_tables

#: Light enough to be repeated where their operands are.
LIGHT = frozenset(
    {
        *("reshape", "broadcast", "permute", "addi", "subi", "muli", "exti", "trunci", "offset", "cmpi"),
        *("andi", "ori", "xori", "shli", "shri"),
    }
)
#: What addresses are made by, element by element.
_OF_ADDRESSES = frozenset({"select", "addi", "subi", "muli", "exti", "offset", "ptr_to_ptr"})


def simplify(entry: Entry, constants: Mapping[str, int] = {}) -> Entry:
    """constants: the number of elements of each global that no kernel changes"""
    body = _Copy().block(entry.body)
    keep_tables(body, constants)
    expand(body)
    narrow(body)
    convert_ifs(body)
    carry_numbers(body)
    _select_numbers(body)
    _choose(body)
    divide(body)
    _share(body, {})
    _repeat(body)
    _drop_unused(body)
    return Entry(entry.name, body, entry.hints, entry.location, entry.expression, entry.others)


class _Copy:
    """Copies blocks, and replaces values by equal ones on the way."""

    def __init__(self) -> None:
        self.values: dict[int, Value] = {}
        self.definitions: dict[int, Operation] = {}

    def value(self, value: Value) -> Value:
        if id(value) not in self.values:
            self.values[id(value)] = Value(value.type, value.name)
        return self.values[id(value)]

    def block(self, block: Block) -> Block:
        arguments = [self.value(argument) for argument in block.arguments]
        ops = []
        for op in block.ops:
            operands = {name: [self.value(v) for v in values] for name, values in op.operands.items()}
            copied = Operation(op.name, operands, op.attributes, [], [], op.line, op.location)
            same = self._same(copied)
            if same is not None:
                self.values[id(op.results[0])] = same
                continue
            copied.results = [self.value(result) for result in op.results]
            copied.regions = [None if inner is None else self.block(inner) for inner in op.regions]
            self.definitions.update((id(result), copied) for result in copied.results)
            ops.append(copied)
        return Block(arguments, ops)

    def _same(self, op: Operation) -> Value | None:
        """An earlier value that equals the result."""
        if op.name == "assume":
            return operands_of(op)[0]
        if op.name == "cmpi" and attribute(op, "comparison_predicate") == "not_equal":
            left, right = (self.definitions.get(id(value)) for value in operands_of(op))
            widened = left is not None and left.name == "exti"
            if widened and right is not None and right.name == "constant" and not dense(right).any():
                assert left is not None
                source = operands_of(left)[0]
                return source if value_element(source) == "i1" else None
        return None


def _select_numbers(body: Block) -> None:
    for block in blocks(body):
        block.ops[:] = [each for op in block.ops for each in (_selected(op) if _widens_bools(op) else [op])]


def _widens_bools(op: Operation) -> bool:
    """Whether an operation makes numbers of bools, which are bytes."""
    if op.name not in ("exti", "itof") or value_element(operands_of(op)[0]) != "i1":
        return False
    return is_tile(op.results[0]) and bits_of(value_element(op.results[0])) > 8


def _selected(op: Operation) -> list[Operation]:
    one = -1 if attribute(op, "signedness") == "signed" else 1
    yes, no = (constant(number, op.results[0].type) for number in (one, 0))
    sides = {"cond": operands_of(op), "val_if_true": yes.results, "val_if_false": no.results}
    return [yes, no, Operation("select", sides, {}, op.results, [], op.line, op.location)]


def _choose(body: Block) -> None:
    """Lets loads and stores have the addresses that `select` takes where their masks are true."""
    made = {id(value): op for op in walk(body) for value in op.results}

    def conditions(mask: Value) -> list[Value]:
        """The mask, and what it is the `and` of."""
        found = [mask]
        for each in found:
            op = made.get(id(each))
            if op is not None and op.name == "andi":
                found += [value for value in operands_of(op) if value not in found]
        return found

    def chosen(value: Value, true: list[Value], ops: list[Operation], known: dict[int, Value]) -> Value:
        if id(value) not in known:
            known[id(value)] = choose(value, true, ops, known)
        return known[id(value)]

    def choose(value: Value, true: list[Value], ops: list[Operation], known: dict[int, Value]) -> Value:
        op = made.get(id(value))
        if op is None or op.name not in _OF_ADDRESSES:
            return value
        if op.name == "select":
            condition, first, _ = operands_of(op)
            return chosen(first, true, ops, known) if condition in true else value
        operands = {
            name: [chosen(v, true, ops, known) for v in values] for name, values in op.operands.items()
        }
        if operands == op.operands:
            return value
        result = Value(value.type, value.name)
        ops.append(Operation(op.name, operands, op.attributes, [result], [], op.line, op.location))
        made[id(result)] = ops[-1]
        return result

    for block in blocks(body):
        ops: list[Operation] = []
        for op in block.ops:
            name = {"load_ptr_tko": "source", "store_ptr_tko": "destination"}.get(op.name, "")
            mask = optional_operand(op, "mask") if name else None
            if mask is not None:
                true, known = conditions(mask), dict[int, Value]()
                op.operands[name] = [chosen(value, true, ops, known) for value in op.operands[name]]
            ops.append(op)
        block.ops[:] = ops


def _share(block: Block, known: dict[Any, Operation]) -> None:
    """Makes equal computations without tiles one, in a block and those inside it."""
    known = dict(known)
    same: dict[int, Value] = {}
    for op in list(block.ops):
        _replace(op, same)
        if is_pure(op) and not has_tiles(op) and not op.regions:
            earlier = known.setdefault(computation(op), op)
            if earlier is not op:
                same |= {id(r): e for r, e in zip(op.results, earlier.results, strict=True)}
                block.ops.remove(op)
                continue
        for inner in op.regions:
            if inner is not None:
                _share(inner, known)


def _replace(op: Operation, same: dict[int, Value]) -> None:
    if not same:
        return
    for name, values in op.operands.items():
        op.operands[name] = [same.get(id(value), value) for value in values]
    for block in op.regions:
        for inner in block.ops if block is not None else ():
            _replace(inner, same)


def computation(op: Operation, same: Mapping[int, int] = {}) -> Any:
    """Equal for operations that compute the same. `same` has values that equal others, by identity."""
    attributes = tuple(
        (name, (str(value.dtype), value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value)
        for name, value in sorted(op.attributes.items())
        if name != "overflow"
    )
    operands = tuple(
        (name, tuple(same.get(id(each), id(each)) for each in values)) for name, values in op.operands.items()
    )
    return op.name, repr(attributes), operands, tuple(result.type for result in op.results)


def may_be_repeated(op: Operation) -> bool:
    """Whether a tile is no more than positions, constants and what is cheaply made of such."""
    return bool(op.results) and is_tile(op.results[0]) and op.name in SOURCES | LIGHT


def _repeat(block: Block) -> None:
    """Copies what is light in front of each use."""
    light: dict[int, Operation] = {}

    def is_light(op: Operation) -> bool:
        if not may_be_repeated(op) or op.name in SOURCES:
            return may_be_repeated(op)
        return all(is_scalar(value) or id(value) in light for value in operands_of(op))

    def copy(value: Value, ops: list[Operation], copies: dict[int, Value]) -> Value:
        """`copies` has those that have the same axes whatever uses them."""
        op = light.get(id(value))
        if op is None:
            return value
        if id(value) not in copies:
            inner = {} if op.name in SHAPES else copies
            operands = {name: [copy(v, ops, inner) for v in values] for name, values in op.operands.items()}
            result = copies[id(value)] = Value(value.type, value.name)
            ops.append(Operation(op.name, operands, op.attributes, [result], [], op.line, op.location))
        return copies[id(value)]

    def visit(inner: Block) -> None:
        ops: list[Operation] = []
        for op in inner.ops:
            if is_light(op):
                light[id(op.results[0])] = op
                continue
            for name, values in op.operands.items():
                op.operands[name] = [copy(value, ops, {}) for value in values]
            for region in op.regions:
                if region is not None:
                    visit(region)
            ops.append(op)
        inner.ops[:] = ops

    visit(block)


def _drop_unused(block: Block) -> None:
    uses: Counter[int] = Counter()

    def count(op: Operation) -> None:
        uses.update(id(value) for value in operands_of(op))

    def visit(inner: Block) -> None:
        """From the last operation to the first, so that what only unused operations use is unused as well."""
        kept = []
        for op in reversed(inner.ops):
            read_only = op.name in LOADS and is_weak(op)
            if (is_pure(op) or read_only) and not any(uses[id(result)] for result in op.results):
                continue
            for region in op.regions:
                if region is not None:
                    visit(region)
            count(op)
            kept.append(op)
        inner.ops[:] = kept[::-1]

    visit(block)
