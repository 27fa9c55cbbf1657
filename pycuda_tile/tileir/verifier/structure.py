"""Rules that every operation has: what is there, of which kind, and values defined before they are used.

Functions return, or yield with the rule's name, what they found where a rule is broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..ir import Block, Operation, Value
from . import kinds, legal
from .control import TERMINATORS
from .table import Part, Row, enumerators

Problem = tuple[str, str]


def problems(op: Operation, row: Row, visible: set[Value], version: tuple[int, int]) -> Iterator[Problem]:
    if row.since > version:
        yield "since", f"{_dots(row.since)} in a module of version {_dots(version)}"
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


def _dots(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def _operands(op: Operation, row: Row) -> Iterator[Problem]:
    for name in op.operands:
        if name not in {part.name for part in row.operands} and op.operands[name]:
            yield "operand_count", f"an operand {name}"
    for part in row.operands:
        count = len(op.operands.get(part.name, []))
        if count < part.least or (part.most is not None and count > part.most):
            yield "operand_count", f"{count} for {part.name}"


def _results(op: Operation, row: Row) -> Iterator[Problem]:
    least = sum(part.least for part in row.results)
    any_number = any(part.most is None for part in row.results)
    if len(op.results) < least or (len(op.results) > least and not any_number):
        yield "result_count", f"{len(op.results)}"


def _attributes(op: Operation, row: Row) -> Iterator[Problem]:
    for name, value in op.attributes.items():
        if name not in row.attributes and value:
            yield "attribute_known", f"an attribute {name}"
    for name, kind in row.attributes.items():
        value = op.attributes.get(name)
        if value is None:
            if name not in row.optional:
                yield "attribute_given", f"no {name}"
        elif not _is(value, kind):
            yield "attribute_value", f"{name} = {value!r:.60}"


def _is(value: Any, kind: str) -> bool:
    if kind.startswith("enum:"):
        return value in enumerators()[kind[5:]]
    if kind == "int":
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if kind == "bool":
        return isinstance(value, (bool, np.bool_))
    if kind == "string":
        return isinstance(value, str)
    if kind in ("i32s", "bools", "array"):
        return isinstance(value, (list, tuple))
    return kinds.are_hints(value) if kind == "hints" else True


def _kinds(op: Operation, row: Row) -> Iterator[Problem]:
    for name, kind in row.kinds.items():
        for value in [*op.operands.get(name, []), *_named_results(op, row.results, name)]:
            if not kinds.fits(value.type, kind):
                yield "kind", f"{name} of type {value.type}, where {kinds.words(kind)} is wanted"


def _named_results(op: Operation, parts: list[Part], name: str) -> list[Value]:
    for i, part in enumerate(parts):
        if part.name == name:
            return op.results[i:] if part.most is None else op.results[i : i + 1]
    return []


def type_legal(value: Value, version: tuple[int, int]) -> str | None:
    """What is wrong with a value's type in itself."""
    found = legal.wrong(value.type)
    if found is None and legal.since(value.type) > version:
        return f"{value.type} in a module of version {_dots(version)}"
    return found


def new(values: Sequence[Value], visible: set[Value]) -> str | None:
    """Values that have been defined before."""
    seen: set[Value] = set()
    for value in values:
        if value in visible or value in seen:
            return str(value.type)
        seen.add(value)
    return None


def ends(block: Block) -> str | None:
    """How a block ends that does not end as it must."""
    last = block.ops[-1].name if block.ops else "nothing"
    return None if last in TERMINATORS else last
