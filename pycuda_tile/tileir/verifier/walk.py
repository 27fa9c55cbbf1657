"""Walks a module, operation by operation, and applies the rules in each operation's row."""

from __future__ import annotations

from typing import Any, NoReturn

from ..grammar import MEANINGS, OperationRow, find_operation
from ..ir import MAX_NESTING, Block, Entry, Global, Operation, Value
from ..module import Module
from . import control, general, memory, modules, numbers, shapes, structure
from .errors import VerifyError
from .place import Place

_FAMILIES = (general, numbers, shapes, memory, control)
#: Rules of tables/rules.tsv that `structure` and `modules` call themselves.
_RULES = {name: getattr(family, name) for family in _FAMILIES for name in MEANINGS if name in family.__dict__}


class Walk:
    """One verification. Raises VerifyError at the first rule that is broken."""

    def __init__(self, module: Module):
        self.module = module
        self.globals: dict[str, Global] = {}
        self.visible: set[Value] = set()
        self.outer: list[Operation] = []
        self.path: list[int] = []

    def run(self) -> None:
        try:
            self._module()
        except RecursionError:
            found = f"{len(self.outer)} levels, which is too deep for Python's stack"
            raise VerifyError("module", "module", "depth", meaning("depth", []), found) from None

    def _module(self) -> None:
        names: set[str] = set()
        self._owner("module", "", modules.module(self.module))
        for item in self.module.globals:
            self._owner("global", f"global {item.name}", modules.variable(item, names, self.module.version))
            self.globals[item.name] = item
        for entry in self.module.entries:
            self._owner("entry", f"entry {entry.name}", modules.entry(entry, names))
            self._entry(entry)

    def _owner(self, op: str, where: str, problems: Any) -> None:
        for rule, found in problems:
            raise VerifyError(op, where or "module", rule, meaning(rule, []), found)

    def _entry(self, entry: Entry) -> None:
        self.entry, self.visible, self.outer, self.path = entry, set(), [], []
        self._block(entry.body, None)

    def _block(self, block: Block, op: Operation | None) -> None:
        """Checks a block of `op`, or of the entry if that is None."""
        added = list(block.arguments)
        self._check("defined_once", op, structure.new(added, self.visible))
        for value in added:
            self._check("type_legal", op, structure.type_legal(value, self.module.version))
        self.visible.update(added)
        self.path.append(0)
        for inner in block.ops:
            self.path[-1] += 1
            self._operation(inner, block)
            added.extend(inner.results)
        self._check("block_ends", op, structure.ends(block))
        self.path.pop()
        self.visible.difference_update(added)

    def _operation(self, op: Operation, block: Block) -> None:
        row = find_operation(op.name)
        if row is None or op.name in ("entry", "global", "module"):
            self._fail("operation", op, op.name)
        for rule, found in structure.problems(op, row, self.visible, self.module.version):
            self._fail(rule, op, found)
        place = Place(op, row, (), self.outer, block, self.entry, self.globals)
        self._rules(place, row)
        if len(self.outer) >= MAX_NESTING:
            self._fail("depth", op, f"{len(self.outer) + 1} levels")
        self.outer.append(op)
        for region in op.regions:
            if region is not None:
                self._block(region, op)
        self.outer.pop()
        self._check("defined_once", op, structure.new(op.results, self.visible))
        self.visible.update(op.results)

    def _rules(self, place: Place, row: OperationRow) -> None:
        for rule, *words in row.rules:
            place.words = tuple(words)
            found = _RULES[rule](place)
            if found is not None:
                self._fail(rule, place.op, found, words)

    def _check(self, rule: str, op: Operation | None, found: str | None) -> None:
        if found is not None:
            self._fail(rule, op, found)

    def _fail(self, rule: str, op: Operation | None, found: str, words: Any = ()) -> NoReturn:
        name = op.name if op else "entry"
        steps = [str(number) for number in self.path]
        path = ".".join(steps if len(steps) < 20 else [*steps[:8], "", *steps[-8:]])
        where = f"entry {self.entry.name}" + (f", operation {path}" if op else "")
        raise VerifyError(name, op.line if op and op.line else where, rule, meaning(rule, words), found)


def meaning(rule: str, words: Any) -> str:
    """What a rule of rules.tsv asks for, with the words of an operation's row."""
    first, last = (words[0], words[-1]) if words else ("", "")
    return MEANINGS.get(rule, rule).format(names=", ".join(words), first=first, last=last)
