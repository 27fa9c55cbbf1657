"""if conversion: a conditional that chooses between a tile which the operations before it make and what cheap
operations make of it becomes these operations and a `select`.

So masks that only some rounds of a loop need, as those of causal attention, are applied in the loops that
make the tile. A conditional that saves work stays: one that leaves a tile as a loop carries it, say.
"""

from __future__ import annotations

from ..ir import Block, Operation, Scalar, Tile, Value
from ..reading import operands_of, optional_region, region, value_shape
from .facts import CHEAP, COSTS, ELEMENTWISE, SHAPES, SOURCES, blocks, captured, is_tile

#: What may be computed in vain. Divisions by zero, which end programs, are not cheap either.
_CHEAP = {name for name in ELEMENTWISE | SHAPES | SOURCES if COSTS.get(name, 1) <= CHEAP}
#: Of operations on tiles in both branches. More of them take longer than a tile's way through the caches.
_MOST = 8


def convert_ifs(body: Block) -> None:
    """Replaces such conditionals in a kernel."""
    for block in list(blocks(body)):
        users: dict[int, set[int]] = {}
        for op in block.ops:
            for value in [*operands_of(op), *captured(op)]:
                users.setdefault(id(value), set()).add(id(op))
        made = {id(value): op for op in block.ops for value in op.results}
        ops: list[Operation] = []
        for op in block.ops:
            ops += _converted(op) if _is_convertible(op, made, users) else [op]
        block.ops[:] = ops


def _is_convertible(op: Operation, made: dict[int, Operation], users: dict[int, set[int]]) -> bool:
    if op.name != "if" or not op.results or optional_region(op, 1) is None:
        return False
    branches = [region(op, i).ops for i in (0, 1)]
    work = [each for branch in branches for each in branch[:-1]]
    if not all(branch and branch[-1].name == "yield" for branch in branches):
        return False
    if not all(each.name in _CHEAP and not each.regions for each in work):
        return False
    if sum(each.name in ELEMENTWISE and any(map(is_tile, each.results)) for each in work) > _MOST:
        return False

    def is_on_its_way(value: Value) -> bool:
        before = made.get(id(value))
        return before is not None and before.name in ELEMENTWISE and users[id(value)] == {id(op)}

    pairs = zip(*(operands_of(branch[-1]) for branch in branches), strict=True)
    return all(is_tile(one) and any(map(is_on_its_way, (one, other))) for one, other in pairs)


def _converted(op: Operation) -> list[Operation]:
    """Both branches, and what chooses between their results."""
    (*then, yes), (*otherwise, no) = region(op, 0).ops, region(op, 1).ops
    ops = [*then, *otherwise]
    (condition,) = operands_of(op)

    def add(name: str, operands: dict[str, list[Value]], result: Value) -> Value:
        ops.append(Operation(name, operands, {}, [result], [], op.line, op.location))
        return result

    for one, other, result in zip(operands_of(yes), operands_of(no), op.results, strict=True):
        shape = value_shape(result)
        single = add("reshape", {"source": [condition]}, Value(Tile(Scalar("i1"), (1,) * len(shape))))
        whole = add("broadcast", {"source": [single]}, Value(Tile(Scalar("i1"), shape)))
        sides = {"cond": [whole], "val_if_true": [one], "val_if_false": [other]}
        add("select", sides, result)
    return ops
