"""Rules for every operation: which parts it has, of which kinds, and that values are defined before use.

Functions return what they found if a rule is broken, or yield it with the rule's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..grammar import ENUMS, OperationRow
from ..ir import TERMINATORS, Block, Constant, Operation, Value
from ..versions import Version, dotted
from . import legal
from .place import named_results

Problem = tuple[str, str]
_NAME = re.compile(r"[A-Za-z_][\w$.]*")


def problems(op: Operation, row: OperationRow, visible: set[Value], version: Version) -> Iterator[Problem]:
    if row.since > version:
        yield "since", f"{dotted(row.since)} in a module of version {dotted(version)}"
    yield from _operands(op, row)
    yield from _results(op, row)
    for name, values in op.operands.items():
        for value in values:
            if value not in visible:
                yield "visible", f"{name} of type {value.type}"
    yield from _attributes(op, row)
    yield from _kinds(op, row)
    for value in op.results:
        found = type_legal(value, version)
        if found is not None:
            yield "type_legal", found


def _operands(op: Operation, row: OperationRow) -> Iterator[Problem]:
    for name in op.operands:
        if name not in row.operands and op.operands[name]:
            yield "operand_count", f"an operand {name}"
    for name, wanted in row.operands.items():
        count = len(op.operands.get(name, []))
        if count < wanted.least or (wanted.most is not None and count > wanted.most):
            yield "operand_count", f"{count} for {name}"


def _results(op: Operation, row: OperationRow) -> Iterator[Problem]:
    least = sum(wanted.least for wanted in row.results.values())
    if len(op.results) < least or (len(op.results) > len(row.results) and not row.any_results):
        yield "result_count", f"{len(op.results)}"


def _attributes(op: Operation, row: OperationRow) -> Iterator[Problem]:
    for name, value in op.attributes.items():
        if name not in row.attributes and value:
            yield "attribute_known", f"an attribute {name}"
    for name, (kind, is_optional) in row.attributes.items():
        value = op.attributes.get(name)
        if value is None:
            if not is_optional:
                yield "attribute_given", f"no {name}"
        elif not _is(value, kind):
            yield "attribute_value", f"{name} = {value!r:.60}"


def _is(value: Any, kind: str) -> bool:
    if kind.startswith("enum:"):
        return value in ENUMS[kind[5:]]
    if kind == "int":
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if kind in ("bool", "unit"):
        return isinstance(value, (bool, np.bool_))
    if kind == "string":
        return isinstance(value, str)
    if kind in ("i32s", "bools", "array"):
        return isinstance(value, (list, tuple))
    return are_hints(value) if kind == "hints" else True


def are_hints(found: Any) -> bool:
    """Whether these are hints: for each architecture, names with a number, a bool or a string."""
    if not isinstance(found, dict) or not all(isinstance(inner, dict) for inner in found.values()):
        return False
    names = [*found, *(name for inner in found.values() for name in inner)]
    values = [value for inner in found.values() for value in inner.values()]
    named = all(isinstance(name, str) and _NAME.fullmatch(name) for name in names)
    return named and all(isinstance(value, (Constant, bool, str)) for value in values)


def _kinds(op: Operation, row: OperationRow) -> Iterator[Problem]:
    for name, kind in row.kinds.items():
        for value in [*op.operands.get(name, []), *named_results(op, row, name)]:
            if not kind.fits(value.type):
                yield "kind", f"{name} of type {value.type}, where {kind} is expected"


def type_legal(value: Value, version: Version) -> str | None:
    """What is wrong with the type of a value, considered by itself."""
    found = legal.wrong(value.type)
    if found is None and legal.since(value.type) > version:
        return f"{value.type} in a module of version {dotted(version)}"
    return found


def new(values: Sequence[Value], visible: set[Value]) -> str | None:
    """Values that have already been defined."""
    seen: set[Value] = set()
    for value in values:
        if value in visible or value in seen:
            return str(value.type)
        seen.add(value)
    return None


def ends(block: Block) -> str | None:
    """How a block ends, if not with the required terminator."""
    last = block.ops[-1].name if block.ops else "nothing"
    return None if last in TERMINATORS else last
