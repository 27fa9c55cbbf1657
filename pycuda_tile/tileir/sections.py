"""Sections of the binary form and the tables in them: strings, types, constants."""

from __future__ import annotations

import itertools
from typing import Any, NoReturn

import numpy as np

from .interpreter.elements import DTYPES
from .ir import Function, Pointer, Scalar, TensorView, Tile, TileView, Token

_NAMES = {1: "strings", 2: "functions", 3: "debug", 4: "constants", 5: "types", 6: "globals", 7: "producer"}
_SCALARS = ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "tf32", "f64", "f8E4M3FN", "f8E5M2"]
_NEWER = {18: "f8E8M0FNU", 19: "f4E2M1FN", 22: "i4", 130: "fnv8E5M3FNU"}
_VIEWS = {15: "partition_view", 20: "gather_scatter_view", 21: "strided_view"}
PADDINGS = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
_DYNAMIC = -(2**63)
_MAX_ELEMENTS = 1 << 24


class Cursor:
    """A place in a part of the file; whatever would run past the part's end is an error."""

    def __init__(self, data: bytes, at: int, end: int, error: type[Exception]):
        self.data, self.at, self.end, self.error = data, at, end, error

    def fail(self, message: str) -> NoReturn:
        raise self.error(message, self.at)

    def done(self) -> bool:
        return self.at >= self.end

    def take(self, count: int) -> bytes:
        if not 0 <= count <= self.end - self.at:
            self.fail(f"{count} bytes expected, {self.end - self.at} left")
        self.at += count
        return self.data[self.at - count : self.at]

    def part(self, count: int) -> Cursor:
        start = self.at
        self.take(count)
        return Cursor(self.data, start, self.at, self.error)

    def byte(self) -> int:
        return self.take(1)[0]

    def varint(self) -> int:
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
            if shift > 63:
                self.fail("a number of more than 64 bits")
        if result >> 64:
            self.fail("a number of more than 64 bits")
        return result

    def svarint(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def count(self) -> int:
        """How many things follow; each takes a byte at least."""
        count = self.varint()
        if count > self.end - self.at:
            self.fail(f"{count} entries expected, {self.end - self.at} bytes left")
        return count

    def array(self, width: int) -> tuple[int, ...]:
        """Signed integers of `width` bytes."""
        raw = self.take(self.varint() * width)
        return tuple(np.frombuffer(raw, f"<i{width}").tolist())

    def align(self, to: int, start: int = 0) -> None:
        self.take(-(self.at - start) % to)


def sections(cursor: Cursor) -> dict[str, Cursor]:
    """The payload of each section."""
    found: dict[str, Cursor] = {}
    while (head := cursor.byte()) != 0:
        name = _NAMES.get(head & 127)
        if name is None or name in found:
            cursor.fail(f"section {head & 127} is unknown, or there twice")
        length = cursor.varint()
        if head & 128:
            alignment = cursor.varint()
            if alignment == 0 or alignment & (alignment - 1):
                cursor.fail(f"alignment {alignment} is no power of two")
            cursor.align(alignment)
        found[name] = cursor.part(length)
    if not cursor.done():
        cursor.fail("bytes after the end")
    return found


def _table(cursor: Cursor | None, width: int) -> list[Cursor]:
    """Entries of a table with offsets of `width` bytes."""
    if cursor is None:
        return []
    start, count = cursor.at, cursor.count()
    if count == 0:
        return []
    cursor.align(width, start)
    raw = cursor.take(count * width)
    offsets = [*np.frombuffer(raw, f"<u{width}").tolist(), cursor.end - cursor.at]
    base, entries = cursor.at, []
    for begin, end in itertools.pairwise(offsets):
        if not 0 <= begin <= end <= cursor.end - base:
            cursor.fail(f"an entry from byte {begin} to {end} of a table")
        entries.append(Cursor(cursor.data, base + begin, base + end, cursor.error))
    return entries


class Tables:
    """What the rest of a file refers to by number."""

    def __init__(self, found: dict[str, Cursor], version: tuple[int, int], error: type[Exception]):
        self.version, self._error = version, error
        self._strings = _table(found.get("strings"), 4)
        self._types = _table(found.get("types"), 4)
        self._constants = _table(found.get("constants"), 8)
        self._known: dict[int, Any] = {}

    def _entry(self, entries: list[Cursor], cursor: Cursor, what: str) -> Cursor:
        number = cursor.varint()
        if number >= len(entries):
            cursor.fail(f"{what} {number} of {len(entries)}")
        entry = entries[number]
        return Cursor(entry.data, entry.at, entry.end, entry.error)

    def string(self, cursor: Cursor) -> str:
        entry = self._entry(self._strings, cursor, "string")
        return entry.take(entry.end - entry.at).decode("utf-8", "replace")

    def type(self, cursor: Cursor, depth: int = 0) -> Any:
        at = cursor.at
        number = cursor.varint()
        if number not in self._known:
            if depth > 20:
                cursor.fail("types nested too deep")
            self._known[number] = self._read_type(
                self._entry(self._types, Cursor(cursor.data, at, cursor.end, cursor.error), "type"), depth + 1
            )
        return self._known[number]

    def _read_type(self, cursor: Cursor, depth: int) -> Any:
        tag = cursor.varint()
        if tag < len(_SCALARS):
            return Scalar(_SCALARS[tag])
        if tag in _NEWER:
            return Scalar(_NEWER[tag])
        if tag == 12:
            if self.version >= (13, 4):
                cursor.varint()
            return Pointer(self._expect(cursor, depth, Scalar, Pointer))
        if tag == 13:
            element, shape = self._expect(cursor, depth, Scalar, Pointer), cursor.array(8)
            if any(n < 1 for n in shape) or np.prod(shape, dtype=object) > _MAX_ELEMENTS:
                cursor.fail(f"a tile of shape {shape}")
            return Tile(element, shape)
        if tag == 14:
            if self.version >= (13, 4):
                cursor.varint()
            element = self._expect(cursor, depth, Scalar, Pointer)
            shape, strides = (tuple(None if n == _DYNAMIC else n for n in cursor.array(8)) for _ in range(2))
            if len(shape) != len(strides) or any(n is not None and n < 0 for n in shape):
                cursor.fail(f"a tensor of shape {shape} with strides {strides}")
            return TensorView(element, shape, strides)
        if tag in _VIEWS:
            return self._read_view(cursor, tag, depth)
        if tag == 16:
            inputs = tuple(self.type(cursor, depth) for _ in range(cursor.count()))
            return Function(inputs, tuple(self.type(cursor, depth) for _ in range(cursor.count())))
        if tag == 17:
            return Token()
        return cursor.fail(f"type tag {tag}")

    def _expect(self, cursor: Cursor, depth: int, *kinds: type) -> Any:
        found = self.type(cursor, depth)
        if not isinstance(found, kinds):
            cursor.fail(f"unexpected type {found}")
        return found

    def _read_view(self, cursor: Cursor, tag: int, depth: int) -> TileView:
        flags = cursor.varint() if self.version >= (13, 3) else 0
        tile = cursor.array(4)
        steps = cursor.array(4) if tag == 21 else tile
        tensor, sparse = self._expect(cursor, depth, TensorView), None
        if tag == 20:
            sparse, dim_map = cursor.varint(), tuple(range(len(tile)))
        else:
            dim_map = cursor.array(4)
        if self.version < (13, 3):
            flags = cursor.byte()
        number = cursor.varint() if flags & 1 else None
        rank = len(tensor.shape)
        fits = len(tile) == len(steps) == len(dim_map) == rank and sorted(dim_map) == list(range(rank))
        if not fits or any(n < 1 for n in (*tile, *steps)) or (number or 0) >= len(PADDINGS):
            cursor.fail(f"a view with tiles of {tile} of {tensor}")
        padding = None if number is None else PADDINGS[number]
        return TileView(_VIEWS[tag], tile, tensor, dim_map, padding, steps, sparse)

    def dense(self, cursor: Cursor, type_: Any) -> np.ndarray:
        """The elements of a constant of a tile type."""
        entry = self._entry(self._constants, cursor, "constant")
        raw = entry.take(entry.varint())
        if not isinstance(type_, Tile) or type_.element not in map(Scalar, DTYPES):
            cursor.fail(f"a constant of type {type_}")
        size = int(np.prod(type_.shape, dtype=np.int64))
        name = type_.element.name
        values = _bits(raw, size) if name == "i1" else _elements(raw, name)
        if values is None or values.size not in (1, size):
            cursor.fail(f"{len(raw)} bytes for a constant of {type_}")
        return np.broadcast_to(values, (size,)).reshape(type_.shape)


def _bits(raw: bytes, size: int) -> np.ndarray | None:
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little").astype(bool)
    if size > 8 and len(raw) == 1:
        return bits[:1]
    return bits[:size] if len(raw) == -(-size // 8) else None


def _elements(raw: bytes, name: str) -> np.ndarray | None:
    dtype = DTYPES[name]
    if name == "tf32":
        if not raw or len(raw) % 3:
            return None
        parts = np.frombuffer(raw, np.uint8).reshape(-1, 3).astype(np.uint32)
        return ((parts[:, 0] | parts[:, 1] << 8 | parts[:, 2] << 16) << 13).astype(np.uint32).view(np.float32)
    return np.frombuffer(raw, dtype) if raw and len(raw) % dtype.itemsize == 0 else None
