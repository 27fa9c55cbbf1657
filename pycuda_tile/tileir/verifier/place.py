"""What rules look at: an operation, where it stands, and the values that names of its row stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..ir import Block, Entry, Global, Operation, Value
from .table import Row


@dataclass
class Place:
    """An operation in a module.

    words:    what the rule at hand is about
    outer:    the operations around it, the innermost last
    block:    the block that it is in
    globals:  of the module, by name
    """

    op: Operation
    row: Row
    words: list[str]
    outer: list[Operation]
    block: Block
    entry: Entry
    globals: dict[str, Global]

    def values(self, *names: str) -> list[Value]:
        """The operands and results of these names, in their order; those that are left out are not there."""
        found: list[Value] = []
        for name in names:
            if name in self.op.operands:
                found.extend(self.op.operands[name])
            found.extend(self._results(name))
        return found

    def value(self, name: str) -> Value:
        return self.values(name)[0]

    def type(self, name: str) -> Any:
        return self.value(name).type

    def attribute(self, name: str, default: Any = None) -> Any:
        return self.op.attributes.get(name, default)

    def _results(self, name: str) -> list[Value]:
        for i, part in enumerate(self.row.results):
            if part.name == name:
                return self.op.results[i:] if part.most is None else self.op.results[i : i + 1]
        return []


def types(values: list[Value]) -> str:
    """Types for messages."""
    return ", ".join(str(value.type) for value in values) or "none"
