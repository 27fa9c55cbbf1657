"""What an operation, a type or an attribute consists of: the column `payload` of the tables.

A payload is parts in the order of the bytes, separated by semicolons:

    results a b               a type each                     results* a b      preceded by their number
    results*>=V a?            absent from older files: a token that nothing uses
    flags 0=a(unit) 1=b(attr) bits of one number: `unit` is the bit itself, attr and operand come below
    flags>=V ...              in older files all bits are 0
    attr a:kind               a kind of payload.py, or enum:E of tables/enums.tsv
    attr a:kind if 1          only if the bit is set
    attr a:kind >=V else d    in older files it is d
    operands a b              a value each                    operand? a if 1   only if the bit is set
    operands* a...            preceded by their number        operands# a b...  preceded by their total number
    regions                   preceded by their number

Among results and operands, "a..." stands for any number of values and "a?" for an optional one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..rows import rows
from ..versions import Version, parse_version


class Values(NamedTuple):
    """An operand or result, and how many values its name may stand for; `most` is None if unlimited."""

    name: str
    least: int = 1
    most: int | None = 1


class Part(NamedTuple):
    """One part of a payload.

    what:     results, results*, flags, attr, operands, operand?, operands*, operands# or regions
    names:    the names of the results, operands or flags, or of the one attribute
    values:   the results or operands
    kind:     the kind of the attribute
    bits:     the number and kind of each flag
    bit:      the flag that says whether the part is present; None: it always is
    since:    the first version that has it
    default:  the value of the attribute in older files
    """

    what: str
    names: tuple[str, ...] = ()
    values: tuple[Values, ...] = ()
    kind: str = ""
    bits: tuple[tuple[int, str], ...] = ()
    bit: int | None = None
    since: Version | None = None
    default: str | list[bool] | None = None


def parse_parts(payload: str) -> tuple[Part, ...]:
    return tuple(_part(text) for text in payload.split(";") if text.strip())


def _part(text: str) -> Part:
    head, *words = text.split()
    what, _, version = head.partition(">=")
    since = parse_version(version) if version else None
    if what == "flags":
        return _flags(words, since)
    bit = int(words[words.index("if") + 1]) if "if" in words else None
    if what == "attr":
        return _attribute(words, bit)
    names = words if bit is None else words[:1]
    values = tuple(_values(name, what == "operand?") for name in names if name != "(none)")
    return Part(what, tuple(one.name for one in values), values, bit=bit, since=since)


def _flags(words: list[str], since: Version | None) -> Part:
    """bit=name(kind) ..."""
    found = [word.replace("=", " ").replace("(", " ").rstrip(")").split() for word in words]
    bits = tuple((int(bit), kind) for bit, _, kind in found)
    return Part("flags", tuple(name for _, name, _ in found), bits=bits, since=since)


def _attribute(words: list[str], bit: int | None) -> Part:
    name, kind = words[0].split(":", 1)
    since = next((parse_version(word[2:]) for word in words if word.startswith(">=")), None)
    default: Any = " ".join(words[words.index("else") + 1 :]) if "else" in words else None
    default = [] if default == "all false" else default
    return Part("attr", (name,), kind=kind, bit=bit, since=since, default=default)


def _values(word: str, optional: bool) -> Values:
    name = word.rstrip(".?")
    if word.endswith("..."):
        return Values(name, 0, None)
    return Values(name, 0 if optional or word.endswith("?") else 1)


class Enumerator(NamedTuple):
    """A value of an enumeration: its number in the binary form, and the first version that has it."""

    number: int
    since: Version


def _enums() -> dict[str, dict[str, Enumerator]]:
    found: dict[str, dict[str, Enumerator]] = {}
    for row in rows("enums.tsv"):
        made = Enumerator(int(row["number"]), parse_version(row["since"]))
        found.setdefault(row["enum"], {})[row["value"]] = made
    return found


#: Values by enumeration and name.
ENUMS = _enums()
