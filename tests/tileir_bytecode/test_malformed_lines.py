"""The debug section of bytecode: lines of operations, and malformed sections."""

from __future__ import annotations

import numpy as np
import pytest
from bytecode_files import (
    CONSTANTS,
    DEBUG,
    FUNCTION,
    FUNCTIONS,
    I1,
    RETURN,
    SMALL,
    STRINGS,
    TILE,
    TOKEN,
    TYPES,
    fails,
    file,
    read,
    section,
    shape,
    table,
    varint,
)
from hypothesis import given
from hypothesis import strategies as st

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk

UNKNOWN, PLACE, CALL = 0, 4, 6
places = st.integers(0, 2**31)


def debug(references: list[int], attributes: list[bytes], offset: int = 0) -> bytes:
    """A debug section of one record."""
    start = b"\1\xcb\xcb\xcb" + np.array([offset], "<u4").tobytes() + varint(len(references))
    start += b"\xcb" * (-len(start) % 8) + np.array(references, "<u8").tobytes()
    count = varint(len(attributes))
    offsets = np.cumsum([0, *map(len, attributes[:-1])]).astype("<u4").tobytes()
    start += count
    return start + b"\xcb" * (-len(start) % 4) + offsets + b"".join(attributes)


def with_debug(section_: bytes, place: int = 1) -> bytes:
    """Two tokens, the second in an `if`, and debug information."""
    body = (
        bytes([0x44, 1])
        + bytes([0x10, 3, 0])
        + bytes([0x32, 0, 1, 2, 1, 0, 2, 0x44, 1, 0x6D, 0, 0, 0])
        + RETURN
    )
    return file(
        section(STRINGS, table([b"k"], 4)),
        section(
            TYPES,
            table([bytes([FUNCTION, 0, 0]), bytes([TOKEN]), bytes([I1]), bytes([TILE, 2]) + shape()], 4),
        ),
        section(CONSTANTS, table([b"\1\1"], 8)),
        section(FUNCTIONS, bytes([1, 0, 0, 2, place]) + varint(len(body)) + body),
        section(DEBUG, section_),
    )


def place(line: int) -> bytes:
    return bytes([PLACE, 0, 0]) + varint(line) + b"\1"


def lines(data: bytes) -> list[int]:
    return [op.line for op in walk(tileir.read_bytecode(data).entries[0].body)]


def test_lines() -> None:
    """In the order of the payload; an inlined operation has the line of the outermost call."""
    attributes = [bytes([UNKNOWN]), place(7), place(300), bytes([CALL, 2, 3]), bytes([CALL, 2, 4])]
    record = [1, 2, 0, 1, 3, 4, 5]
    assert lines(with_debug(debug(record, attributes))) == [7, 0, 0, 300, 300, 300]
    assert lines(with_debug(debug([9, *record], attributes, offset=1))) == [7, 0, 0, 300, 300, 300]
    assert lines(with_debug(debug(record[:3], attributes))) == [7, 0, 0, 0, 0, 0]
    assert lines(with_debug(debug(record, attributes), place=0)) == [0] * 6
    assert lines(with_debug(debug(record, attributes, offset=2**32 - 1))) == [0] * 6


@pytest.mark.parametrize(
    ("section_", "message"),
    [
        (b"", "expected a number"),
        (varint(2**40), "expected [0-9]+ entries"),
        (b"\0" * 8 + varint(2**40), "expected [0-9]+ entries"),
        (debug([1, 2], [place(7)]), "debug attribute 2 of 1"),
        (debug([1, 2**64 - 1], [place(7)]), "debug attribute 18446744073709551615 of 1"),
        (debug([1, 1], [bytes([CALL, 1, 1])]), "debug attribute 1 refers to itself"),
        (debug([1, 1], [bytes([PLACE, 0])]), "expected a number"),
    ],
)
def test_malformed_lines(section_: bytes, message: str) -> None:
    fails(with_debug(section_), message)


def test_a_record_that_is_not_there() -> None:
    fails(with_debug(debug([1, 1], [place(7)]), place=3), "debug record 3 of 1")


#: A file, the compile unit, a function, a block in it, locations in both, a call site.
SCOPED = [
    bytes([2, 0, 0]),
    bytes([1, 1]),
    bytes([5, 1, 3, 0, 0, 2, 4]),
    bytes([3, 3, 1, 5, 6]),
    bytes([PLACE, 3, 0, 7, 8]),
    bytes([PLACE, 4, 0, 9, 10]),
    bytes([CALL, 6, 5]),
]


@SMALL
@given(st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=4), places)
def test_changed_debug_sections(changes: list[tuple[int, int]], cut: int) -> None:
    bare = debug([1, 2, 3, 3, 2, 1, 2], [place(7), bytes([CALL, 1, 3]), place(2)])
    for section_ in (bare, debug([5, 5, 6, 7, 0, 6, 5], SCOPED)):
        changed = bytearray(section_)
        for where, byte in changes:
            changed[where % len(changed)] = byte
        read(with_debug(bytes(changed)))
        read(with_debug(bytes(changed[: cut % len(changed)])))


@pytest.mark.parametrize(
    ("references", "attributes", "message"),
    [
        ([3], SCOPED, "debug attribute 3 is not a location"),
        (
            [1],
            [bytes([PLACE, 2, 0, 7, 1]), SCOPED[0]],
            "debug attribute 2 is not a Subprogram or LexicalBlock",
        ),
        ([1], [bytes([CALL, 2, 2]), SCOPED[0]], "debug attribute 2 is not a Location or CallSite"),
        ([1], [bytes([PLACE, 0, 9, 7, 1])], "string 9 of 1"),
        ([2], [bytes([CALL, 2, 0]), bytes([CALL, 1, 1])], "debug attribute . refers to itself"),
    ],
)
def test_references_of_another_kind(references: list[int], attributes: list[bytes], message: str) -> None:
    fails(with_debug(debug(references, attributes)), message)
