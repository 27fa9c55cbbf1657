"""Invalid bytecode raises BytecodeError with a message and an offset, and takes little memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from bytecode_files import (
    CONSTANTS,
    ENTRY,
    F32,
    FUNCTION,
    FUNCTIONS,
    I1,
    PRODUCER,
    PTR,
    RETURN,
    STRINGS,
    TENSOR,
    TILE,
    TOKEN,
    TYPES,
    fails,
    file,
    section,
    shape,
    table,
    varint,
    with_body,
)

from pycuda_tile import tileir


def test_the_files_made_by_hand_can_be_read() -> None:
    constant = bytes([0x10, 2, 0])
    m = tileir.read_bytecode(
        with_body(constant + RETURN, (bytes([F32]), bytes([TILE, 1]) + shape(2)), (bytes(8),))
    )
    assert [op.name for op in m.entries[0].body.ops] == ["constant", "return"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "this is not Tile IR bytecode"),
        (b"\x7fTileIR", "this is not Tile IR bytecode"),
        (b"\x7fTileIR\0", "expected 1 bytes, but 0 are left"),
        (b"\x7fTileIR\0\x0d\x06\0\0\0", "version 13.6: expected 13.1 to 13.5"),
        (b"\x7fTileIR\0\x0c\x01\0\0\0", "version 12.1"),
        (b"\x7fTileIR\0\x0d\x05\x01\0\0", "preview"),
        (file(), "the section of functions is missing"),
        (file(end=b""), "0 are left"),
        (file(section(FUNCTIONS, b"\0"), end=b"\0\0"), "1 bytes are left over after the last section"),
        (file(section(8, b"")), "there is no section 8"),
        (
            file(section(FUNCTIONS, b"\0"), section(FUNCTIONS, b"\0")),
            "there are two sections of functions",
        ),
        (file(bytes([FUNCTIONS | 128, 1, 3, 0])), "alignment 3 is not a power of two"),
        (file(bytes([FUNCTIONS | 128, 1, 0, 0])), "alignment 0 is not a power of two"),
        (file(bytes([FUNCTIONS | 128, 1]) + varint(2**62)), "expected [0-9]+ bytes"),
        (file(bytes([FUNCTIONS]) + varint(2**63)), "expected [0-9]+ bytes"),
        (file(section(FUNCTIONS, varint(2**40))), "entries, but only 0 bytes are left"),
        (file(section(FUNCTIONS, ENTRY)), "string 0 of 0"),
        (file(section(FUNCTIONS, b"\0"), section(STRINGS, varint(2**60))), "expected [0-9]+ entries"),
        (file(section(FUNCTIONS, b"\0"), section(STRINGS, b"\x05" + bytes(20))), "expected [0-9]+ bytes"),
        (
            file(section(PRODUCER, b"\0\0"), section(FUNCTIONS, b"\0"), section(STRINGS, table([b"p"], 4))),
            "left over",
        ),
        (with_body(b""), "entry 'k': a block has no operations"),
        (
            with_body(bytes([0x44, 1]), (bytes([TOKEN]),)),
            "operation 1 of 1 of a block is make_token; the last operation",
        ),
        (
            with_body(RETURN + RETURN),
            "is return; the last operation, and no other",
        ),
        (with_body(RETURN + b"\x5c"), "expected a number, but no bytes are left"),
        (with_body(b"\x19"), "there is no operation 19"),
        (with_body(b"\x16"), "there is no operation 16"),
        (with_body(b"\xff\xff\x03"), "there is no operation ffff"),
        (with_body(bytes([0x77, 0, 0])), "the operation gdc_launch_dependents_tko needs version 13.4"),
        (with_body(bytes([0x4F, 1, 0]), (bytes([F32]),)), "negf: value 0 of 0"),
        (with_body(bytes([0x5C, 1, 0])), "return: has 1 results, expected 0"),
        (with_body(bytes([0x5C, 0]) + varint(2**50)), "expected [0-9]+ entries"),
        (with_body(bytes([0x44, 1])), "type 1 of 1"),
        (with_body(bytes([0x44, 1]), (bytes([99]),)), "type tag 99"),
        (with_body(bytes([0x44, 1]), (bytes([TOKEN, 0]),)), "1 bytes are left over after type 1"),
        (with_body(bytes([0x44, 1]), (b"\x82\x01",)), "type fnv8E5M3FNU needs version 13.4"),
        (with_body(bytes([0x44, 1]), (bytes([PTR, 1]),)), "types are nested too deeply"),
        (with_body(bytes([0x44, 1]), (bytes([PTR, 2]), bytes([TOKEN]))), "elements of type token"),
        (
            with_body(bytes([0x44, 1]), (bytes([FUNCTION, 1, 0, 0]),)),
            "a function of something that is not a tile",
        ),
        (with_body(bytes([0x44, 2]), (bytes([F32]), bytes([TILE, 1]) + shape(0))), "a tile of shape"),
        (with_body(bytes([0x44, 2]), (bytes([F32]), bytes([TILE, 1]) + shape(-4))), "a tile of shape"),
        (
            with_body(bytes([0x44, 2]), (bytes([F32]), bytes([TILE, 1]) + shape(2**62, 2**62))),
            "a tile of shape",
        ),
        (with_body(bytes([0x44, 2]), (bytes([F32]), bytes([TILE, 1]) + shape(*[1] * 33))), "a tile of shape"),
        (
            with_body(bytes([0x44, 2]), (bytes([F32]), bytes([TILE, 1]) + varint(2**61))),
            "expected [0-9]+ bytes",
        ),
        (
            with_body(bytes([0x44, 2]), (bytes([F32]), bytes([TENSOR, 1]) + shape(4) + shape())),
            "a tensor of shape",
        ),
        (with_body(bytes([0x10, 2, 0]), (bytes([F32]), bytes([TILE, 1]) + shape(4))), "constant 0 of 0"),
        (
            with_body(bytes([0x10, 2, 0]), (bytes([F32]), bytes([TILE, 1]) + shape(4)), (bytes(12),)),
            "constant 0 has another length than tile<4xf32>",
        ),
        (
            with_body(bytes([0x10, 2, 0]), (bytes([F32]), bytes([TILE, 1]) + shape(4)), (bytes(3),)),
            "constant 0 has another length",
        ),
        (
            with_body(bytes([0x10, 2, 0]), (bytes([F32]), bytes([TILE, 1]) + shape(4)), (b"",)),
            "constant 0 has another length",
        ),
        (
            with_body(bytes([0x10, 2, 0]), (bytes([I1]), bytes([TILE, 1]) + shape(16)), (bytes(16),)),
            "constant 0 has another length",  # i1 is not stored as one byte per element
        ),
        (with_body(bytes([0x10, 1, 0]), (bytes([TOKEN]),), (b"\0",)), "a constant of type token"),
    ],
)
def test_message(data: bytes, message: str) -> None:
    fails(data, message)


def test_offsets_of_tables() -> None:
    for offsets in ([1, 1], [0, 3], [0, 2**32 - 1], [1, 0]):
        strings = b"\2\xcb\xcb\xcb" + np.array(offsets, "<u4").tobytes() + b"ab"
        fails(file(section(FUNCTIONS, b"\0"), section(STRINGS, strings)), "offsets of a table")


def test_strings_are_utf8() -> None:
    data = file(
        section(STRINGS, table([b"\xff\xfe"], 4)),
        section(TYPES, table([bytes([FUNCTION, 0, 0])], 4)),
        section(FUNCTIONS, ENTRY + b"\3" + RETURN),
    )
    fails(data, "string 0 is not UTF-8")


def test_names_are_unique() -> None:
    body = b"\3" + RETURN
    data = file(
        section(STRINGS, table([b"k"], 4)),
        section(TYPES, table([bytes([FUNCTION, 0, 0])], 4)),
        section(FUNCTIONS, b"\2" + ENTRY[1:] + body + ENTRY[1:] + body),
    )
    fails(data, "two entries or globals are named 'k'")


@pytest.mark.parametrize(
    ("flags", "version", "message"),
    [
        *(
            (flags, version, "functions that are not entries are only a preview")
            for flags, version in ((0, 3), (1, 3), (6, 5))
        ),
        (0x12, 4, "flags 12 "),
        (3, 1, "an entry cannot be private"),
        (0x82, 5, "flags 82 "),
    ],
)
def test_flags_of_functions(flags: int, version: int, message: str) -> None:
    data = file(
        section(STRINGS, table([b"k"], 4)),
        section(TYPES, table([bytes([FUNCTION, 0, 0])], 4)),
        section(FUNCTIONS, bytes([1, 0, 0, flags, 0, 3]) + RETURN),
        version=(13, version),
    )
    fails(data, message)


def test_deep_regions_are_refused_before_the_stack_ends() -> None:
    loop = bytes([0x41, 0, 0, 1, 1, 0, 1])  # no results, no operands, a region with a block of one operation
    fails(with_body(loop * 5000), "regions nested more than 200 deep")


def test_deep_attributes_are_refused_before_the_stack_ends() -> None:
    nested = bytes([0x5E, 0, 0, 0, 1]) + bytes([6, 1]) * 5000  # scan; its identities are lists of lists
    fails(with_body(nested), "attributes are nested too deeply")


def peak(data: bytes) -> int:
    """The peak memory that reading takes, in bytes."""
    tracemalloc.start()
    try:
        tileir.read_bytecode(data)
    except tileir.BytecodeError:
        pass
    finally:
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return found


def test_small_files_stay_small() -> None:
    """A long string, constant or signature with many references is stored only once."""
    asserts = bytes([0x05, 1, 0])  # string 1, value 0
    condition = bytes([0x10, 2, 0])  # a constant of type 2
    types = table(
        [
            bytes([FUNCTION, 0, 0]),
            bytes([I1]),
            bytes([TILE, 1]) + shape(),
            bytes([F32]),
            bytes([TILE, 3]) + shape(1 << 18),
        ],
        4,
    )
    constants = table([b"\1\1", varint(1 << 20) + bytes(1 << 20)], 8)
    body = condition + asserts * 1000 + bytes([0x10, 4, 1]) * 1000 + RETURN
    data = file(
        section(STRINGS, table([b"k", b"x" * (1 << 20)], 4)),
        section(TYPES, types),
        section(CONSTANTS, constants),
        section(FUNCTIONS, ENTRY + varint(len(body)) + body),
    )
    assert len(tileir.read_bytecode(data).entries[0].body.ops) == 2002
    assert peak(data) < 12 << 20


def test_signatures_do_not_multiply() -> None:
    count = 2000
    entry = b"".join(varint(i) + bytes([2, 2, 0, 3]) + RETURN for i in range(count))
    signature = bytes([FUNCTION]) + varint(count) + bytes([1]) * count + b"\0"
    data = file(
        section(STRINGS, table([b"k%d" % i for i in range(count)], 4)),
        section(TYPES, table([bytes([I1]), bytes([TILE, 0]) + shape(), signature], 4)),
        section(FUNCTIONS, varint(count) + entry),
    )
    fails(data, "more parameters than the file has bytes")
    assert peak(data) < 40 << 20


def test_shapes_of_many_extents_are_refused_at_once() -> None:
    """Multiplying a million large extents would take minutes."""
    types = (bytes([F32]), bytes([TILE, 1]) + shape(*[2**62] * (1 << 17)))
    fails(with_body(bytes([0x44, 2]), types), "a tile of shape")
