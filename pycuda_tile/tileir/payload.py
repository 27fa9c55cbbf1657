"""What follows an opcode: rows of tables/operations.tsv, flags and attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from .ir import Bounded, Constant, DivBy, Operation, SameElements, Scalar
from .sections import Cursor, Tables

_TABLES = Path(__file__).parent / "tables"
_FLOAT_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "tf32": 19}


class Row(NamedTuple):
    """An operation: parts of its payload in order, each as words."""

    name: str
    since: tuple[int, int]
    parts: list[list[str]]


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def _lines(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (_TABLES / name).read_text().splitlines()[1:]]


#: By opcode.
ROWS: dict[int, Row] = {
    int(code, 16): Row(name, _version(since), [part.split() for part in payload.split(";") if part.strip()])
    for code, name, since, payload, *_ in _lines("operations.tsv")
}
#: Names of enumerators by enumeration and number.
ENUMS: dict[str, dict[int, str]] = {}
for _enum, _value, _number, *_ in _lines("enums.tsv"):
    ENUMS.setdefault(_enum, {})[int(_number)] = _value


def flags(cursor: Cursor, tables: Tables, kind: str, words: list[str], attributes: dict[str, Any]) -> int:
    """The flags; those that are all there is become attributes."""
    present = ">=" not in kind or tables.version >= _version(kind.split(">=")[1])
    found = cursor.varint() if present else 0
    for word in words:
        bit, _, rest = word.partition("=")
        if rest.endswith("(unit)"):
            attributes[rest.removesuffix("(unit)")] = bool(found >> int(bit) & 1)
    return found


def attribute(cursor: Cursor, tables: Tables, words: list[str], flags: int, op: Operation) -> None:
    """One attribute, where flags or version say that it is there."""
    name, kind = words[0].split(":", 1)
    if "if" in words and not flags >> int(words[words.index("if") + 1]) & 1:
        return
    since = [word for word in words if word.startswith(">=")]
    if since and tables.version < _version(since[0][2:]):
        default = " ".join(words[words.index("else") + 1 :])
        op.attributes[name] = [] if default == "all false" else default
        return
    op.attributes[name] = _value(cursor, tables, kind, op)


def _value(cursor: Cursor, tables: Tables, kind: str, op: Operation) -> Any:
    if kind == "int":
        return cursor.varint()
    if kind == "bool":
        return bool(cursor.byte())
    if kind == "string":
        return tables.string(cursor)
    if kind.startswith("enum:"):
        names, number = ENUMS[kind[5:]], cursor.varint()
        if number not in names:
            cursor.fail(f"{kind[5:]} {number}")
        return names[number]
    if kind == "dense":
        return tables.dense(cursor, op.results[0].type)
    if kind == "i32s":
        return list(cursor.array(4))
    if kind == "bools":
        return [bool(cursor.byte()) for _ in range(cursor.count())]
    if kind == "array":
        return [tagged(cursor, tables) for _ in range(cursor.count())]
    if kind == "hints":
        return _dictionary(cursor, tables, 0)
    return tagged(cursor, tables)


def _dictionary(cursor: Cursor, tables: Tables, depth: int) -> dict[str, Any]:
    return {tables.string(cursor): tagged(cursor, tables, depth + 1) for _ in range(cursor.count())}


def tagged(cursor: Cursor, tables: Tables, depth: int = 0) -> Any:
    """An attribute that says itself what it is."""
    tag = cursor.varint()
    if depth > 20:
        cursor.fail("attributes nested too deep")
    if tag in (1, 2):
        type_ = tables.type(cursor)
        if not isinstance(type_, Scalar):
            cursor.fail(f"a number of type {type_}")
        return Constant(type_, _bits(cursor, tag, type_.name))
    if tag == 3:
        return bool(cursor.byte())
    if tag == 4:
        return tables.type(cursor)
    if tag == 5:
        return tables.string(cursor)
    if tag == 6:
        return [tagged(cursor, tables, depth + 1) for _ in range(cursor.count())]
    if tag == 8:
        divisor, found = cursor.varint(), cursor.byte()
        every = cursor.svarint() if found & 1 else None
        return DivBy(divisor, every, cursor.svarint() if found & 2 else None)
    if tag == 9:
        return SameElements(cursor.array(8))
    if tag in (10, 11):
        return _dictionary(cursor, tables, depth)
    if tag == 12:
        found = cursor.byte()
        lower = cursor.svarint() if found & 1 else None
        return Bounded(lower, cursor.svarint() if found & 2 else None)
    return cursor.fail(f"attribute tag {tag}")


def _bits(cursor: Cursor, tag: int, name: str) -> int:
    if tag == 1:
        return cursor.byte() if name == "i1" else cursor.varint()
    width = _FLOAT_BITS.get(name, 8)
    return cursor.byte() if width == 8 else cursor.svarint() % (1 << width)
