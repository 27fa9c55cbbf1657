"""What an operation, a type or an attribute consists of in the binary form: read and written by one walk.

A payload is text as in tables/operations.tsv and tables/encodings.tsv: parts in the order of the bytes.

    results a b               a type each                     results* a b      behind their number
    results*>=V a             in older files there are none: a token that nothing uses
    flags 0=a(unit) 1=b(attr) bits of one number: `unit` is the bit itself, attr and operand come below
    flags>=V ...              in older files all bits are 0
    attr a:kind               one of _KINDS, or enum:E of tables/enums.tsv
    attr a:kind if 1          only if the bit is set
    attr a:kind >=V else d    in older files it is d
    operands a b              a value each                    operand? a if 1   only if the bit is set
    operands* a...            behind their number             operands# a b...  behind the number of all
    regions                   behind their number
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .codec import Reader, Version, Writer
from .ir import (
    Bounded,
    Constant,
    DivBy,
    Function,
    Pointer,
    SameElements,
    Scalar,
    TensorView,
    Tile,
    TileView,
    Token,
)
from .rows import rows

Io = Reader | Writer
_FLOAT_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "tf32": 19, "f4E2M1FN": 4}
_DYNAMIC = -(2**63)  # an extent or stride that an operand gives
_DEPTH = 20
_TYPE_DEPTH = 5  # as in text


class Part(NamedTuple):
    """One part of a payload.

    what:     results, results*, flags, attr, operands, operand?, operands*, operands# or regions
    names:    of the results, operands or flags, or of the one attribute
    kind:     of the attribute
    bits:     of each flag: its number and kind
    bit:      which flag says that the part is there; None: always
    since:    first version that has it
    default:  what the attribute is in older files
    """

    what: str
    names: tuple[str, ...]
    kind: str = ""
    bits: tuple[tuple[int, str], ...] = ()
    bit: int | None = None
    since: Version | None = None
    default: Any = None


class Row(NamedTuple):
    """An operation, a type or an attribute: parts of its payload in order."""

    code: int
    name: str
    since: Version
    parts: list[Part]


def _version(text: str) -> Version:
    major, minor = text.split(".")
    return int(major), int(minor)


def _part(text: str) -> Part:
    head, *words = text.split()
    what, _, since = head.partition(">=")
    bit = int(words[words.index("if") + 1]) if "if" in words else None
    if what == "flags":
        flags = [word.replace("=", " ").replace("(", " ").rstrip(")").split() for word in words]
        names, bits = tuple(f[1] for f in flags), tuple((int(f[0]), f[2]) for f in flags)
        return Part(what, names, bits=bits, since=_version(since) if since else None)
    if what == "attr":
        name, kind = words[0].split(":", 1)
        default = " ".join(words[words.index("else") + 1 :]) if "else" in words else None
        since = "".join(word[2:] for word in words if word.startswith(">="))
        default = [] if default == "all false" else default
        return Part(what, (name,), kind, (), bit, _version(since) if since else None, default)
    names = tuple(word for word in (words[:1] if bit is not None else words) if word != "(none)")
    return Part(what, names, bit=bit, since=_version(since) if since else None)


def _row(line: dict[str, str], code: str, name: str) -> Row:
    parts = [_part(text) for text in line["payload"].split(";") if text.strip()]
    return Row(int(line[code], 0), line[name], _version(line["since"]), parts)


#: Operations by opcode.
ROWS: dict[int, Row] = {int(line["opcode"], 0): _row(line, "opcode", "op") for line in rows("operations.tsv")}
ROW_OF: dict[str, Row] = {row.name: row for row in ROWS.values()}
#: Types and attributes by tag, older versions first.
TYPES: dict[int, list[Row]] = {}
ATTRIBUTES: dict[int, list[Row]] = {}
for _line in rows("encodings.tsv"):
    _found = _row(_line, "tag", "name")
    (TYPES if _line["kind"] == "type" else ATTRIBUTES).setdefault(_found.code, []).append(_found)
#: Names of enumerators by enumeration and number, numbers and versions by enumeration and name.
ENUMS: dict[str, dict[int, str]] = {}
_ENUMERATORS: dict[str, dict[str, tuple[int, Version]]] = {}
for _line in rows("enums.tsv"):
    _number = int(_line["number"])
    ENUMS.setdefault(_line["enum"], {})[_number] = _line["value"]
    _ENUMERATORS.setdefault(_line["enum"], {})[_line["value"]] = (_number, _version(_line["since"]))


class Record:
    """Flags and attributes, part by part: read, or written from `given`, what there is by name. `type` is the
    type of a dense constant among them."""

    def __init__(self, io: Io, given: dict[str, Any], depth: int = 0, type_: Any = None):
        self.io, self.given, self.depth, self.type = io, given, depth, type_
        self.flags, self.found = 0, {}

    def part(self, part: Part) -> None:
        if part.what == "flags":
            self._flags(part)
        elif self.there(part):
            self._attribute(part, part.names[0])

    def there(self, part: Part) -> bool:
        return part.bit is None or bool(self.flags >> part.bit & 1)

    def _flags(self, part: Part) -> None:
        io, bits = self.io, 0
        for name, (bit, _) in zip(part.names, part.bits, strict=True):
            bits |= is_given(self.given.get(name)) << bit
        if part.since is None or part.since <= io.version:
            self.flags = io.varint(bits)
        else:
            self.flags = 0
            if bits:
                io.needs(part.since, "a flag: " + " or ".join(part.names))
        for name, (bit, kind) in zip(part.names, part.bits, strict=True):
            if kind == "unit":
                self.found[name] = bool(self.flags >> bit & 1)

    def _attribute(self, part: Part, name: str) -> None:
        io, value = self.io, self.given.get(name, part.default)
        if part.kind == "bools" and not value:  # one for each index
            value = [False] * len(self.given.get("index", ()))
        if not io.reading and value is None:
            io.fail(f"{name} is missing")
        if part.since is not None and part.since > io.version:
            if value != part.default and (part.default != [] or any(value)):
                io.needs(part.since, f"{name} {value}")
            self.found[name] = list(part.default) if isinstance(part.default, list) else part.default
        elif part.kind == "dense":
            self.found[name] = io.tables.dense(io, value, self.type)
        elif part.kind == "bits":
            if not isinstance(self.found["type"], Scalar):
                io.fail(f"a number of type {self.found['type']}")
            self.found[name] = _bits(io, value, self.found["type"].name)
        elif part.kind.startswith("enum:"):
            self.found[name] = enumerator(io, value, part.kind[5:])
        else:
            self.found[name] = _KINDS[part.kind](io, value, self.depth)


def is_given(value: Any) -> bool:
    """Whether an attribute or operand that may be left out is there."""
    empty = isinstance(value, (dict, list, tuple)) and not value
    return value is not None and value is not False and not empty


def enumerator(io: Io, value: str | None, enum: str) -> str:
    known = _ENUMERATORS[enum]
    if not io.reading and value not in known:
        io.fail(f"{enum} {value!r}: expected one of {', '.join(known)}")
    number = io.varint(known[value][0] if value is not None else None)
    if number not in ENUMS[enum]:
        io.fail(f"{enum} {number}: expected a number below {len(known)}")
    name = ENUMS[enum][number]
    io.needs(known[name][1], f"{enum} {name}")
    return name


def _integers(width: int) -> Callable:
    return lambda io, x, _: io.array(x, width)


def _boolean(io: Io, value: bool | None) -> bool:
    return bool(io.byte(None if value is None else int(value)))


def _extents(io: Io, value: tuple[int | None, ...] | None, _: int) -> tuple[int | None, ...]:
    found = io.array([_DYNAMIC if n is None else n for n in value or ()], 8)
    return tuple(None if n == _DYNAMIC else n for n in found)


_KINDS: dict[str, Callable[[Io, Any, int], Any]] = {
    "int": lambda io, x, _: io.varint(x),
    "svarint": lambda io, x, _: io.svarint(x),
    "bool": lambda io, x, _: _boolean(io, x),
    "string": lambda io, x, _: io.tables.string(io, x),
    "type": lambda io, x, depth: io.tables.type(io, x, depth),
    "types": lambda io, x, depth: tuple(io.sequence(x, lambda t: io.tables.type(io, t, depth))),
    "i32s": _integers(4),
    "i64s": _integers(8),
    "extents": _extents,
    "bools": lambda io, x, _: io.sequence(x, lambda b: _boolean(io, b)),
    "array": lambda io, x, depth: io.sequence(x, lambda item: tagged(io, item, depth + 1)),
    "hints": lambda io, x, depth: _dictionary(io, x, depth),
    "tagged": lambda io, x, depth: tagged(io, x, depth + 1),
}


def _dictionary(io: Io, value: dict[str, Any] | None, depth: int) -> dict[str, Any]:
    def entry(item: tuple[str, Any] | None) -> tuple[str, Any]:
        name, inner = item or (None, None)
        return io.tables.string(io, name), tagged(io, inner, depth + 1)

    return dict(io.sequence((value or {}).items(), entry))


def _bits(io: Io, value: int | None, name: str) -> int:
    """The bits of a number; as a signed number where a float is wider than a byte. Any byte but 0 is true."""
    if name == "i1":
        return int(bool(io.byte(value)))
    width = int(name[1:]) if name.startswith("i") else _FLOAT_BITS.get(name, 8)
    if name.startswith("i"):
        found = io.varint(value)
    elif width <= 8:
        found = io.byte(value)
    else:
        wide = None if value is None else value - (value >> 63 << 64)
        found = io.svarint(wide) % (1 << 64)
    if found >> width:
        io.fail(f"{found:#x} is no number of type {name}")
    return found


# --- attributes that say themselves what they are, and types ---

_CLASSES = {"DivBy": DivBy, "SameElements": SameElements, "Bounded": Bounded}
_KIND_OF = {bool: "Bool", str: "String", list: "Array", tuple: "Array", dict: "Dictionary"}
_KIND_OF |= {cls: name for name, cls in _CLASSES.items()}
_TYPE_NAMES = {Pointer: "ptr", Tile: "tile", TensorView: "tensor_view", Function: "function", Token: "token"}
_TYPES = {name: cls for cls, name in _TYPE_NAMES.items()}
_TAGS = {rows[0].name: tag for tag, rows in (*ATTRIBUTES.items(), *TYPES.items())}


def tagged(io: Io, value: Any = None, depth: int = 0, tag: int | None = None) -> Any:
    """An attribute behind its tag; `tag` where the file says which it must be."""
    if depth > _DEPTH:
        io.fail("attributes nested too deep")
    if not io.reading:
        tag = _TAGS[_kind_of(io, value)] if tag is None else tag
    row, parts = _tag(io, tag, ATTRIBUTES, "attribute")
    if row.name not in (*_CLASSES, "Integer", "Float"):
        return parts({"value": value}, depth)["value"]
    found = parts({} if io.reading else vars(value), depth)
    if row.name in _CLASSES:
        return _CLASSES[row.name](**found)
    return Constant(**found)


def _kind_of(io: Io, value: Any) -> str:
    if isinstance(value, Constant):
        return "Integer" if value.type.name.startswith("i") else "Float"
    if type(value) in _KIND_OF:
        return _KIND_OF[type(value)]
    if isinstance(value, (Scalar, TileView, *_TYPES.values())):
        return "Type"
    return io.fail(f"an attribute of {type(value).__name__} {value!r:.60}")


def _tag(io: Io, tag: int | None, rows: dict[int, list[Row]], what: str) -> tuple[Row, Callable]:
    """The row of a tag that is read or written, and what reads or writes its parts."""
    tag = io.varint(tag)
    if tag not in rows:
        io.fail(f"{what} tag {tag}")
    older = [row for row in rows[tag] if row.since <= io.version]
    row = older[-1] if older else rows[tag][0]
    io.needs(row.since, f"{'type' if what == 'type' else 'attribute'} {row.name}")

    def parts(given: dict[str, Any], depth: int) -> dict[str, Any]:
        record = Record(io, given or {}, depth)
        for part in row.parts:
            record.part(part)
        return record.found

    return row, parts


def type_(io: Io, value: Any = None, depth: int = 0) -> Any:
    """A type behind its tag."""
    if depth > _TYPE_DEPTH:
        io.fail("types nested too deep")
    row, parts = _tag(io, None if io.reading else _TAGS.get(_type_name(value)), TYPES, "type")
    found = parts({} if io.reading else vars(value), depth + 1)
    if row.name in _TYPES:
        return _TYPES[row.name](**found)
    if not row.name.endswith("_view"):
        return Scalar(row.name)
    found.setdefault("steps", found["tile"])
    found.setdefault("dim_map", tuple(range(len(found["tile"]))))
    return TileView(row.name, **found)


def _type_name(value: Any) -> str:
    if isinstance(value, Scalar):
        return value.name
    return value.kind if isinstance(value, TileView) else _TYPE_NAMES.get(type(value), "")
