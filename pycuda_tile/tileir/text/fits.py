"""Whether the custom form of an operation is complete: an invalid one may have more parts, or other types."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..grammar import ELEMENTS, ENUMS, OPERATIONS, Item, OperationRow
from ..ir import MAX_AXES, Bounded, DivBy, Operation, SameElements, Tile, Token, Value


class Told(NamedTuple):
    """What a format says, by names of operands and results.

    same:    those that share a type
    each:    lists whose types are given one by one
    needed:  operands that are not in a group
    groups:  optional operands after a comma, in their order
    untold:  results whose type is not in the text: they are tokens
    shared:  lists given by one type, if all have it
    """

    same: list[list[str]]
    each: list[str]
    needed: set[str]
    groups: list[str]
    untold: list[str]
    shared: set[str]


def fits(form: OperationRow, op: Operation) -> bool:
    """Whether `parse` rebuilds the same operation from its custom form."""
    return not op.regions and _operands(form, op) and _attributes(form, op) and _types(form, op)


_PREDICATES = (Bounded, DivBy, SameElements)


@cache
def _told(name: str) -> Told:
    form = OPERATIONS[name]
    told = Told([], [], set(), [], [], set())
    _tell(form.items, told, False)
    named = {name for names in (*told.same, told.each) for name in names}
    told.untold.extend(name for name in form.results if name not in named)
    return told


def _tell(items: tuple[Item, ...], told: Told, inside: bool) -> None:
    for item in items:
        if item.kind == "group":
            if [inner.kind for inner in item.items] == ["literal", "operand"] and item.items[0].name == ",":
                told.groups.append(item.items[1].name)
            _tell(item.items, told, True)
        elif item.kind == "type":
            told.same.append(item.name.split("="))
        elif item.kind in ("types", "shared"):
            told.each.append(item.name)
            if item.kind == "shared":
                told.shared.add(item.name)
        elif item.kind == "operand" and not inside:
            told.needed.add(item.name)


def _operands(form: OperationRow, op: Operation) -> bool:
    told = _told(form.name)
    for name, values in op.operands.items():
        known = form.operands.get(name)
        if values and (known is None or (len(values) > 1 and known.most is not None)):
            return False
    return all(op.operands.get(name) for name in told.needed) and _told_apart(form, op, told.groups)


def _told_apart(form: OperationRow, op: Operation, groups: list[str]) -> bool:
    """Whether the parser would recognise optional operands correctly."""
    present = [name for name in groups if op.operands.get(name)]
    for name in groups:
        if present and may_be(form, name, op.operands[present[0]][0]) and present.pop(0) != name:
            return False
    return not present


def may_be(form: OperationRow, name: str, value: Value | None) -> bool:
    """Whether an optional operand fits by its element type, which distinguishes a mask from a padding."""
    elements = ELEMENTS[form.kinds[name].name] if name in form.kinds else ()
    if value is None or len(elements) != 1 or elements == ("*",):
        return True
    return isinstance(value.type, Tile) and str(value.type.element) == elements[0]


def _types(form: OperationRow, op: Operation) -> bool:
    told = _told(form.name)
    if len(op.results) != len(form.results) and not form.any_results:
        return False
    results: dict[str, list[Value]] = {}
    if not form.any_results:
        results = {n: [v] for n, v in zip(form.results, op.results, strict=True)}
    for names in told.same:
        values = [v for n in names for v in (op.operands.get(n) or results.get(n, []))]
        if any(value.type != values[0].type for value in values[1:]):
            return False
    for name in told.each:
        if name in form.results:
            kinds_of = {value.type for value in op.results}
            if not kinds_of or (name in told.shared and (len(kinds_of) > 1 or len(op.results) > MAX_AXES)):
                return False
        elif form.kinds[name].name != "any" and Token() in {v.type for v in op.operands.get(name, ())}:
            return False
    return all(results[name][0].type == Token() for name in told.untold if name in results)


# --- attributes ---


def _attributes(form: OperationRow, op: Operation) -> bool:
    for name, value in op.attributes.items():
        if value is None or value is False:
            continue
        kind = form.attributes[name].kind if name in form.attributes else ""
        if (
            not kind
            or not fits_kind(kind, value)
            or (kind == "tagged" and not isinstance(value, _PREDICATES))
        ):
            return False
    return all(
        attribute.optional or op.attributes.get(name) is not None
        for name, attribute in form.attributes.items()
    )


def _is_integer(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    return bool(-(1 << 63) <= value < 1 << 64)


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "int": _is_integer,
    "bool": lambda value: isinstance(value, bool),
    "unit": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "dense": lambda value: isinstance(value, (np.ndarray, np.generic)),
    "i32s": lambda value: isinstance(value, (list, tuple)) and all(map(_is_integer, value)),
    "bools": lambda value: isinstance(value, (list, tuple)) and all(isinstance(v, bool) for v in value),
    "array": lambda value: isinstance(value, (list, tuple)),
    "hints": lambda value: isinstance(value, dict) and all(isinstance(v, dict) for v in value.values()),
}


def fits_kind(kind: str, value: Any) -> bool:
    """Whether an attribute is of a kind."""
    if kind.startswith("enum:"):
        return isinstance(value, str) and value in ENUMS[kind[5:]]
    return _CHECKS.get(kind, lambda _: True)(value)
