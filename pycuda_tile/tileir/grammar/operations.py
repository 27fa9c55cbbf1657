"""The rows of tables/operations.tsv and tables/encodings.tsv: operations, types and attributes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ...spec.element_types import TILEIR_TYPES
from ..rows import rows
from ..versions import Version, parse_version
from .formats import Item, framed, parse_format
from .kinds import Kind, parse_kinds
from .parts import Part, Values, parse_parts


@dataclass(frozen=True)
class Encoding:
    """The binary encoding of an operation, a type or an attribute, after its code."""

    code: int
    name: str
    since: Version
    parts: tuple[Part, ...]


class Attribute(NamedTuple):
    """An attribute of an operation: its kind as in the payload (`unit` for a flag), and whether it is
    optional."""

    kind: str
    optional: bool


@dataclass(frozen=True)
class OperationRow(Encoding):
    """One operation.

    operands, results, attributes:  by name, in the order of the payload
    kinds:                          the kinds of operands and results
    items:                          the parts of its textual format
    rules:                          for each rule, its name and its arguments, as words
    """

    operands: dict[str, Values]
    results: dict[str, Values]
    attributes: dict[str, Attribute]
    kinds: dict[str, Kind]
    items: tuple[Item, ...]
    rules: tuple[tuple[str, ...], ...]

    @cached_property
    def form(self) -> str:
        """The name of its custom textual form, if it has one (text/forms.py)."""
        return self.items[0].name if self.items and self.items[0].kind == "form" else ""

    @cached_property
    def any_results(self) -> bool:
        """Whether the number of results is variable."""
        return any(found.most is None for found in self.results.values())


def _operation(line: dict[str, str]) -> OperationRow:
    parts, items = parse_parts(line["payload"]), parse_format(line["format"])
    values: dict[str, dict[str, Values]] = {"operand": {}, "result": {}}
    for part in parts:
        if part.values:
            values[part.what.rstrip("s*#?")].update({found.name: found for found in part.values})
    return OperationRow(
        int(line["opcode"], 0),
        line["op"],
        parse_version(line["since"]),
        parts,
        values["operand"],
        values["result"],
        _attributes(parts, framed(items)),
        parse_kinds(line["types"]),
        items,
        tuple(tuple(rule.split()) for rule in line["rules"].split(";") if rule.strip()),
    )


def _attributes(parts: tuple[Part, ...], may_be_left_out: set[str]) -> dict[str, Attribute]:
    found = {}
    for part in parts:
        if part.what == "flags":
            units = (name for name, (_, kind) in zip(part.names, part.bits, strict=True) if kind == "unit")
            found.update(dict.fromkeys(units, Attribute("unit", True)))
        elif part.what == "attr":
            (name,) = part.names
            has_default = part.default is not None or part.kind == "bools" or name in may_be_left_out
            found[name] = Attribute(part.kind, has_default or part.bit is not None)
    return found


def _encodings(kind: str) -> dict[int, list[Encoding]]:
    found: dict[int, list[Encoding]] = {}
    for line in rows("encodings.tsv"):
        if line["kind"] == kind:
            code = int(line["tag"])
            made = Encoding(code, line["name"], parse_version(line["since"]), parse_parts(line["payload"]))
            found.setdefault(code, []).append(made)
    return found


#: Operations by name.
OPERATIONS = {line["op"]: _operation(line) for line in rows("operations.tsv")}
OPERATIONS_BY_CODE = {row.code: row for row in OPERATIONS.values()}
_ALIASES = {alias: line["op"] for line in rows("operations.tsv") for alias in line["aliases"].split()}
#: Types and attributes by tag, older versions first.
TYPES = {
    **{e.tag: [Encoding(e.tag, name, parse_version(e.tileir_since), ())] for name, e in TILEIR_TYPES.items()},
    **_encodings("type"),
}
ATTRIBUTES = _encodings("attribute")
#: What each rule demands; "{names}" stands for the words after it, "{first}" and "{last}" for one of them.
MEANINGS = {line["rule"]: line["meaning"] for line in rows("rules.tsv")}


def find_operation(name: str) -> OperationRow | None:
    """The operation with this name, which may be one used in older texts."""
    return OPERATIONS.get(_ALIASES.get(name, name))
