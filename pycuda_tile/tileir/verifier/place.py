"""What rules examine: an operation, its position, and the values that the names in its row stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..grammar import OperationRow
from ..ir import Block, Entry, Global, Operation, Value


@dataclass
class Place:
    """An operation in a module.

    words:    the arguments of the current rule
    outer:    the enclosing operations, innermost last
    block:    the block that it is in
    globals:  the globals of the module, by name
    """

    op: Operation
    row: OperationRow
    words: tuple[str, ...]
    outer: list[Operation]
    block: Block
    entry: Entry
    globals: dict[str, Global]

    def values(self, *names: str) -> list[Value]:
        """The operands and results with these names, in order, without those that are left out."""
        found: list[Value] = []
        for name in names:
            if name in self.op.operands:
                found.extend(self.op.operands[name])
            found.extend(named_results(self.op, self.row, name))
        return found

    def value(self, name: str) -> Value:
        return self.values(name)[0]

    def type(self, name: str) -> Any:
        return self.value(name).type

    def attribute(self, name: str, default: Any = None) -> Any:
        return self.op.attributes.get(name, default)


def named_results(op: Operation, row: OperationRow, name: str) -> list[Value]:
    """The results that a name stands for; none if it is the name of an operand."""
    if name not in row.results:
        return []
    first = list(row.results).index(name)
    return op.results[first:] if row.results[name].most is None else op.results[first : first + 1]


def types(values: list[Value]) -> str:
    """Formats types for messages."""
    return ", ".join(str(value.type) for value in values) or "none"
