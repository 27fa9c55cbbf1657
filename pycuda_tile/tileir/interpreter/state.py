"""The state of a running tile block: its values, its index and the order of its operations on memory."""

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
    """A tile block of a running program.

    values:   by the identity of the model's value; the result of a pending load is an Access
    """

    def __init__(self, program: Program, index: tuple[int, int, int], order: Order):
        self.program, self.index, self.order = program, index, order
        self.values: dict[int, Any] = {}

    def get(self, value: Value) -> Any:
        """The data of a value; performs a pending load."""
        found = self.values[id(value)]
        if isinstance(found, Access):
            found = self.values[id(value)] = found.finish()
        return found

    def operands(self, op: Operation) -> list:
        return [self.get(value) for value in operands_of(op)]

    def raw(self, op: Operation) -> list:
        """Operands to pass on, without performing pending loads."""
        return [self.values[id(value)] for value in operands_of(op)]

    def bind(self, values: list[Value], to: Sequence[Any]) -> None:
        for value, what in zip(values, to, strict=True):
            self.values[id(value)] = what

    def report(self, op: Operation) -> Report:
        """The function to call when `op` has undefined behaviour."""

        def report(kind: str, message: str) -> None:
            if self.program.raises:
                raise UndefinedBehaviorError(
                    f"{op}: block {self.index}: {message}",
                    kind=kind,
                    line=op.line,
                    block=self.index,
                )

        return report
