"""Fallback: why some operations are not fused."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import Operation
from ..locations import place_in_source

#: Why a kernel runs operation by operation although there are rules: as loops it would not be faster.
NOTHING = "no loops that operations could share"
IN_REGISTERS = "loops or arrays of its own, of what the host's compiler keeps in registers"
DIVIDES = "a division of integers, which ends a launch if it is by zero"
NEEDLESS = {NOTHING, IN_REGISTERS, DIVIDES}


class Fallback(Exception):
    """There is no rule for fusing an operation with those before it. The message says why, and names the
    user's line if that is known.

    by_order:  it only must follow them
    on_tiles:  there is a rule: it runs on whole tiles
    alike:     operations behind it of which the same is true
    """

    def __init__(
        self,
        op: Operation,
        reason: str,
        *,
        by_order: bool = False,
        on_tiles: bool = False,
        alike: Sequence[Operation] = (),
    ):
        super().__init__(f"{place_of(op)}{op.name}: {reason}")
        self.op = op
        self.reason = reason
        self.by_order = by_order
        self.on_tiles = on_tiles
        self.alike = alike

    def of_each(self) -> list[Fallback]:
        """One for each of the operations."""
        others = (
            Fallback(op, self.reason, by_order=self.by_order, on_tiles=self.on_tiles) for op in self.alike
        )
        return [self, *others]


def place_of(op: Operation) -> str:
    """Where an operation comes from, for the beginning of a message; "" if that is not known."""
    if place := place_in_source(op.location):
        return f"{place.file}:{place.line}: "
    return f"line {op.line}: " if op.line else ""
