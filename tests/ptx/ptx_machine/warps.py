"""Operations of a whole warp: shuffles, votes, barriers, and 8x8 matrices of 16-bit elements."""

from __future__ import annotations

import numpy as np

from .instructions import Step
from .program import Instruction, PtxError
from .shared import WARP
from .types import NUMPY, types_in


def build(machine, instruction: Instruction) -> Step | None:
    base = instruction.name.split(".")[0]
    if instruction.name == "bar.warp.sync":
        return _warp_barrier(machine, instruction)
    return _BUILDERS[base](machine, instruction) if base in _BUILDERS else None


def by_warp(values: np.ndarray) -> np.ndarray:
    """A row of 32 for each warp."""
    return values.reshape(-1, WARP)


def _warp_barrier(machine, instruction: Instruction) -> Step:
    members = machine.operands.read(instruction.operands[0], "u32")

    def step(mask):
        machine.check_warps(mask, members())
        machine.shared.warp_barrier(machine.every_lane if mask is None else np.flatnonzero(mask))

    return step


def _shfl(machine, instruction: Instruction) -> Step:
    mode = instruction.name.split(".")[2]
    places, *rest = instruction.operands
    to, *predicate = places.split("|")
    write = machine.operands.write(to, "b32")
    write_predicate = machine.operands.write(predicate[0], "pred") if predicate else None
    value, distance, limits, members = (machine.operands.read(text, "u32") for text in rest)
    lane = by_warp(machine.every_lane) % WARP

    def step(mask):
        machine.check_warps(mask, members())
        b, c = by_warp(distance()).astype(np.int64) & 31, by_warp(limits()).astype(np.int64)
        clamp, segment = c & 31, c >> 8 & 31
        low, high = lane & segment, (lane & segment) | (clamp & ~segment)
        source = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": low | (b & ~segment)}[mode]
        valid = source >= high if mode == "up" else source <= high
        source = np.where(valid, source, lane)
        write(np.take_along_axis(by_warp(value()), source, axis=1).ravel(), mask)
        if write_predicate:
            write_predicate(valid.ravel(), mask)

    return step


def _vote(machine, instruction: Instruction) -> Step:
    mode = instruction.name.split(".")[2]
    kind = "b32" if mode == "ballot" else "pred"
    to, source, member_text = instruction.operands
    write = machine.operands.write(to, kind)
    read, negated = machine.operands.read(source.lstrip("!"), "pred"), source.startswith("!")
    members = machine.operands.read(member_text, "u32")
    bit = 1 << (machine.every_lane % WARP)

    def step(mask):
        machine.check_warps(mask, members())
        named = by_warp((members() & bit) != 0)
        votes = by_warp(~read() if negated else read())
        yes, no = (votes & named), (~votes & named)
        result = {
            "all": lambda: ~no.any(1),
            "any": lambda: yes.any(1),
            "uni": lambda: ~(no.any(1) & yes.any(1)),
            "ballot": lambda: (yes * by_warp(bit)).sum(1).astype(np.uint32),
        }[mode]()
        write(np.repeat(result, WARP), mask)

    return step


def _redux(machine, instruction: Instruction) -> Step:
    _, _, mode, *_ = instruction.name.split(".")
    kind = types_in(instruction.name)[-1]
    write = machine.operands.write(instruction.operands[0], kind)
    read = machine.operands.read(instruction.operands[1], kind)
    members = machine.operands.read(instruction.operands[2], "u32")
    combine = {
        "add": np.add,
        "min": np.minimum,
        "max": np.maximum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }[mode]

    def step(mask):
        machine.check_warps(mask, members())
        if (members() != 0xFFFFFFFF).any():
            raise PtxError("redux of a part of a warp is unknown here")
        write(np.repeat(combine.reduce(by_warp(read()), axis=1).astype(NUMPY[kind]), WARP), mask)

    return step


def _activemask(machine, instruction: Instruction) -> Step:
    write = machine.operands.write(instruction.operands[0], "b32")

    def step(mask):
        here = by_warp(~machine.ended if mask is None else mask)
        bits = (here << np.arange(WARP)).sum(1).astype(np.uint32)
        write(np.repeat(bits, WARP), mask)

    return step


# --- 8x8 matrices -------------------------------------------------------------------------------------------


def _rows_and_columns(transposed: bool) -> tuple[np.ndarray, np.ndarray]:
    """The rows and columns of the two elements of an 8x8 matrix that each lane holds."""
    lane, element = np.arange(WARP)[:, None], np.arange(2)
    row, column = lane // 4 + 0 * element, lane % 4 * 2 + element
    return (column, row) if transposed else (row, column)


def _matrix_count(instruction: Instruction) -> int:
    return next(int(word[1]) for word in instruction.name.split(".") if word in ("x1", "x2", "x4"))


def _ldmatrix(machine, instruction: Instruction) -> Step:
    """Lanes 8 i to 8 i + 7 give the addresses of the rows of matrix i."""
    count = _matrix_count(instruction)
    row, column = _rows_and_columns("trans" in instruction.name.split("."))
    writes = [
        machine.operands.write(text, "b32") for text in machine.operands.list_of(instruction.operands[0])
    ]
    _, read = machine.operands.address(instruction.operands[1])

    def step(mask):
        machine.check_warps(mask)
        lanes = _giving_rows(machine, mask, count)
        addresses = read()[lanes]
        _check_rows(addresses)
        rows = machine.shared.load(lanes, addresses, 2, 8)
        machine.note_access(instruction, machine.shared, lanes, addresses, 16)
        matrices = rows.reshape(-1, count, 8, 8)
        warps = np.unique(machine.warp_of[lanes])
        for i, write in enumerate(writes):
            values = np.zeros((machine.lanes // WARP, WARP, 2), np.uint16)
            values[warps] = matrices[:, i][:, row, column]
            write(values.reshape(-1, 2).view(np.uint32)[:, 0], mask)

    return step


def _stmatrix(machine, instruction: Instruction) -> Step:
    count = _matrix_count(instruction)
    row, column = _rows_and_columns("trans" in instruction.name.split("."))
    _, read = machine.operands.address(instruction.operands[0])
    reads = [machine.operands.read(text, "b32") for text in machine.operands.list_of(instruction.operands[1])]

    def step(mask):
        machine.check_warps(mask)
        lanes = _giving_rows(machine, mask, count)
        addresses = read()[lanes]
        _check_rows(addresses)
        matrices = np.zeros((machine.lanes // WARP, count, 8, 8), np.uint16)
        for i, part in enumerate(reads):
            halves = np.ascontiguousarray(part()).view(np.uint16).reshape(-1, WARP, 2)
            matrices[:, i, row, column] = halves
        rows = matrices[np.unique(machine.warp_of[lanes])].reshape(-1, 8)
        machine.shared.store(lanes, addresses, rows)
        machine.note_access(instruction, machine.shared, lanes, addresses, 16)

    return step


def _giving_rows(machine, mask, count: int) -> np.ndarray:
    lanes = machine.every_lane if mask is None else np.flatnonzero(mask)
    return lanes[lanes % WARP < 8 * count]


def _check_rows(addresses: np.ndarray) -> None:
    if (addresses % np.uint64(16)).any():
        raise PtxError("the address of a matrix's row is not a multiple of 16")


def _movmatrix(machine, instruction: Instruction) -> Step:
    """An 8x8 matrix transposed."""
    row, column = _rows_and_columns(False)
    write = machine.operands.write(instruction.operands[0], "b32")
    read = machine.operands.read(instruction.operands[1], "b32")

    def step(mask):
        machine.check_warps(mask)
        matrix = np.zeros((machine.lanes // WARP, 8, 8), np.uint16)
        matrix[:, row, column] = np.ascontiguousarray(read()).view(np.uint16).reshape(-1, WARP, 2)
        write(np.ascontiguousarray(matrix[:, column, row]).reshape(-1, 2).view(np.uint32)[:, 0], mask)

    return step


_BUILDERS = {
    "shfl": _shfl,
    "vote": _vote,
    "redux": _redux,
    "activemask": _activemask,
    "ldmatrix": _ldmatrix,
    "stmatrix": _stmatrix,
    "movmatrix": _movmatrix,
}
