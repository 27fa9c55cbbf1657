"""Sections of the binary form: what a file consists of."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .codec import Reader, Writer

#: Name and alignment by id; the alignment of sections that need none is 0.
_SECTIONS = {
    1: ("strings", 4),
    2: ("functions", 8),
    3: ("debug", 8),
    4: ("constants", 8),
    5: ("types", 4),
    6: ("globals", 0),
    7: ("producer", 0),
}
_IDS = {name: (number, alignment) for number, (name, alignment) in _SECTIONS.items()}


def read_sections(io: Reader) -> dict[str, Reader]:
    """The payload of each section, by name. Sections may come in any order, each at most once."""
    found: dict[str, Reader] = {}
    while (head := io.byte()) != 0:
        if head & 127 not in _SECTIONS:
            io.fail(f"there is no section {head & 127}")
        name, _ = _SECTIONS[head & 127]
        if name in found:
            io.fail(f"there are two sections of {name}")
        length = io.varint()
        if head & 128:
            alignment = io.varint()
            if alignment == 0 or alignment & (alignment - 1):
                io.fail(f"alignment {alignment} is not a power of two")
            io.align(alignment)
        found[name] = io.part(length)
    io.at_end("the last section")
    return found


def write_section(io: Writer, name: str, payload: bytes) -> None:
    number, alignment = _IDS[name]
    io.byte(number | (128 if alignment else 0))
    io.varint(len(payload))
    if alignment:
        io.varint(alignment)
        io.align(alignment)
    io.out += payload


def table(io: Writer, entries: Iterable[bytes], width: int) -> bytes:
    """The payload of a table with offsets of `width` bytes."""
    entries = list(entries)
    part = Writer(io.version)
    part.varint(len(entries))
    if entries:
        part.align(width)
        lengths = [0, *map(len, entries[:-1])]
        part.out += np.cumsum(lengths).astype(f"<u{width}").tobytes() + b"".join(entries)
    return bytes(part.out)
