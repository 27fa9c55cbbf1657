"""The reference's pages: which entities stand together, and how signatures are laid out in lines."""

from __future__ import annotations

import csv
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from types import SimpleNamespace

from ... import reference, spec
from ...system.resources import include_dir
from . import examples

WIDTH = 100
_LARGE = 10  # a class with more members is explained in parts


@dataclass(frozen=True)
class Entry:
    """Entities that a page explains together: those of one section, or of one class. Those that only explain
    others in the manual are left out."""

    rows: tuple[SimpleNamespace, ...]

    @property
    def section(self) -> str:
        return self.rows[0].section

    @property
    def title(self) -> str:
        """The first names, without those of members."""
        names = dict.fromkeys(row.name for row in self.rows if "::" not in row.name)
        names = names or {self.rows[0].name: None}
        return ", ".join(list(names)[:4]) + ", …" * (len(names) > 4)

    @property
    def parts(self) -> list[Entry]:
        """Of a large class, those members together that one example shows."""
        if len(self.rows) < _LARGE:
            return [self]
        shown = {id: example for example in reversed(examples.load("cpp")) for id in example.entities}
        found: dict[examples.Example | None, list[SimpleNamespace]] = {}
        for row in self.rows:
            found.setdefault(shown.get(row.id), []).append(row)
        return [Entry(tuple(rows)) for rows in found.values()]

    @property
    def members(self) -> str:
        """The names of some members, without the class."""
        names = list(dict.fromkeys(map(_member, self.rows)))
        return ", ".join(names[:4]) + ", …" * (len(names) > 4)

    @property
    def headers(self) -> list[str]:
        """The headers that declare it; a hint needs none."""
        return list(dict.fromkeys(row.header for row in self.rows if row.header))

    @property
    def since(self) -> str:
        """The first version that has some of it; the table says what came later."""
        return min(row.since for row in self.rows)

    @property
    def in_numpy(self) -> list[str]:
        """The functions of pycuda_tile.reference that say what it means."""
        functions = {row.id: row.function for row in spec.elementwise()}
        names = [functions.get(row.id, row.name) for row in self.rows if row.kind in ("function", "operator")]
        return [name for name in dict.fromkeys(names) if name in reference.__all__]

    @property
    def signatures(self) -> str:
        return "\n".join(line for row in self.rows for line in layout(signatures()[row.id].signature))

    @property
    def constraints(self) -> dict[str, list[str]]:
        """Each constraint, and the entities that have it; empty if all have."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            if text := signatures()[row.id].constraint:
                found.setdefault(text, []).append(spec.entry(row))
        return {text: [] if len(of) == len(self.rows) else of for text, of in found.items()}

    @property
    def violations(self) -> list[SimpleNamespace]:
        """The undefined behaviour that the section is named for."""
        return [row for row in spec.load("violations") if row.section == self.section]

    @property
    def errors(self) -> dict[str, str]:
        """The largest error of a mathematical function in each type."""
        names = {row.name for row in self.rows if row.header.endswith("ops/math.h")}
        return errors(names)

    @property
    def examples(self) -> list[examples.Example]:
        return examples.of("cpp", {row.id for row in self.rows})


def _member(row: SimpleNamespace) -> str:
    return row.form if row.kind in ("constructor", "deduction") else row.name.rpartition("::")[2]


def usable() -> list[SimpleNamespace]:
    """The entities that a program can use."""
    return [row for row in spec.load("api") if row.exposition == "no"]


@cache
def _bounds() -> list[dict[str, str]]:
    with open(include_dir().parent / "tests/math/bounds.tsv", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def errors(names: set[str]) -> dict[str, str]:
    """The largest error of a mathematical function of one of these names in each type."""
    return {row["type"]: row["bound"] for row in _bounds() if row["name"] in names}


@cache
def signatures() -> dict[str, SimpleNamespace]:
    return {row.id: row for row in spec.load("signatures")}


def entries(chapter: str) -> list[Entry]:
    """The entries of a chapter's page, in the order of the table."""
    rows = [row for row in usable() if f"{row.section}.".startswith(f"{chapter}.")]
    return [Entry(tuple(group)) for _, group in groupby(rows, key=lambda row: _key(row, chapter))]


def names(chapter: str) -> list[str]:
    """What a chapter has, without members."""
    rows = [row for entry in entries(chapter) for row in entry.rows if "::" not in row.name]
    return list(dict.fromkeys(row.name for row in rows))


def _key(row: SimpleNamespace, chapter: str) -> tuple[str, str]:
    """What is newer than the manual stands in the chapter's own section: each class for itself."""
    return row.section, row.name.partition("::")[0] if row.section == chapter else ""


def layout(signature: str) -> Iterator[str]:
    """A signature in lines: template, requirement, declaration."""
    template, rest = _template(signature)
    requires, declaration = _requirement(rest)
    end = "" if declaration.startswith("[[") else ";"
    for text in filter(None, (template, requires, declaration + end)):
        whole = re.sub(r"(?<!,) (?!&&|\|\||->)", "\0", text)  # lines end between parameters only
        for line in textwrap.wrap(whole, WIDTH, subsequent_indent="    ", break_long_words=False):
            yield line.replace("\0", " ")


def _template(text: str) -> tuple[str, str]:
    """`template<...>` and the text after it."""
    end = _closed(text, text.index("<")) if text.startswith("template") else 0
    return text[:end], text[end:].strip()


def _requirement(text: str) -> tuple[str, str]:
    """`requires ...` and the text after it."""
    end = 0
    while text.startswith(("requires ", "&& ", "|| "), end):
        start = text.index(" ", end) + 1
        end = _closed(text, start if text[start] == "(" else text.index("<", start)) + 1
    return text[:end].strip(), text[end:]


def _closed(text: str, start: int) -> int:
    """The place behind the bracket that closes the one at `start`."""
    opening, depth = text[start], 0
    closing = {"<": ">", "(": ")"}[opening]
    for place in range(start, len(text)):
        depth += (text[place] == opening) - (text[place] == closing)
        if not depth:
            return place + 1
    raise spec.SpecError(f"the brackets of {text!r} do not match")
