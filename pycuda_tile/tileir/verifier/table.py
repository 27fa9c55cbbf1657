"""Rows of tables/operations.tsv for the verifier: what an operation has, of which kinds, and its rules."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import NamedTuple

_TABLES = Path(__file__).parent.parent / "tables"


class Part(NamedTuple):
    """An operand or result: how many values its name may stand for; `most` is None for any number."""

    name: str
    least: int
    most: int | None


class Row(NamedTuple):
    """One operation.

    attributes:  the kind of each, as in the payload
    optional:    attributes that may be left out
    kinds:       the kind of each operand and result, such as "0d int"
    rules:       words: the rule's name and what it is about
    """

    name: str
    since: tuple[int, int]
    operands: list[Part]
    results: list[Part]
    attributes: dict[str, str]
    optional: set[str]
    kinds: dict[str, str]
    rules: list[list[str]]


@functools.cache
def rows() -> dict[str, Row]:
    """Operations by name, and by the other names that they have."""
    found: dict[str, Row] = {}
    for line in _lines("operations.tsv"):
        row = _row(line)
        found[row.name] = row
        for alias in line["aliases"].split():
            found.setdefault(alias, row)
    return found


@functools.cache
def meanings() -> dict[str, str]:
    """What each rule demands; "{names}" stands for the words after it."""
    return {line["rule"]: line["meaning"] for line in _lines("rules.tsv")}


@functools.cache
def enumerators() -> dict[str, set[str]]:
    """The values of each enumeration."""
    found: dict[str, set[str]] = {}
    for line in _lines("enums.tsv"):
        found.setdefault(line["enum"], set()).add(line["value"])
    return found


def _lines(name: str) -> list[dict[str, str]]:
    head, *lines = (_TABLES / name).read_text().splitlines()
    names = head.split("\t")
    return [dict(zip(names, [*line.split("\t"), *[""] * len(names)], strict=False)) for line in lines]


def _row(line: dict[str, str]) -> Row:
    row = Row(line["op"], _version(line["since"]), [], [], {}, set(), {}, [])
    for part in line["payload"].split(";"):
        kind, *words = part.split() or [""]
        if kind.startswith("results"):
            row.results.extend(_results(words))
        elif kind.startswith("operand"):
            row.operands.extend(_operands(kind, words))
        elif kind.startswith("flags"):
            units = (word.partition("=")[2] for word in words)
            found = [unit.removesuffix("(unit)") for unit in units if unit.endswith("(unit)")]
            row.attributes.update(dict.fromkeys(found, "bool"))
            row.optional.update(found)
        elif kind == "attr":
            name, _, what = words[0].partition(":")
            row.attributes[name] = what
            if len(words) > 1 or what == "bools" or re.search(rf"\${name}=", line["format"]):
                row.optional.add(name)
    for group in filter(None, line["types"].split(";")):
        names, _, what = group.partition(":")
        row.kinds.update(dict.fromkeys(names.split(), what.strip()))
    row.rules.extend(rule.split() for rule in line["rules"].split(";") if rule.strip())
    return row


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def _results(words: list[str]) -> list[Part]:
    return [
        Part(word.removesuffix("..."), 0, None) if word.endswith("...") else Part(word, 1, 1)
        for word in words
        if word != "(none)"
    ]


def _operands(kind: str, words: list[str]) -> list[Part]:
    if kind == "operand?":
        return [Part(words[0], 0, 1)]
    many = kind == "operands*"
    found = []
    for word in words:
        if word.endswith("?"):
            found.append(Part(word.rstrip("?."), 0, 1))
        elif many or word.endswith("..."):
            found.append(Part(word.rstrip("."), 0, None))
        else:
            found.append(Part(word, 1, 1))
    return found
