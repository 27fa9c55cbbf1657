"""Loads, stores and atomics: global memory within the bounds of given ranges, local memory, parameters.

An address space has load(lanes, addresses, size, count) -> rows of `count` unsigned elements of `size` bytes,
and store(lanes, addresses, rows).
"""

from __future__ import annotations

import ctypes
import operator

import numpy as np

from . import floats
from .instructions import Step
from .program import Instruction, PtxError
from .types import NUMPY, UNSIGNED, types_in

SHARED_WINDOW, LOCAL_WINDOW = 1 << 56, 1 << 57  # generic addresses; those of the host are far below
_WINDOW = 1 << 32
_SPACES = ("global", "shared", "local", "const", "param")


class Global:
    """Some ranges of the host's memory, at their own addresses."""

    def __init__(self):
        self._ranges: list[tuple[int, int, bool]] = []
        self._sorted = None
        self._keep = []

    def add(self, address: int, size: int, writable: bool = True) -> None:
        self._ranges.append((address, address + size, writable))
        self._sorted = None

    def add_bytes(self, content: bytes, alignment: int) -> int:
        """Adds a copy, read-only or not, for variables of a program; returns its address."""
        buffer = np.zeros(len(content) + 2 * alignment, np.uint8)
        address = -(-buffer.ctypes.data // alignment) * alignment
        start = address - buffer.ctypes.data
        buffer[start : start + len(content)] = np.frombuffer(content, np.uint8)
        self._keep.append(buffer)
        self.add(address, len(content))
        return address

    def ranges(self) -> list[tuple[int, np.ndarray, bool]]:
        """Its disjoint ranges: address, bytes, and whether they may be written."""
        self._merge()
        _, _, arrays, writable = self._sorted
        return [(start, content, bool(can)) for (start, content), can in zip(arrays, writable, strict=True)]

    def _find(self, addresses: np.ndarray, size: int, writes: bool) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each accessed range, the elements that lie in it and the range's bytes."""
        if self._sorted is None:
            self._merge()
        starts, ends, arrays, writable = self._sorted
        place = np.searchsorted(starts, addresses, "right") - 1
        bad = (place < 0) | (addresses + np.uint64(size) > ends[place])
        if writes:
            bad |= ~writable[place]
        if bad.any():
            what = "writes to" if writes else "reads from"
            address = int(addresses[bad.argmax()])
            near = (
                "none"
                if not len(starts)
                else f"{starts[place[bad.argmax()]]:#x} to {ends[place[bad.argmax()]]:#x}"
            )
            raise PtxError(f"{what} {size} bytes at {address:#x}, which no argument holds (nearest: {near})")
        if (place == place[0]).all():
            return [(slice(None), arrays[place[0]])]
        return [(place == number, arrays[number]) for number in np.unique(place)]

    def _merge(self) -> None:
        """Merges overlapping ranges, such as those of an array passed twice; writable if one of them is."""
        merged: list[list] = []
        for start, end, writable in sorted(self._ranges):
            if merged and start < merged[-1][1]:
                merged[-1][1] = max(end, merged[-1][1])
                merged[-1][2] |= writable
            elif end > start:
                merged.append([start, end, writable])
        starts, ends, writable = (np.array([row[i] for row in merged], t) for i, t in enumerate("QQ?"))
        arrays = [(int(s), _bytes_at(int(s), int(e - s))) for s, e in zip(starts, ends, strict=True)]
        self._sorted = starts, ends, arrays, writable

    def load(self, lanes: np.ndarray, addresses: np.ndarray, size: int, count: int) -> np.ndarray:
        rows = np.empty((len(addresses), count), UNSIGNED[size])
        for which, (start, content) in self._find(addresses, size * count, writes=False):
            flat, index = _elements(start, content, addresses[which], size)
            for i in range(count):
                rows[which, i] = flat[index + i]
        return rows

    def store(self, lanes: np.ndarray, addresses: np.ndarray, rows: np.ndarray) -> None:
        size = rows.itemsize
        for which, (start, content) in self._find(addresses, size * rows.shape[1], writes=True):
            flat, index = _elements(start, content, addresses[which], size)
            for i in range(rows.shape[1]):
                flat[index + i] = rows[which, i]


def _bytes_at(address: int, size: int) -> np.ndarray:
    return np.frombuffer((ctypes.c_char * size).from_address(address), np.uint8)


def _elements(start: int, content: np.ndarray, addresses: np.ndarray, size: int):
    """A range as elements of `size` bytes, and the positions of the addresses in it."""
    skipped = -start % size
    end = skipped + (len(content) - skipped) // size * size
    flat = content[skipped:end].view(UNSIGNED[size])
    return flat, ((addresses - np.uint64(start + skipped)) // np.uint64(size)).astype(np.int64)


class Local:
    """`size` bytes for each lane: its stack, or the parameters of a call."""

    def __init__(self, lanes: int, size: int, random: np.random.Generator | None = None):
        padded = -(-size // 16) * 16
        shape = (lanes, padded)
        self.bytes = random.integers(0, 256, shape, np.uint8) if random else np.zeros(shape, np.uint8)
        self.size = size

    def _index(self, addresses: np.ndarray, size: int, count: int) -> np.ndarray:
        offsets = addresses.astype(np.int64)
        if len(offsets) and (offsets.max() + size * count > self.size or offsets.min() < 0):
            raise PtxError(
                f"{size * count} bytes at {offsets.max()} are not in local memory of {self.size} bytes"
            )
        return offsets // size

    def load(self, lanes: np.ndarray, addresses: np.ndarray, size: int, count: int) -> np.ndarray:
        flat = self.bytes.view(UNSIGNED[size])
        index = self._index(addresses, size, count)
        return np.stack([flat[lanes, index + i] for i in range(count)], axis=1)

    def store(self, lanes: np.ndarray, addresses: np.ndarray, rows: np.ndarray) -> None:
        flat = self.bytes.view(rows.dtype)
        index = self._index(addresses, rows.itemsize, rows.shape[1])
        for i in range(rows.shape[1]):
            flat[lanes, index + i] = rows[:, i]


class Generic:
    """Any address: shared or local memory in their windows, otherwise global memory."""

    def __init__(self, globe: Global, shared, local: Local):
        self._windows = ((SHARED_WINDOW, shared), (LOCAL_WINDOW, local))
        self._global = globe

    def _split(self, addresses: np.ndarray):
        rest = np.ones(len(addresses), bool)
        for start, space in self._windows:
            inside = (addresses >= start) & (addresses < start + _WINDOW)
            if inside.any():
                rest &= ~inside
                yield space, inside, np.uint64(start)
        if rest.any():
            yield self._global, rest, np.uint64(0)

    def load(self, lanes: np.ndarray, addresses: np.ndarray, size: int, count: int) -> np.ndarray:
        rows = np.empty((len(addresses), count), UNSIGNED[size])
        for space, which, start in self._split(addresses):
            rows[which] = space.load(lanes[which], addresses[which] - start, size, count)
        return rows

    def store(self, lanes: np.ndarray, addresses: np.ndarray, rows: np.ndarray) -> None:
        for space, which, start in self._split(addresses):
            space.store(lanes[which], addresses[which] - start, rows[which])


# --- instructions -------------------------------------------------------------------------------------------


def build(machine, instruction: Instruction) -> Step | None:
    base = instruction.name.split(".")[0]
    return _BUILDERS[base](machine, instruction) if base in _BUILDERS else None


def _space(machine, instruction: Instruction, address: str):
    """The address space, and the function that returns the lanes' addresses in it."""
    words = instruction.name.replace("::", ".").split(".")
    name = next((word for word in words[1:] if word in _SPACES), "generic")
    base, read = machine.operands.address(address)
    if name == "param":
        return machine.parameters[base], read
    return machine.spaces["global" if name == "const" else name], read


def _shape(instruction: Instruction) -> tuple[str, int, int]:
    """Type, bytes of an element, elements."""
    words = instruction.name.split(".")
    count = next((int(word[1]) for word in words if word in ("v2", "v4", "v8")), 1)
    kind = types_in(instruction.name)[-1]
    return kind, NUMPY[kind].itemsize, count


def _check_alignment(instruction: Instruction, addresses: np.ndarray, size: int) -> None:
    if (addresses % np.uint64(size)).any():
        bad = int(addresses[(addresses % np.uint64(size)).argmax()])
        raise PtxError(f"address {bad:#x} is not a multiple of {size}: {instruction}")


def _ld(machine, instruction: Instruction) -> Step:
    to, address = instruction.operands[:2]
    kind, size, count = _shape(instruction)
    space, read = _space(machine, instruction, address)
    writes = [machine.operands.write(part, kind) for part in machine.operands.list_of(to)]
    values = np.zeros((count, machine.lanes), UNSIGNED[size])
    dtype = NUMPY[kind]

    def step(mask):
        lanes = machine.every_lane if mask is None else np.flatnonzero(mask)
        addresses = read()[lanes]
        _check_alignment(instruction, addresses, size * count)
        values[:, lanes] = space.load(lanes, addresses, size, count).T
        machine.note_access(instruction, space, lanes, addresses, size * count)
        for write, row in zip(writes, values, strict=True):
            write(row.view(dtype), mask)

    return step


def _st(machine, instruction: Instruction) -> Step:
    address, source = instruction.operands[:2]
    kind, size, count = _shape(instruction)
    space, read = _space(machine, instruction, address)
    reads = [machine.operands.read(part, kind) for part in machine.operands.list_of(source)]

    def step(mask):
        lanes = machine.every_lane if mask is None else np.flatnonzero(mask)
        addresses = read()[lanes]
        _check_alignment(instruction, addresses, size * count)
        rows = np.stack([part()[lanes].view(UNSIGNED[size]) for part in reads], axis=1)
        space.store(lanes, addresses, rows)
        machine.note_access(instruction, space, lanes, addresses, size * count)

    return step


def _cvta(machine, instruction: Instruction) -> Step:
    words = instruction.name.split(".")
    start = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}.get(words[-2], 0)
    distance = np.uint64((-start if "to" in words else start) % 2**64)
    write = machine.operands.write(instruction.operands[0], "u64")
    read = machine.operands.read(instruction.operands[1], "u64")
    return lambda mask: write(read() + distance, mask)


def _isspacep(machine, instruction: Instruction) -> Step:
    name = instruction.name.split(".")[1].split("::")[0]
    write = machine.operands.write(instruction.operands[0], "pred")
    read = machine.operands.read(instruction.operands[1], "u64")
    start = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}.get(name)
    if start is None:
        inside = (lambda a: a < SHARED_WINDOW) if name == "global" else (lambda a: np.zeros(len(a), bool))
    else:
        inside = lambda a: (a >= start) & (a < start + _WINDOW)  # noqa: E731
    return lambda mask: write(inside(read()), mask)


_ATOMICS = {
    "add": operator.add,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "exch": lambda old, new: new,
}


def _atom(machine, instruction: Instruction) -> Step:
    """Executes one lane after the other. red is atom without a result."""
    operands = list(instruction.operands)
    if instruction.name.startswith("red"):
        operands.insert(0, "_")
    to, address, *sources = operands
    kind, size, count = _shape(instruction)
    space, read = _space(machine, instruction, address)
    writes = [machine.operands.write(part, kind) for part in machine.operands.list_of(to)]
    writes = writes * count if to == "_" else writes
    parts = [[machine.operands.read(x, kind) for x in machine.operands.list_of(s)] for s in sources]
    change = _atomic_function(instruction, kind)
    values = np.zeros((count, machine.lanes), UNSIGNED[size])

    def step(mask):
        lanes = machine.every_lane if mask is None else np.flatnonzero(mask)
        addresses = read()[lanes]
        _check_alignment(instruction, addresses, size * count)
        given = [[part()[lanes] for part in source] for source in parts]
        with np.errstate(all="ignore"):
            for i in range(len(lanes)):
                here = slice(i, i + 1)
                old = space.load(lanes[here], addresses[here], size, count).view(NUMPY[kind])
                values[:, lanes[i]] = old.view(UNSIGNED[size])[0]
                new = [change(old[:, n], *(s[n][here] for s in given)) for n in range(count)]
                rows = np.stack(new, axis=1).astype(NUMPY[kind]).view(UNSIGNED[size])
                space.store(lanes[here], addresses[here], rows)
        for write, row in zip(writes, values, strict=True):
            write(row.view(NUMPY[kind]), mask)

    return step


def _atomic_function(instruction: Instruction, kind: str):
    words = instruction.name.split(".")
    if kind in ("f16x2", "bf16x2") or (kind in ("f16", "bf16", "f32", "f64") and "add" in words):
        return floats.function(Instruction(f"add.rn.{kind}", []), kind)
    if "cas" in words:
        return lambda old, expected, new: np.where(old == expected, new, old)
    if "inc" in words:
        return lambda old, limit: np.where(old >= limit, 0, old + 1)
    if "dec" in words:
        return lambda old, limit: np.where((old == 0) | (old > limit), limit, old - 1)
    if "min" in words or "max" in words:
        return np.minimum if "min" in words else np.maximum
    return next(function for word, function in _ATOMICS.items() if word in words)


def _nothing(machine, instruction: Instruction) -> Step:
    """Blocks run in one thread of the host, so memory accesses are ordered."""
    return lambda mask: None


_BUILDERS = {
    "ld": _ld,
    "ldu": _ld,
    "st": _st,
    "cvta": _cvta,
    "isspacep": _isspacep,
    "atom": _atom,
    "red": _atom,
    "membar": _nothing,
    "prefetch": _nothing,
    "nanosleep": _nothing,
}
