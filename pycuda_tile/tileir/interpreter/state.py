"""What a tile block knows while it runs: its values, its index and the order of its operations on memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycuda_tile.errors import UndefinedBehaviorError

from ..ir import Operation, Value
from ..reading import operands_of
from .order import Access, Order
from .program import Program
from .report import Report


class BlockState:
    """A tile block of a running program: its values.

    values:   by the identity of the model's value; what a load in waiting yields is an Access
    """

    def __init__(self, program: Program, index: tuple[int, int, int], order: Order):
        self.program, self.index, self.order = program, index, order
        self.values: dict[int, Any] = {}

    def get(self, value: Value) -> Any:
        """What a value is; a load that waits for its turn happens now."""
        found = self.values[id(value)]
        if isinstance(found, Access):
            found = self.values[id(value)] = found.finish()
        return found

    def operands(self, op: Operation) -> list:
        return [self.get(value) for value in operands_of(op)]

    def raw(self, op: Operation) -> list:
        """Operands as they are handed on, without need for what they are."""
        return [self.values[id(value)] for value in operands_of(op)]

    def bind(self, values: list[Value], to: Sequence[Any]) -> None:
        for value, what in zip(values, to, strict=True):
            self.values[id(value)] = what

    def report(self, op: Operation) -> Report:
        """What to call when `op` does what is undefined."""

        def report(kind: str, message: str) -> None:
            if self.program.raises:
                raise UndefinedBehaviorError(
                    f"{op}: block {self.index}: {message}",
                    kind=kind,
                    line=op.line,
                    block=self.index,
                )

        return report
