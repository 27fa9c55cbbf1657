"""Reads and writes the binary form of modules, versions 13.1 to 13.5.

A file is a header and sections (sections.py). tables/operations.tsv describes each operation, and
tables/encodings.tsv the types and attributes; payload.py follows these descriptions, and the same walk reads
and writes. Numbers are LEB128 ("varint").

Attributes of arguments, names of values and table entries that nothing refers to are not kept.
"""

from __future__ import annotations

from typing import Any

from ..errors import BuildTypeError
from .codec import BytecodeError, NeedsVersion, Reader, Writer
from .debug import Locations, LocationWriter
from .instructions import Body, check_end
from .ir import Block, Entry, Function, Global, Value
from .module import Module, check_module
from .payload import Io, enumerator, tagged
from .pools import Pools, Tables
from .sections import read_sections, table, write_section
from .versions import NEWEST, OLDEST, VERSIONS, Version, dotted

__all__ = ["BytecodeError", "read_bytecode", "write_bytecode"]

_MAGIC = b"\x7fTileIR\0"
_HINTS = 11
_ARRAY = 6
_PRIVATE, _ENTRY, _HAS_HINTS, _FLAGS = 1, 2, 4, 7  # bits of a function's flags; the last is all of them


def read_bytecode(data: bytes) -> Module:
    """The module that the binary form holds.

    data:  the contents of a file

    Raises BytecodeError, with the offset of what is wrong, if the bytes are not a valid module.
    If there is debug information, entries and operations get their locations, and each operation its line in
    the source; an inlined operation gets the line that it was inlined to.
    """
    try:
        # bytes(n) would be n zeros: an integer is not a file, and a large one must not exhaust memory.
        data = bytes(memoryview(data))
    except TypeError:
        raise BuildTypeError(f"bytecode must be a bytes-like object, got {type(data).__name__}") from None
    if not data.startswith(_MAGIC):
        raise BytecodeError("this is not Tile IR bytecode: it does not begin with 7F 'TileIR' 00", 0)
    io = Reader(data, len(_MAGIC), len(data), NEWEST)
    version = (io.byte(), io.byte())
    if version not in VERSIONS:
        known = f"{dotted(OLDEST)} to {dotted(NEWEST)}"
        raise BytecodeError(f"version {dotted(version)}: expected {known}", 8)
    if io.take(2) != b"\0\0":
        raise BytecodeError("it has a section that is only a preview", 10)
    io.version = version
    found = read_sections(io)
    tables = Tables(found)
    for section in found.values():
        section.tables = tables
    module = Module(version=version)
    if "producer" in found:
        section = found["producer"]
        module.producer = section.tables.string(section)
        section.at_end("the producer")
    if "globals" in found:
        module.globals = found["globals"].sequence(None, lambda _: _global(found["globals"]))
        found["globals"].at_end("the globals")
    if "functions" not in found:
        io.fail("the section of functions is missing")
    locations = Locations(found["debug"]) if "debug" in found else None
    module.entries = _read_entries(found["functions"], locations)
    _check_names(io, module)
    return module


def write_bytecode(m: Module, version: Version | str | None = None) -> bytes:
    """The binary form of a module.

    m:       a module, as parse returns it
    version: (13, 3) or "13.3"; by default the lowest that can hold the module, which all newer tools read

    Locations are written if the format can express them: a place needs the function or block that it is in.
    Raises BytecodeError, which names the operation, if the module is invalid or does not fit the version.
    """
    check_module(m)
    wanted = OLDEST if version is None else _version(version)
    while True:
        try:
            return _write(m, wanted)
        except NeedsVersion as error:
            if version is not None:
                raise
            wanted = error.version


def _version(version: Version | str) -> Version:
    try:
        parts = version.split(".") if isinstance(version, str) else version
        found = tuple(int(part) for part in parts)
    except (TypeError, ValueError):
        found = ()
    if found not in VERSIONS:
        known = ", ".join(map(dotted, VERSIONS))
        raise BytecodeError(f"version {version!r}: expected one of {known}", None)
    return found


def _write(m: Module, version: Version) -> bytes:
    pools = Pools(version)
    out = Writer(version)
    out.out += _MAGIC + bytes([*version, 0, 0])
    _check_names(out, m)

    def part(write: Any) -> bytes:
        io = Writer(version, pools)
        write(io)
        return bytes(io.out)

    locations = LocationWriter()
    # Names, signatures and places of entries are numbered first, as NVIDIA's compiler does.
    for entry in m.entries:
        _write_signature(Writer(version, pools), entry)
        locations.number(entry.location)
    if m.globals:
        write_section(out, "globals", part(lambda io: io.sequence(m.globals, lambda g: _global(io, g))))
    functions = part(lambda io: io.sequence(m.entries, lambda entry: _write_entry(io, entry, locations)))
    debug = locations.section(Writer(version, pools))
    producer = part(lambda io: io.tables.string(io, m.producer)) if m.producer else b""
    functions += b"\xcb" * (-len(functions) % 8)
    write_section(out, "functions", functions)
    if pools.constants:
        write_section(out, "constants", table(out, (raw for _, raw in pools.constants), 8))
    if debug:
        write_section(out, "debug", debug)
    write_section(out, "types", table(out, pools.types, 4))
    if producer:
        write_section(out, "producer", producer)
    write_section(out, "strings", table(out, (name.encode() for name in pools.strings), 4))
    return bytes(out.out) + b"\0"


def _check_names(io: Io, module: Module) -> None:
    seen: set[str] = set()
    for name in [found.name for found in module.globals] + [found.name for found in module.entries]:
        if name in seen:
            io.fail(f"two entries or globals are named {name!r:.100}")
        seen.add(name)


def _global(io: Io, item: Global | None = None) -> Global:
    """Reads a global, or writes `item`."""
    of = (lambda name: None) if item is None else (lambda name: getattr(item, name))
    io.where = "" if item is None else f"global {item.name!r:.100}"
    name, type_ = io.tables.string(io, of("name")), io.tables.type(io, of("type"))
    value, alignment = io.tables.dense(io, of("value"), type_), io.varint(of("alignment"))
    visibility, constant = "private" if of("private") else "public", bool(of("constant"))
    if io.version >= (13, 3):
        visibility = enumerator(io, visibility, "SymbolVisibility")
        constant = bool(io.varint(int(constant)))
    elif visibility == "private" or constant:
        io.needs((13, 3), "a global that is private or constant")
    return Global(name, type_, value, alignment, visibility == "private", constant)


def _read_entries(io: Reader, locations: Locations | None) -> list[Entry]:
    # Entries may share a signature; what they have together is bounded by the file, so that a small file does
    # not become a large module.
    left = 4096 + len(io.data)
    result = []
    for _ in range(io.count()):
        name, signature, flags = io.tables.string(io), io.tables.type(io), io.byte()
        io.where = f"entry {name!r:.100}"
        if not isinstance(signature, Function) or signature.results:
            io.fail("its type is not a function without results")
        if flags > _FLAGS and io.version >= (13, 4):  # older versions ignore the other bits
            io.fail(f"flags {flags:x} (hexadecimal): expected at most {_FLAGS}")
        if not flags & _ENTRY or (io.version >= (13, 5) and flags & _HAS_HINTS):
            io.fail("functions that are not entries are only a preview")
        if flags & _PRIVATE:
            io.fail("an entry cannot be private")
        left -= len(signature.inputs)
        if left < 0:
            io.fail("there are more parameters than the file has bytes")
        record = io.varint()
        places = iter(()) if locations is None else locations.of(record)
        hints = tagged(io) if io.version >= (13, 5) or flags & _HAS_HINTS else {}
        if not isinstance(hints, dict):
            io.fail("its hints are not a dictionary")
        if io.version >= (13, 5) and not isinstance(tagged(io), list):
            io.fail("the attributes of its arguments are not a list")
        arguments = [Value(type_, f"arg{i}") for i, type_ in enumerate(signature.inputs)]
        part = io.part(io.varint())
        location = next(places, None)
        body, ops = Body(part, arguments, places), []
        while not part.done():
            ops.append(body.operation())
        part.where = io.where
        check_end(part, ops)
        result.append(Entry(name, Block(arguments, ops), hints, location))
    return result


def _write_signature(io: Writer, entry: Entry) -> None:
    io.tables.string(io, entry.name)
    io.tables.type(io, Function(tuple(value.type for value in entry.params)))


def _write_entry(io: Writer, entry: Entry, locations: LocationWriter) -> None:
    io.where = where = f"entry {entry.name!r:.100}"
    newest = io.version >= (13, 5)
    _write_signature(io, entry)
    io.byte(_ENTRY | (_HAS_HINTS if entry.hints and not newest else 0))
    part = Writer(io.version, io.tables)
    body = Body(part, entry.params)
    for op in entry.body.ops:
        body.operation(op)
    io.where = where
    check_end(io, entry.body.ops)
    io.varint(locations.record([entry.location, *body.locations]))
    if entry.hints or newest:
        tagged(io, entry.hints, tag=_HINTS)
    if newest:
        tagged(io, [], tag=_ARRAY)
    io.varint(len(part.out))
    io.out += part.out
