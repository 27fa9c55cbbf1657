"""Parses formats of print_tko, which follow C's printf, for the verifier, the interpreter and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_CONVERSIONS = "diouxXfFeEgGaAcspn"
_ENDS = {*_CONVERSIONS, "S"}  # accepted by NVIDIA's tools; %S prints its operand in the default format
# Each % except those of %% stands for an operand, as NVIDIA's tools count; `*` takes none. One that is not a
# conversion of C prints its operand in the default format.
_EXPRESSION = re.compile(
    r"%%|%(?:(?P<flags>[-+ #0']*)(?P<width>\d{0,4})\*?(?P<precision>(?:\.\d{0,4})?)\*?"
    rf"(?:hh|h|ll|l|j|z|t|L)?(?P<kind>[{_CONVERSIONS}]))?"
)


# A line that tells what follows and in which block, and the line of one operand.
_ARRAY = re.compile(
    r"(?P<title>(?:.*: )?(?:tile<(?P<element>[\w *?]+), shape<[\d, ]*>>|(?P<scalar>[\w *?]+)))"
    r" in block \(%u, %u, %u\)\n(?P<value>%(?:p|d|u|lld|llu|\.[578]g))\n",
    re.DOTALL,
)


class Expression(NamedTuple):
    """A conversion specification: flags, width and precision, the letter at its end, and all of its text."""

    form: str
    kind: str
    text: str

    def of_integer(self) -> tuple[str, bool]:
        """The format for a `long long` (for %c, an int), and whether the operand is read as unsigned."""
        if self.kind == "p":
            return f"%#{self.form}llx", True
        if self.kind == "c":
            return f"%{self.form}c", True
        kind = self.kind if self.kind in "diuxXo" else "d"
        return f"%{self.form}ll{kind}", kind in "uxXo"

    def of_float(self) -> str:
        """The format for a `double`."""
        return f"%{self.form}{self.kind if self.kind in 'eEfFgGaA' else 'f'}"


class ArrayFormat(NamedTuple):
    """What cuda_tile::print becomes. Here it prints a tile as on every target: as NumPy prints an array."""

    title: str
    value: Expression
    is_bool: bool

    @property
    def digits(self) -> int:
        return int(self.value.form[1:])


def array_format(template: str) -> ArrayFormat | None:
    """What a format says if it is one of cuda_tile::print."""
    found = _ARRAY.fullmatch(template.partition("\0")[0])
    if found is None:
        return None
    value = next(iter(pieces(found["value"])))
    assert isinstance(value, Expression)
    return ArrayFormat(
        found["title"].replace("%%", "%"), value, "bool" in (found["element"], found["scalar"])
    )


def pieces(template: str) -> Iterator[str | Expression]:
    """The literal text and the expressions for operands, in order. A zero byte ends the text, as in C."""
    at, template = 0, template.partition("\0")[0]
    for match in _EXPRESSION.finditer(template):
        if text := template[at : match.start()] + ("%" if match[0] == "%%" else ""):
            yield text
        if match[0] != "%%":
            form = "".join(match[part] or "" for part in ("flags", "width", "precision"))
            yield Expression(form.replace("'", ""), match["kind"] or "d", match[0])
        at = match.end()
    if at < len(template):
        yield template[at:]


def count_expressions(template: str) -> int:
    """How many operands a format takes, as NVIDIA's tools count: `*` takes none."""
    return sum(isinstance(piece, Expression) for piece in pieces(template))


def unfinished(template: str) -> str:
    """The last expression and what follows it, if no conversion letter of printf ends it; otherwise ""."""
    _, percent, rest = template.replace("%%", "").rpartition("%")
    return percent + rest if percent and _ENDS.isdisjoint(rest) else ""
