"""Reads and writes the numbers of the binary form.

Reader and Writer have the same methods, so one walk over a description can do both: a Writer writes its
arguments, a Reader ignores them, and both return what is in the file. `tables` holds what the file refers to
by number (pools.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any, NoReturn

import numpy as np

from pycuda_tile.errors import Error

from .versions import Version, dotted

_LARGEST = 2**64 - 1


class BytecodeError(Error, ValueError):
    """The bytes are not a module, and `offset` says where in the file that was found; or a module cannot be
    written, and `offset` is None."""

    def __init__(self, message: str, offset: int | None):
        super().__init__(message if offset is None else f"byte {offset}: {message}")
        self.message, self.offset = message, offset


class NeedsVersion(BytecodeError):
    """A module uses a feature that older versions lack; `version` is the first that has it."""

    def __init__(self, message: str, version: Version):
        super().__init__(message, None)
        self.version = version


class Reader:
    """A position in a part of the file; reading past the end of the part is an error."""

    reading = True

    def __init__(self, data: bytes, at: int, end: int, version: Version, tables: Any = None):
        self.data, self.at, self.end, self.version, self.tables = data, at, end, version, tables
        self.where = ""  # the operation being read, for messages

    def fail(self, message: str) -> NoReturn:
        raise BytecodeError(f"{self.where}: {message}" if self.where else message, self.at)

    def needs(self, since: Version, what: str) -> None:
        if since > self.version:
            self.fail(
                f"{what} needs version {dotted(since)} or newer, but the file has version "
                f"{dotted(self.version)}"
            )

    def done(self) -> bool:
        return self.at >= self.end

    def take(self, count: int) -> bytes:
        if not 0 <= count <= self.end - self.at:
            self.fail(f"expected {count} bytes, but {self.end - self.at} are left")
        self.at += count
        return self.data[self.at - count : self.at]

    def part(self, count: int) -> Reader:
        if not 0 <= count <= self.end - self.at:
            self.fail(f"expected {count} bytes, but {self.end - self.at} are left")
        start = self.at
        self.at += count
        return Reader(self.data, start, self.at, self.version, self.tables)

    def at_end(self, what: str) -> None:
        if not self.done():
            self.fail(f"{self.end - self.at} bytes are left over after {what}")

    def byte(self, _: int | None = None) -> int:
        return self.take(1)[0]

    def varint(self, _: int | None = None, bits: int = 64) -> int:
        result = shift = 0
        while True:
            if self.at >= self.end:
                self.fail("expected a number, but no bytes are left")
            byte = self.data[self.at]
            self.at += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
            if shift >= bits:
                self.fail(f"a number of more than {bits} bits")
        if result >> bits:
            self.fail(f"a number of more than {bits} bits")
        return result

    def svarint(self, _: int | None = None) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def float_bits(self, _: int | None = None) -> int:
        """The bits of a float, which are in the file as a signed number. cuda-tile writes those of a negative
        f64 as a positive number, for which 64 bits are not enough."""
        value = self.varint(bits=65)
        if value > _LARGEST and value & 1:
            self.fail("a number of more than 64 bits")
        return ((value >> 1) ^ -(value & 1)) & _LARGEST

    def count(self, _: int = 0) -> int:
        """How many items follow; each takes at least a byte."""
        count = self.varint()
        if count > self.end - self.at:
            self.fail(f"expected {count} entries, but only {self.end - self.at} bytes are left")
        return count

    def sequence(self, _: Any, each: Callable[[Any], Any]) -> list:
        return list(map(each, repeat(None, self.count())))

    def array(self, _: Any, width: int) -> tuple[int, ...]:
        """Signed integers of `width` bytes."""
        raw = self.take(self.varint() * width)
        return tuple(np.frombuffer(raw, f"<i{width}").tolist())

    def align(self, to: int, start: int = 0) -> None:
        self.part(-(self.at - start) % to)

    def table(self, width: int, start: int) -> list[tuple[int, int]]:
        """The begin and end of each entry of a table, which consists of offsets of `width` bytes, aligned
        relative to `start`, and the entries up to the end of the part."""
        count = self.count()
        if count == 0:
            return []
        self.align(width, start)
        offsets = np.frombuffer(self.take(count * width), f"<u{width}")
        left = self.end - self.at
        if offsets[0] != 0 or (offsets[1:] < offsets[:-1]).any() or offsets[-1] > left:
            self.fail(f"offsets of a table that do not ascend from 0 to {left}")
        begins = [self.at + n for n in offsets.tolist()]
        return list(zip(begins, [*begins[1:], self.end], strict=True))


class Writer:
    """Collects the bytes of a part of the file."""

    reading = False

    def __init__(self, version: Version, tables: Any = None):
        self.out, self.version, self.tables = bytearray(), version, tables
        self.where = ""  # the operation being written, for messages

    def fail(self, message: str) -> NoReturn:
        raise BytecodeError(f"{self.where}: {message}" if self.where else message, None)

    def needs(self, since: Version, what: str) -> None:
        if since > self.version:
            where = f"{self.where}: " if self.where else ""
            raise NeedsVersion(
                f"{where}bytecode {dotted(self.version)} cannot hold {what}: "
                f"it needs version {dotted(since)}",
                since,
            )

    def byte(self, value: int | None = None) -> int:
        return self._number(value, 255, self.out.append)

    def varint(self, value: int | None = None) -> int:
        return self._number(value, _LARGEST, self._varint)

    def _number(self, value: int | None, largest: int, write: Callable[[int], None]) -> int:
        if not isinstance(value, (int, np.integer)) or not 0 <= value <= largest:
            self.fail(f"{value!r:.60} is not a number from 0 to {largest}")
        write(int(value))
        return value

    def _varint(self, value: int) -> None:
        while value > 127:
            self.out.append(value & 127 | 128)
            value >>= 7
        self.out.append(value)

    def svarint(self, value: int | None = None) -> int:
        if not isinstance(value, (int, np.integer)) or not -(2**63) <= value < 2**63:
            self.fail(f"{value!r:.60} is not a number of 64 bits")
        self._varint((int(value) << 1 ^ int(value) >> 63) & _LARGEST)
        return value

    def float_bits(self, value: int | None = None) -> int:
        return self.svarint(None if value is None else value - (value >> 63 << 64)) & _LARGEST

    def count(self, count: int = 0) -> int:
        return self.varint(count)

    def sequence(self, items: Iterable, each: Callable[[Any], Any]) -> list:
        items = list(items)
        self.varint(len(items))
        return list(map(each, items))

    def array(self, items: Sequence[int], width: int) -> tuple[int, ...]:
        """Signed integers of `width` bytes."""
        half = 1 << (8 * width - 1)
        for item in items:
            if not isinstance(item, (int, np.integer)) or not -half <= item < half:
                self.fail(f"{item!r:.60} is not an integer of {8 * width} bits")
        self.varint(len(items))
        self.out += np.array(items, f"<i{width}").tobytes()
        return tuple(items)

    def align(self, to: int) -> None:
        self.out += b"\xcb" * (-len(self.out) % to)
