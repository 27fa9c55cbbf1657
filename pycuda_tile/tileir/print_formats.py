"""Formats of print_tko, as C's printf has them, taken apart: for the verifier, the interpreter and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_CONVERSIONS = "diouxXfFeEgGaAcspn"
_ENDS = {*_CONVERSIONS, "S"}  # of what NVIDIA's tools take; %S prints its operand in the usual way
# Each % but those of %% stands for an operand, as NVIDIA's tools count; `*` takes none. One that is no
# conversion of C prints its operand in the usual way.
_EXPRESSION = re.compile(
    r"%%|%(?:(?P<flags>[-+ #0']*)(?P<width>\d{0,4})\*?(?P<precision>(?:\.\d{0,4})?)\*?"
    rf"(?:hh|h|ll|l|j|z|t|L)?(?P<kind>[{_CONVERSIONS}]))?"
)


class Expression(NamedTuple):
    """What stands for an operand: flags, width and precision, and the letter at its end."""

    form: str
    kind: str

    def of_integer(self) -> tuple[str, bool]:
        """The format of a `long long` (of %c, an int), and whether that is to be the operand read as
        unsigned."""
        if self.kind == "p":
            return f"%#{self.form}llx", True
        if self.kind == "c":
            return f"%{self.form}c", True
        kind = self.kind if self.kind in "diuxXo" else "d"
        return f"%{self.form}ll{kind}", kind in "uxXo"

    def of_float(self) -> str:
        """The format of a `double`."""
        return f"%{self.form}{self.kind if self.kind in 'eEfFgGaA' else 'f'}"


def pieces(template: str) -> Iterator[str | Expression]:
    """Text as it is printed, and what stands for an operand, in order."""
    at = 0
    for match in _EXPRESSION.finditer(template):
        if text := template[at : match.start()] + ("%" if match[0] == "%%" else ""):
            yield text
        if match[0] != "%%":
            form = "".join(match[part] or "" for part in ("flags", "width", "precision"))
            yield Expression(form.replace("'", ""), match["kind"] or "d")
        at = match.end()
    if at < len(template):
        yield template[at:]


def count_expressions(template: str) -> int:
    """How many operands a format takes, as NVIDIA's tools count: `*` takes none."""
    return sum(isinstance(piece, Expression) for piece in pieces(template))


def unfinished(template: str) -> str:
    """The last expression and what follows it, where no letter of printf's is there to end it; else ""."""
    _, percent, rest = template.replace("%%", "").rpartition("%")
    return percent + rest if percent and _ENDS.isdisjoint(rest) else ""
