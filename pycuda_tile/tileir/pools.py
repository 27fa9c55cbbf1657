"""The strings, types and constants to which the rest of the binary form refers by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dense, payload
from .codec import Reader, Writer
from .ir import MAX_AXES, MAX_ELEMENTS, Function, Pointer, Scalar, TensorView, Tile, TileView, Token
from .versions import Version


class Tables:
    """What a file being read refers to. Each entry is built once, however often it is used, so that a small
    file stays small in memory."""

    def __init__(self, sections: dict[str, Reader]):
        self._strings = _table(sections.get("strings"), 4)
        self._types = _table(sections.get("types"), 4)
        self._constants = _table(sections.get("constants"), 8)
        self._known: dict[Any, Any] = {}

    def _entry(self, entries: list[tuple[int, int]], io: Reader, what: str) -> tuple[int, Reader]:
        number = io.varint()
        if number >= len(entries):
            io.fail(f"{what} {number} of {len(entries)}")
        begin, end = entries[number]
        return number, Reader(io.data, begin, end, io.version, self)

    def string(self, io: Reader, _: str | None = None) -> str:
        number, entry = self._entry(self._strings, io, "string")
        if ("string", number) not in self._known:
            try:
                self._known["string", number] = entry.take(entry.end - entry.at).decode()
            except UnicodeDecodeError:
                entry.fail(f"string {number} is not UTF-8")
        return self._known["string", number]

    def type(self, io: Reader, _: Any = None, depth: int = 0) -> Any:
        number, entry = self._entry(self._types, io, "type")
        if ("type", number) not in self._known:
            found = payload.type_(entry, None, depth)
            entry.at_end(f"type {number}")
            check_type(entry, found)
            self._known["type", number] = found
        return self._known["type", number]

    def dense(self, io: Reader, _: Any, type_: Any) -> np.ndarray:
        number, entry = self._entry(self._constants, io, "constant")
        name = dense.element_of(type_)
        if name is None:
            io.fail(f"a constant of type {type_}")
        if ("dense", number, name) not in self._known:
            raw = entry.take(entry.varint())
            entry.at_end(f"constant {number}")
            self._known["dense", number, name] = dense.to_elements(raw, name)
        elements = self._known["dense", number, name]
        found = None if elements is None else dense.to_array(elements, type_)
        if found is None:
            io.fail(f"constant {number} has another length than {type_}")
        return found


def _table(section: Reader | None, width: int) -> list[tuple[int, int]]:
    return [] if section is None else section.table(width, section.at)


class Pools:
    """What a file being written refers to."""

    def __init__(self, version: Version):
        self.version = version
        self.strings: dict[str, int] = {}
        self.constants: dict[tuple[Any, bytes], int] = {}  # by type and bytes, as NVIDIA's compiler has them
        self._types: dict[Any, int] = {}
        self.types: dict[bytes, int] = {}

    def string(self, io: Writer, value: str) -> str:
        if not isinstance(value, str):
            io.fail(f"expected a name or text, got {type(value).__name__} {value!r:.60}")
        try:
            value.encode()
        except UnicodeEncodeError:
            io.fail(f"{value!r:.60} cannot be encoded")
        io.varint(self.strings.setdefault(value, len(self.strings)))
        return value

    def type(self, io: Writer, value: Any, depth: int = 0) -> Any:
        if value not in self._types:
            entry = Writer(self.version, self)
            entry.where = io.where
            check_type(io, value)
            payload.type_(entry, value, depth)
            self._types[value] = self.types.setdefault(bytes(entry.out), len(self.types))
        io.varint(self._types[value])
        return value

    def dense(self, io: Writer, value: Any, type_: Any) -> Any:
        name = dense.element_of(type_)
        if name is None:
            io.fail(f"a constant of type {type_}")
        array, dtype = np.asarray(value), dense.DTYPES[name]
        if array.dtype != dtype or array.shape not in ((), type_.shape):
            io.fail(f"an array of {array.dtype} {array.shape} is not a constant of type {type_}")
        raw = dense.to_bytes(np.broadcast_to(array, type_.shape), name)
        entry = Writer(self.version)
        entry.varint(len(raw))
        io.varint(self.constants.setdefault((type_, bytes(entry.out) + raw), len(self.constants)))
        return value


def check_type(io: payload.Io, found: Any) -> None:
    """Checks that the parts of a type are consistent."""
    wrong = _wrong(found)
    if wrong:
        io.fail(wrong)


def _wrong(found: Any) -> str:
    if isinstance(found, (Pointer, Tile, TensorView)):
        element = found.pointee if isinstance(found, Pointer) else found.element
        if not isinstance(element, (Scalar, Pointer)):
            return f"elements of type {element}"
    if isinstance(found, Tile):
        if not len(found.shape) <= MAX_AXES or not _few(found.shape):
            return f"a tile of shape {found.shape!s:.100}"
    elif isinstance(found, TensorView):
        if len(found.shape) != len(found.strides) or any(n is not None and n < 0 for n in found.shape):
            return f"a tensor of shape {found.shape!s:.100} with strides {found.strides!s:.100}"
        if any(n is not None and n < 0 for n in found.strides):
            return f"a tensor with strides {found.strides!s:.100}"
        if len(found.shape) > MAX_AXES:
            return f"a tensor of {len(found.shape)} axes"
    elif isinstance(found, TileView):
        return _wrong_view(found)
    elif isinstance(found, Function):
        if any(
            not isinstance(t, (Tile, Token, TensorView, TileView)) for t in (*found.inputs, *found.results)
        ):
            return "a function of something that is not a tile, view or token"
    elif not isinstance(found, (Scalar, Pointer, Token)):
        return f"{type(found).__name__} {found!r:.60} is not a type"
    return ""


def _few(shape: tuple[int, ...]) -> bool:
    size = 1
    for extent in shape:
        size *= extent
        if not 1 <= size <= MAX_ELEMENTS:
            return False
    return True


def _wrong_view(view: TileView) -> str:
    if not isinstance(view.tensor, TensorView):
        return f"a view of {view.tensor}"
    rank, steps = len(view.tensor.shape), view.steps or view.tile
    fits = len(view.tile) == len(steps) == rank and sorted(view.dim_map) == list(range(rank))
    if not fits or any(n < 1 for n in steps) or not _few(view.tile):
        return f"a view of tiles {view.tile!s:.100} of {view.tensor}"
    if view.kind == "gather_scatter_view" and not (view.sparse is not None and view.sparse < rank):
        return f"a gather_scatter_view of {view.tensor} along axis {view.sparse}"
    return ""
