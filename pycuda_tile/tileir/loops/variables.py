"""variables: which tiles that control flow passes on are held in one variable, so that they are not copied.

The results of `if` and of loops, and what loops carry, are variables in C++, and terminators assign to them.
Two of which one is assigned to the other are one variable, unless one is still needed when the other gets a
value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..ir import Block, Operation, Value
from ..reading import operands_of, region
from .facts import captured, is_tile

_Needed = frozenset[int]


@dataclass(frozen=True)
class _Ends:
    """What the terminators of a block assign to, and which tiles are needed afterwards."""

    assigned: dict[str, list[Value]]
    needed: dict[str, _Needed]


class Variables:
    """The variables of a kernel.

    assigned:  what a terminator assigns to, by its identity
    """

    def __init__(self, body: Block):
        self.assigned: dict[int, list[Value]] = {}
        self._values: dict[int, Value] = {}
        self._members: dict[int, set[int]] = {}  # of a variable, which each of them has
        self._apart: set[tuple[int, int]] = set()
        self._copies: dict[tuple[int, int], None] = {}
        self._block(body, frozenset(), _Ends({}, {}))
        for one, other in self._copies:
            self._join(one, other)

    def shared(self) -> dict[int, int]:
        """A number for each variable that several values share, by their identities."""
        return {key: id(held) for key, held in self._members.items() if len(held) > 1}

    def members(self, value: Value) -> set[int]:
        """The values that are held in a value's variable."""
        return self._members.get(id(value), set())

    def is_left_alone(self, value: Value, ops: Iterable[Operation]) -> bool:
        """Whether operations neither read a value's variable nor assign to it."""
        members = self.members(value)
        return not any(_touched(op) & members for op in ops)

    # --- what is needed when ---

    def _block(self, block: Block, needed: _Needed, ends: _Ends) -> _Needed:
        """The tiles that are needed before a block, if these are needed where it ends."""
        for op in reversed(block.ops):
            if op.name in ends.assigned or op.name == "return":
                self.assigned[id(op)] = ends.assigned.get(op.name, [])
                self._copy(operands_of(op), self.assigned[id(op)])
                needed = ends.needed.get(op.name, frozenset())
            elif op.name == "if":
                needed = self._conditional(op, needed, ends)
            elif op.name in ("for", "loop"):
                needed = self._loop(op, needed)
            needed = (needed - _tiles(op.results)) | _tiles([*operands_of(op), *captured(op)])
        return needed

    def _conditional(self, op: Operation, after: _Needed, ends: _Ends) -> _Needed:
        self._define(op.results, after)
        after -= _tiles(op.results)
        inner = replace(
            ends, assigned={**ends.assigned, "yield": op.results}, needed={**ends.needed, "yield": after}
        )
        found = [self._block(block, after, inner) for block in op.regions if block is not None and block.ops]
        return frozenset[int]().union(*found, *([] if len(found) == 2 else [after]))

    def _loop(self, op: Operation, after: _Needed) -> _Needed:
        body, counts = region(op, 0), op.name == "for"
        carried, starts = body.arguments[counts:], operands_of(op)[3 * counts :]
        self._define(op.results, after)
        after -= _tiles(op.results)
        again: _Needed = after if counts else frozenset()
        before = None
        while before != again:
            before = again
            ends = _Ends({"continue": carried, "break": op.results}, {"continue": again, "break": after})
            again |= self._block(body, again, ends) - _tiles(body.arguments)
        self._define(carried, again)
        if counts:  # its results are what it carries
            for one, other in zip(carried, op.results, strict=True):
                if is_tile(one):
                    self._members[id(one)] = self._members[id(other)] = {id(one), id(other)}
        self._copy(starts, carried)
        return again

    def _define(self, values: list[Value], needed: _Needed) -> None:
        """Values get what they hold where others are needed."""
        for value in filter(is_tile, values):
            self._values[id(value)] = value
            self._members.setdefault(id(value), {id(value)})
            for other in (needed | _tiles(values)) - {id(value)}:
                self._apart |= {(id(value), other), (other, id(value))}

    def _copy(self, values: list[Value], to: list[Value]) -> None:
        pairs = zip(values, to, strict=True)
        self._copies.update(((id(value), id(other)), None) for value, other in pairs if is_tile(other))

    def _join(self, one: int, other: int) -> None:
        left, right = self._members.get(one), self._members.get(other)
        if left is None or right is None or left is right:
            return
        if self._values[one].type != self._values[other].type:
            return
        if not any((a, b) in self._apart for a in left for b in right):
            left |= right
            self._members.update(dict.fromkeys(right, left))


def _tiles(values: Iterable[Value]) -> _Needed:
    return frozenset(id(value) for value in values if is_tile(value))


def _touched(op: Operation) -> set[int]:
    """The values that an operation, or one within it, uses or makes."""
    found = {id(value) for value in [*operands_of(op), *op.results]}
    for block in op.regions:
        if block is not None:
            found |= {id(value) for value in block.arguments}
            found |= set().union(*map(_touched, block.ops))
    return found
