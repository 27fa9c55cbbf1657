"""Bytecode that is cut, changed or spliced anywhere raises BytecodeError with an offset: no other exception
and no hang. Whatever can be read, even if it makes no sense, can be printed, parsed and written."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from bytecode_files import SMALL, read
from bytecode_operations import OPERATIONS, module
from hypothesis import given
from hypothesis import strategies as st

from pycuda_tile import tileir
from pycuda_tile.tileir.versions import VERSIONS

HUGE = [
    b"\xff" * 9 + b"\x01",  # 2^64 - 1
    b"\x80" * 9 + b"\x01",  # 2^63
    b"\xff" * 4 + b"\x0f",
    b"\xff" * 20,
    b"\x80" * 9 + b"\x00",  # 0, and longer than needed
]


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


@pytest.mark.parametrize("data", [10**15, "text", None, [127, 84]])
def test_what_is_no_bytes(data: object) -> None:
    with pytest.raises(TypeError, match="bytes-like"):
        tileir.read_bytecode(data)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_any_buffer_is_read(kind) -> None:
    assert tileir.read_bytecode(kind(pick(0))).entries
