"""Edits the symbols of ELF object files: makes them local or global, renames them, and stops initialisers.

The device half of a file defines what the host half defines as well, so its symbols must become local before
both are linked. objcopy does not do this for functions in COMDAT groups, and is not everywhere.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import NamedTuple

from ..errors import Error

_SYMTAB, _RELA, _GROUP, _SYMBOL_SECTIONS, _ADDRESSED = 2, 4, 17, 18, 0x6FFF4C03
_LOCAL, _GLOBAL, _WEAK = 0, 1, 2
_HIDDEN, _PROTECTED = 2, 3
_UNDEFINED = 0
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")


class Symbol(NamedTuple):
    name: str
    info: int  # binding and type
    other: int
    section: int
    value: int
    size: int

    @property
    def is_local(self) -> bool:
        return self.info >> 4 == _LOCAL

    @property
    def is_defined(self) -> bool:
        return self.section != _UNDEFINED

    @property
    def is_hidden(self) -> bool:
        return self.other & 3 == _HIDDEN

    @property
    def is_protected(self) -> bool:
        return self.other & 3 == _PROTECTED

    def made_local(self) -> Symbol:
        return self._replace(info=_LOCAL << 4 | self.info & 15, other=0)

    def made_global(self, name: str) -> Symbol:
        return self._replace(info=_GLOBAL << 4 | self.info & 15, other=0, name=name)


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class Object:
    """A relocatable ELF file of 64 bits."""

    def __init__(self, data: bytes):
        self.data = bytearray(data)
        header = _HEADER.unpack_from(data) if len(data) >= _HEADER.size else None
        if header is None or header[0][:6] != b"\x7fELF\x02\x01" or header[1] != 1:
            raise Error(
                "the compiler's output is not an object file that pycuda_tile can join (ELF, 64 bits)"
            )
        self._table, count, self._names = header[6], header[12], header[13]
        if count == 0:  # more than fit into the header
            count = _Section(*_SECTION.unpack_from(data, self._table)).size
        self.sections = [
            _Section(*_SECTION.unpack_from(data, self._table + at * _SECTION.size)) for at in range(count)
        ]
        self._symtab = next((at for at, one in enumerate(self.sections) if one.kind == _SYMTAB), None)
        self.symbols = self._read_symbols()

    def _read_symbols(self) -> list[Symbol]:
        if self._symtab is None:
            return []
        table = self.sections[self._symtab]
        strings = self.sections[table.link]
        names = bytes(self.data[strings.offset : strings.offset + strings.size])
        found = []
        for name, *rest in _SYMBOL.iter_unpack(self.data[table.offset : table.offset + table.size]):
            found.append(Symbol(names[name : names.index(b"\0", name)].decode("latin-1"), *rest))
        return found

    def edit(self, change: Callable[[Symbol], Symbol]) -> None:
        """Replaces symbols. Sections that belong together with a symbol stay so, but no longer give way to
        those of other files."""
        if self._symtab is None:
            return
        changed = [change(symbol) if symbol.name else symbol for symbol in self.symbols]
        order = sorted(range(len(changed)), key=lambda at: not changed[at].is_local)  # stable
        places = [0] * len(order)
        for new, old in enumerate(order):
            places[old] = new
        self.symbols = [changed[at] for at in order]
        self._write_symbols()
        self._renumber(places)

    def stop_initialisers(self) -> None:
        """Lets no dynamic initialiser run, except those of sanitizers, which come first."""
        names = self.sections[self._names]
        text = bytes(self.data[names.offset : names.offset + names.size])
        dropped = self._append(self._names, b"\0cuda_tile_initialisers\0") + 1
        for at, section in enumerate(self.sections):
            name = text[section.name : text.index(b"\0", section.name)]
            found = re.fullmatch(rb"\.(?:init_array|ctors)(?:\.(\d+))?", name)
            if found and not (found[1] and int(found[1]) <= 100):
                self._set(at, section._replace(name=dropped, kind=1))

    def _write_symbols(self) -> None:
        assert self._symtab is not None
        table = self.sections[self._symtab]
        names, offsets = bytearray(b"\0"), {"": 0}
        packed = bytearray()
        for symbol in self.symbols:
            if symbol.name not in offsets:
                offsets[symbol.name] = len(names)
                names += symbol.name.encode("latin-1") + b"\0"
            packed += _SYMBOL.pack(offsets[symbol.name], *symbol[1:])
        if table.link == self._names:  # one table for both, as clang writes
            base = self._append(table.link, b"\0" + bytes(names)) + 1
            for at in range(0, len(packed), _SYMBOL.size):
                (name,) = struct.unpack_from("<I", packed, at)
                struct.pack_into("<I", packed, at, name + base)
        else:
            strings = self.sections[table.link]
            self._set(table.link, strings._replace(offset=self._add(names), size=len(names)))
        first_global = sum(symbol.is_local for symbol in self.symbols)
        self._set(self._symtab, table._replace(offset=self._add(packed, 8), info=first_global))

    def _renumber(self, places: list[int]) -> None:
        """Follows the symbols to their new places in relocations and groups."""
        for at, section in enumerate(self.sections):
            if section.link != self._symtab:
                continue
            if section.kind == _RELA:
                self._renumber_relocations(section, places)
            elif section.kind == _GROUP:
                self._set(at, section._replace(info=places[section.info]))
                if self.symbols[places[section.info]].is_local:
                    struct.pack_into("<I", self.data, section.offset, 0)  # no COMDAT
            elif section.kind == _SYMBOL_SECTIONS:  # the numbers of sections above 65279
                words = struct.unpack_from(f"<{len(places)}I", self.data, section.offset)
                for old, new in enumerate(places):
                    struct.pack_into("<I", self.data, section.offset + 4 * new, words[old])
            elif (
                section.kind == _ADDRESSED
            ):  # which symbols may not be merged: without a link nobody reads it
                self._set(at, section._replace(link=0))

    def _renumber_relocations(self, section: _Section, places: list[int]) -> None:
        for at in range(section.offset, section.offset + section.size, _RELOCATION.size):
            (info,) = struct.unpack_from("<Q", self.data, at + 8)
            struct.pack_into("<Q", self.data, at + 8, places[info >> 32] << 32 | (info & 0xFFFFFFFF))

    def _append(self, section: int, text: bytes) -> int:
        """Lengthens a table of strings; returns where the text begins."""
        table = self.sections[section]
        data = bytes(self.data[table.offset : table.offset + table.size]) + text
        self._set(section, table._replace(offset=self._add(data), size=len(data)))
        return table.size

    def _add(self, data: bytes | bytearray, alignment: int = 1) -> int:
        self.data += bytes(-len(self.data) % alignment)
        offset = len(self.data)
        self.data += data
        return offset

    def _set(self, at: int, section: _Section) -> None:
        self.sections[at] = section
        _SECTION.pack_into(self.data, self._table + at * _SECTION.size, *section)
