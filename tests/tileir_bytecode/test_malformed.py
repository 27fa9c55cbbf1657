"""Invalid bytecode raises BytecodeError with an offset: no other exception, no hang, little memory. Whatever
can be read, even if it makes no sense, can be printed, parsed and written."""

from __future__ import annotations

import functools
import tracemalloc

import numpy as np
import pytest
from bytecode_operations import OPERATIONS, module
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.versions import VERSIONS

HUGE = [
    b"\xff" * 9 + b"\x01",  # 2^64 - 1
    b"\x80" * 9 + b"\x01",  # 2^63
    b"\xff" * 4 + b"\x0f",
    b"\xff" * 20,
    b"\x80" * 9 + b"\x00",  # 0, and longer than needed
]
SMALL = settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@functools.cache
def corpus() -> list[bytes]:
    """Modules of few operations and of many, in each version that can hold them."""
    names = list(OPERATIONS)
    groups = [names[i : i + 1] for i in range(0, len(names), 5)] + [names]
    found = []
    for group in groups:
        for version in VERSIONS:
            kept = [n for n in group if OPERATIONS[n][1] <= "13." + str(version[1])]
            if kept:
                found.append(tileir.write_bytecode(module(*kept), version))
    return found


def pick(number: int) -> bytes:
    return corpus()[number % len(corpus())]


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


files = st.integers(0, 10**6)  # numbers of files in the corpus
places = st.integers(0, 2**31)


@SMALL
@given(files, places)
def test_truncated(number: int, place: int) -> None:
    data = pick(number)
    cut = data[: place % len(data)]
    with pytest.raises(tileir.BytecodeError) as caught:
        tileir.read_bytecode(cut)
    assert 0 <= caught.value.offset <= len(cut)


@SMALL
@given(files, st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=4))
def test_changed_bytes(number: int, changes: list[tuple[int, int]]) -> None:
    data = pick(number)
    changed = bytearray(data)
    for place, byte in changes:
        changed[place % len(data)] = byte
    read(bytes(changed))


@SMALL
@given(files, places, st.sampled_from(HUGE), st.booleans())
def test_huge_numbers(number: int, place: int, huge: bytes, insert: bool) -> None:
    data = pick(number)
    at = place % len(data)
    read(data[:at] + huge + data[at + (0 if insert else len(huge)) :])


@SMALL
@given(files, files, places, places, places)
def test_spliced(number: int, second: int, place: int, begin: int, length: int) -> None:
    data, other = pick(number), pick(second)
    at, begin = place % len(data), begin % len(other)
    piece = other[begin : begin + length % 64]
    read(data[:at] + piece + data[at + len(piece) :])


@SMALL
@given(st.binary(max_size=200), st.sampled_from(VERSIONS))
def test_noise(noise: bytes, version: tuple[int, int]) -> None:
    read(b"\x7fTileIR\0" + bytes([*version, 0, 0]) + noise)


@SMALL
@given(files, st.sampled_from(VERSIONS))
def test_another_version(number: int, version: tuple[int, int]) -> None:
    """A file whose version number is not that of its contents."""
    data = pick(number)
    read(data[:8] + bytes(version) + data[10:])


# --- files made by hand ---

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


# --- the debug section ---

UNKNOWN, PLACE, CALL = 0, 4, 6


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


@pytest.mark.parametrize("data", [10**15, "text", None, [127, 84]])
def test_what_is_no_bytes(data: object) -> None:
    with pytest.raises(TypeError, match="bytes-like"):
        tileir.read_bytecode(data)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_any_buffer_is_read(kind) -> None:
    assert tileir.read_bytecode(kind(pick(0))).entries
