"""The pages of Tile IR: what the tables say of an operation, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from ...tileir.rows import rows
from ...tileir.verifier.walk import meaning
from . import examples, pages

_ATTRIBUTE = re.compile(r"(\w+):enum:(\w+)")
_AXES = {"0d": " without axes", "1d": " with one axis"}


@dataclass(frozen=True)
class Operation:
    """A row of operations.tsv."""

    row: dict[str, str]

    @property
    def name(self) -> str:
        return self.row["op"]

    @property
    def is_special(self) -> bool:
        """Whether it has a form of its own, which the table only names."""
        return bool(re.fullmatch(r"<\w+>", self.row["format"]))

    @property
    def values(self) -> dict[str, str]:
        """Operands and results, several at a time, and what they are."""
        found = (part.split(": ") for part in self.row["types"].split("; ") if part)
        return {names: _kind(kind) for names, kind in found}

    @property
    def attributes(self) -> dict[str, list[str]]:
        """The attributes that are words, and these words."""
        found = _ATTRIBUTE.findall(self.row["payload"])
        return {name: [r["value"] for r in rows("enums.tsv") if r["enum"] == enum] for name, enum in found}

    @property
    def rules(self) -> list[str]:
        """What must hold, beyond the kinds of values."""
        found = (rule.split() for rule in self.row["rules"].split("; ") if rule)
        return [meaning(rule, [f"`{word}`" for word in words]) for rule, *words in found]

    @property
    def errors(self) -> dict[str, str]:
        """The largest error of a mathematical function, which modules built for the CPU have."""
        name = "pow" if self.name == "fpowf" else self.name
        return pages.errors({name}) if self.row["group"] == "Floating Point" else {}

    @property
    def examples(self) -> list[examples.Example]:
        return examples.of("tileir", {self.name})


def _kind(text: str) -> str:
    *axes, kind = text.split()
    (what,) = (row["meaning"] for row in rows("kinds.tsv") if row["kind"] == kind)
    return what + "".join(_AXES[axis] for axis in axes)


def groups() -> Iterator[tuple[str, list[Operation]]]:
    """The operations of each page, by name."""
    found = sorted(rows("operations.tsv"), key=lambda row: (row["group"], row["op"]))
    for group, members in groupby(found, key=lambda row: row["group"]):
        yield group, [Operation(row) for row in members]


def page(group: str) -> str:
    """The name of a group's page, without its ending."""
    return group.lower().replace(" ", "_")
