"""The textual form of each operation, from the `format` column of tables/operations.tsv.

The parser and the printer both follow it. In a format

    %x  %x...          is an operand, operands separated by commas
    $a                 an attribute in the form of its kind; a flag is its own name
    @$a                a symbol
    word<$a=default>   an attribute that is left out where it has this value
    #x  #x=y=z         the type of x; of x, y and z, which share it
    #x...  #x*         the type of each; one type that all share (operands may also have one each)
    ( ... )?           there, if what it names is
    <name>             a form of its own: forms.py
    else               stands for itself; blanks separate
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ..rows import rows

_ITEM = re.compile(
    r"(?P<space>\s*)(?:(?P<form><[a-z]+>)|<\$(?P<dense>\w+)>|%(?P<operand>\w+)(?P<many>\.\.\.)?|@\$(?P<symbol>\w+)"
    r"|(?P<word>[\w.#]+)<\$(?P<framed>\w+)=(?P<default>\w+)>|\$(?P<attribute>\w+)"
    r"|\#(?P<type>\w+(?:=\w+)*)(?P<dots>\.\.\.|\*)?|(?P<open>\((?=.*\)\?))|(?P<close>\)\?)"
    r"|(?P<literal>->|,\?|\w+|[^\s\w]))"
)


class Item(NamedTuple):
    """A part of a format.

    kind:   operand, operands, attribute, dense, symbol, framed, type, types, shared, group, literal or form
    name:   of the operand or attribute, the literal; names of types separated by "="
    """

    kind: str
    name: str = ""
    space: bool = False
    word: str = ""
    default: str = ""
    items: tuple[Item, ...] = ()


class Attribute(NamedTuple):
    """An attribute of an operation; `kind` as in the payload: int, string, enum:RoundingMode, unit, ..."""

    kind: str
    optional: bool


class Format(NamedTuple):
    """What text needs to know of an operation."""

    name: str
    items: tuple[Item, ...]
    operands: dict[str, bool]  # whether each stands for any number
    attributes: dict[str, Attribute]
    results: tuple[str, ...]
    any_results: bool  # whether their number is free
    optional: frozenset[str]  # operands that may be left out
    kinds: dict[str, str]  # of the operands, from tables/kinds.tsv


def _items(matches, nested: bool) -> tuple[Item, ...]:
    found = []
    for m in matches:
        kind, space = m.lastgroup, bool(m["space"])
        if m["close"]:
            if not nested:
                raise ValueError(f"a format closes what it did not open: {m.string}")
            return tuple(found)
        if m["open"]:
            found.append(Item("group", space=space, items=_items(matches, True)))
        elif m["operand"]:
            found.append(Item("operands" if m["many"] else "operand", m["operand"], space))
        elif m["word"] and m["framed"]:
            found.append(Item("framed", m["framed"], space, m["word"], m["default"]))
        elif m["type"]:
            kind = {None: "type", "...": "types", "*": "shared"}[m["dots"]]
            found.append(Item(kind, m["type"], space))
        else:
            kind = next(k for k in ("form", "dense", "symbol", "attribute", "literal") if m[k])
            found.append(Item(kind, m[kind].strip("<>") if kind == "form" else m[kind], space))
    return tuple(found)


def _format(row: dict[str, str]) -> Format:
    operands: dict[str, bool] = {}
    attributes: dict[str, Attribute] = {}
    results: tuple[str, ...] = ()
    any_results, optional = False, set()
    for part in row["payload"].split(";"):
        kind, *words = part.split()
        if kind.startswith("results"):
            results = tuple(word.rstrip(".") for word in words if word != "(none)")
            any_results = kind == "results*" and any(word.endswith("...") for word in words)
        elif kind.startswith("flags"):
            units = (word[2:] for word in words if word.endswith("(unit)"))
            attributes.update({unit.removesuffix("(unit)"): Attribute("unit", True) for unit in units})
        elif kind == "attr":
            name, _, what = words[0].partition(":")
            attributes[name] = Attribute(what, "if" in words or what in ("hints", "bools"))
        elif kind.startswith("operand"):
            names = words[:1] if kind == "operand?" else words
            operands.update({name.rstrip(".?"): name.endswith("...") for name in names})
            optional |= {name.rstrip("?") for name in names if kind == "operand?" or name.endswith("?")}
    kinds = {}
    for part in filter(None, row["types"].split(";")):
        names, _, kind = part.partition(":")
        kinds.update({name: kind.split()[-1] for name in names.split()})
    items = _items(_ITEM.finditer(row["format"]), False)
    return Format(row["op"], items, operands, attributes, results, any_results, frozenset(optional), kinds)


@cache
def formats() -> dict[str, Format]:
    """By name, and by each alias."""
    found = {}
    for row in rows("operations.tsv"):
        made = _format(row)
        for name in (row["op"], *row["aliases"].split()):
            found[name] = made
    return found


@cache
def kinds() -> dict[str, list[str]]:
    """The element types of each kind of tile."""
    return {row["kind"]: row["elements"].split() for row in rows("kinds.tsv")}


@cache
def enumerators() -> dict[str, dict[str, int]]:
    """Numbers of the values of each enumeration."""
    found: dict[str, dict[str, int]] = {}
    for row in rows("enums.tsv"):
        found.setdefault(row["enum"], {})[row["value"]] = int(row["number"])
    return found
