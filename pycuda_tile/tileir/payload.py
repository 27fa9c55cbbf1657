"""Operations, types and attributes in the binary form: one walk over their parts reads and writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.element_types import TILEIR_TYPES
from .codec import Reader, Writer
from .grammar import ATTRIBUTES, ENUMS, TYPES, Encoding, Part
from .ir import (
    MAX_ATTRIBUTE_DEPTH,
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

Io = Reader | Writer
_DYNAMIC = -(2**63)  # an extent or stride that an operand gives
_TYPE_DEPTH = 5  # as in text
_ENUM_NAMES = {enum: {found.number: name for name, found in values.items()} for enum, values in ENUMS.items()}


class Record:
    """Flags and attributes, read part by part, or written from `given`, which has them by name. `type` is the
    type of a dense constant among them."""

    def __init__(self, io: Io, given: dict[str, Any], depth: int = 0, type_: Any = None):
        self.io, self.given, self.depth, self.type = io, given, depth, type_
        self.flags = 0
        self.found: dict[str, Any] = {}

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
            if value != part.default and (part.default != [] or any(value or ())):
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
    """Whether an optional attribute or operand is present."""
    empty = isinstance(value, (dict, list, tuple)) and not value
    return value is not None and value is not False and not empty


def enumerator(io: Io, value: str | None, enum: str) -> str:
    known = ENUMS[enum]
    if not io.reading and value not in known:
        io.fail(f"{enum} {value!r}: expected one of {', '.join(known)}")
    number = io.varint(known[value].number if value is not None else None)
    if number not in _ENUM_NAMES[enum]:
        io.fail(f"{enum} {number}: expected a number below {len(known)}")
    name = _ENUM_NAMES[enum][number]
    io.needs(known[name].since, f"{enum} {name}")
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
    """The bits of a number. Any byte but 0 is true."""
    if name == "i1":
        return int(bool(io.byte(value)))
    width = TILEIR_TYPES[name].bits
    if name.startswith("i"):
        found = io.varint(value)
    elif width <= 8:
        found = io.byte(value)
    else:
        found = io.float_bits(value)
    if found >> width:
        io.fail(f"{found:#x} is not a number of type {name}")
    return found


# --- tagged attributes, and types ---

_CLASSES = {"DivBy": DivBy, "SameElements": SameElements, "Bounded": Bounded}
_KIND_OF = {bool: "Bool", str: "String", list: "Array", tuple: "Array", dict: "Dictionary"}
_KIND_OF |= {cls: name for name, cls in _CLASSES.items()}
_TYPE_NAMES = {Pointer: "ptr", Tile: "tile", TensorView: "tensor_view", Function: "function", Token: "token"}
_TYPES = {name: cls for cls, name in _TYPE_NAMES.items()}
_TAGS = {rows[0].name: tag for tag, rows in (*ATTRIBUTES.items(), *TYPES.items())}


def tagged(io: Io, value: Any = None, depth: int = 0, tag: int | None = None) -> Any:
    """An attribute preceded by its tag; `tag` is given if the file determines which it must be."""
    if depth > MAX_ATTRIBUTE_DEPTH:
        io.fail("attributes are nested too deeply")
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


def _tag(io: Io, tag: int | None, rows: dict[int, list[Encoding]], what: str) -> tuple[Encoding, Callable]:
    """Reads or writes a tag; returns its row and the object that reads or writes its parts."""
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
    """A type preceded by its tag."""
    if depth > _TYPE_DEPTH:
        io.fail("types are nested too deeply")
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
