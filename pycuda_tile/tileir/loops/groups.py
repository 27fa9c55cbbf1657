"""groups: which neighbouring operations of a block become one nest of loops.

What works on single elements is moved in front of a group where it does not depend on it. Operations of which
there is no rule stand between groups, and run on whole tiles. So do those on tiles that are no larger than a
strip, which compilers keep in registers anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..ir import TERMINATORS, Block, Operation, Value, walk
from ..lower.tiles import shared_value
from ..reading import attribute, operands_of
from .facts import (
    ELEMENTWISE,
    FOLDS,
    LOADS,
    SHAPES,
    SOURCES,
    STORES,
    UPDATES,
    captured,
    data_of,
    has_tiles,
    is_pure,
    is_scalar,
    is_small,
    is_tile,
    is_weak,
)
from .fallback import Fallback
from .stages import Nest, plan

Item = Operation | Nest


@dataclass
class Uses:
    """Which operations use a value, by the value's identity. What the regions of a reduction use, it uses.
    Also the operations that join tokens, by their results."""

    users: dict[int, set[int]] = field(default_factory=dict)
    joins: dict[int, Operation] = field(default_factory=dict)  # of tokens

    @staticmethod
    def of(body: Block) -> Uses:
        found = Uses()
        for op in walk(body):
            for value in [*operands_of(op), *captured(op)]:
                found.users.setdefault(id(value), set()).add(id(op))
            if op.name == "join_tokens":
                found.joins[id(op.results[0])] = op
        return found

    def outside(self, ops: list[Operation]) -> list[Value]:
        """The results of operations that others use."""
        own = {id(op) for op in ops}
        own |= {id(inner) for op in ops for block in op.regions if block is not None for inner in walk(block)}
        results = [value for op in ops for value in op.results if is_tile(value) or is_scalar(value)]
        return [value for value in results if self.users.get(id(value), set()) - own]


def split(ops: list[Operation], uses: Uses, note: Callable[[Fallback], None]) -> list[Item]:
    """The operations of a block in order, with groups as nests. `note` gets the reasons why operations are
    not fused."""
    items: list[Item] = []
    current: list[Operation] = []
    made: set[int] = set()  # results of the current group

    def end() -> None:
        items.extend(_nests(current, uses, note))
        current.clear()
        made.clear()

    for op in ops:
        depends = any(id(value) in made for value in [*data_of(op), *captured(op)])
        if _is_fusible(op, uses) or (depends and op.name in ELEMENTWISE | SHAPES and not has_tiles(op)):
            current.append(op)
            made |= {id(value) for value in op.results}
        elif not depends and _may_precede(op, current):
            items.append(op)
        else:
            end()
            items.append(op)
            if not is_small(op) and op.name not in (*TERMINATORS, "if", "for", "loop"):
                note(Fallback(op, "there is no rule for it"))
    end()
    return items


def _is_fusible(op: Operation, uses: Uses) -> bool:
    if not has_tiles(op):
        return False
    if op.name in UPDATES:
        relaxed = attribute(op, "memory_ordering_semantics") == "relaxed"
        return relaxed and not uses.users.get(id(op.results[0]))
    if op.name in FOLDS:
        return len(operands_of(op)) == 1 and is_pure(op) and not any(is_tile(value) for value in captured(op))
    if op.name == "constant":
        return shared_value(op) is not None
    return op.name in ELEMENTWISE | SHAPES | SOURCES | LOADS | STORES


def _may_precede(op: Operation, group: list[Operation]) -> bool:
    """Whether an operation that needs nothing of a group may run before it."""
    if has_tiles(op):
        return False
    if is_pure(op):
        return True
    return op.name in LOADS and is_weak(op) and not any(member.name in STORES for member in group)


def _nests(ops: list[Operation], uses: Uses, note: Callable[[Fallback], None]) -> list[Item]:
    """Nests for operations that stand together, and the operations of which there is none."""
    items: list[Item] = []
    reasons: dict[int, Fallback] = {}
    for part in _parts(ops):
        if all(map(is_small, part)):
            items.extend(part)
            continue
        while part:
            nest = _longest(part, uses, reasons)
            taken = len(nest.ops) if nest is not None else 1
            if nest is not None and _is_worth_it(nest):
                items.append(nest)
            else:
                for op in part[:taken]:
                    if id(op) in reasons and not is_small(op):
                        note(reasons[id(op)])
                items.extend(part[:taken])
            part = part[taken:]
    return items


def _longest(ops: list[Operation], uses: Uses, reasons: dict[int, Fallback]) -> Nest | None:
    """A nest for as many of the first operations as fit together; `reasons` gets why the next does not."""
    taken = ops
    while taken:
        try:
            return plan(taken, uses.outside(taken), uses.joins)
        except Fallback as error:
            reasons[id(error.op)] = error
            taken = taken[: next(i for i, op in enumerate(taken) if op is error.op)]
    return None


def _parts(ops: list[Operation]) -> list[list[Operation]]:
    """Operations that depend on each other, in the order of the program; all of them, if parts would reorder
    accesses of which one is a store."""
    parts: list[list[Operation]] = []
    values: list[set[int]] = []
    for op in ops:
        own = {id(value) for value in [*data_of(op), *op.results] if is_tile(value) or is_scalar(value)}
        own &= {id(value) for each in ops for value in each.results}
        joined = [i for i, known in enumerate(values) if known & own]
        for i in joined[:0:-1]:
            parts[joined[0]] += parts.pop(i)
            values[joined[0]] |= values.pop(i)
        if joined:
            parts[joined[0]].append(op)
            values[joined[0]] |= own
        else:
            parts.append([op])
            values.append(own)
    place = {id(op): i for i, op in enumerate(ops)}
    for part in parts:
        part.sort(key=lambda op: place[id(op)])
    flat = [op for part in parts for op in part if op.name in LOADS or op.name in STORES]
    ordered = [place[id(op)] for op in flat]
    if any(op.name in STORES for op in flat) and ordered != sorted(ordered):
        return [ops]
    return parts


def _is_worth_it(nest: Nest) -> bool:
    """Whether loops spare a tile: one that is computed or loaded, and needed by the group alone."""
    outputs = {id(value) for value in nest.outputs}
    return any(
        op.results
        and (op.name not in SOURCES | SHAPES or op.name == "broadcast")
        and is_tile(op.results[0])
        and id(op.results[0]) not in outputs
        for op in nest.ops
    )
