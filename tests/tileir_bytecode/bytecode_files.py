"""Bytecode files of Tile IR made by hand, byte by byte, and what reading a damaged one may do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from pycuda_tile import tileir

SMALL = settings(max_examples=300, derandomize=True, suppress_health_check=list(HealthCheck))


STRINGS, FUNCTIONS, DEBUG, CONSTANTS, TYPES, GLOBALS, PRODUCER = 1, 2, 3, 4, 5, 6, 7
F32, I1, PTR, TILE, TENSOR, PARTITION, FUNCTION, TOKEN = 7, 0, 12, 13, 14, 15, 16, 17
ENTRY = bytes([1, 0, 0, 2, 0])  # one function: string 0, type 0, an entry, no location
RETURN = bytes([0x5C, 0, 0])


def varint(value: int) -> bytes:
    low = value & 127
    return bytes([low]) if value < 128 else bytes([low | 128]) + varint(value >> 7)


def table(entries: list[bytes], width: int) -> bytes:
    if not entries:
        return b"\0"
    count = varint(len(entries))
    offsets = np.cumsum([0, *map(len, entries[:-1])]).astype(f"<u{width}").tobytes()
    return count + b"\xcb" * (-len(count) % width) + offsets + b"".join(entries)


def section(number: int, payload: bytes) -> bytes:
    return bytes([number]) + varint(len(payload)) + payload


def file(*sections: bytes, version: tuple[int, int] = (13, 3), end: bytes = b"\0") -> bytes:
    return b"\x7fTileIR\0" + bytes([*version, 0, 0]) + b"".join(sections) + end


def with_body(body: bytes, types: tuple[bytes, ...] = (), constants: tuple[bytes, ...] = ()) -> bytes:
    """An entry without parameters, which has type 0."""
    functions = ENTRY + varint(len(body)) + body
    return file(
        section(STRINGS, table([b"k"], 4)),
        section(TYPES, table([bytes([FUNCTION, 0, 0]), *types], 4)),
        section(CONSTANTS, table([varint(len(c)) + c for c in constants], 8)),
        section(FUNCTIONS, functions),
    )


def shape(*extents: int) -> bytes:
    return varint(len(extents)) + np.array(extents, "<i8").tobytes()


def fails(data: bytes, message: str) -> None:
    with pytest.raises(tileir.BytecodeError, match=message) as caught:
        tileir.read_bytecode(data)
    assert 0 <= caught.value.offset <= len(data)


def read(data: bytes) -> None:
    """Reads the data, or gets an error with an offset. What can be read can be written and read again, also
    as text."""
    try:
        m = tileir.read_bytecode(data)
    except tileir.BytecodeError as error:
        assert error.offset is not None and 0 <= error.offset <= len(data)
        assert str(error).startswith(f"byte {error.offset}: ")
        return
    written = tileir.write_bytecode(m)
    again = tileir.read_bytecode(written)
    assert tileir.equal(again, m)
    if len(data) > 3000:  # slow, and contains nothing that the others do not
        return
    parsed = tileir.parse(str(m))
    assert tileir.equal(parsed, m) and str(parsed) == str(m)
    parsed.producer = m.producer  # the text does not keep its blanks
    assert tileir.write_bytecode(parsed, (13, written[9])) == written  # with the same locations
