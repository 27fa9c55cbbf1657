"""Formats of print_tko, as C's printf has them, taken apart: for the verifier, the interpreter and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Each % but those of %% stands for an operand, as NVIDIA's tools count; `*` takes none. One that is no
# conversion of C prints its operand in the usual way.
_EXPRESSION = re.compile(
    r"""%%|%(?:(?P<flags>[-+ #0']*)(?P<width>\d{0,4})\*?(?P<precision>(?:\.\d{0,4})?)\*?
        (?:hh|h|ll|l|j|z|t|L)?(?P<kind>[diouxXfFeEgGaAcspn]))?""",
    re.VERBOSE,
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


def expressions(template: str) -> list[Expression]:
    """What stands for operands."""
    return [piece for piece in pieces(template) if isinstance(piece, Expression)]
