"""wgmma: products of 64 rows by four warps, with operands in shared memory that descriptors give.

A product is computed when it is issued; the bytes that it reads are watched until its group is waited for.
"""

from __future__ import annotations

import numpy as np

from . import matrices
from .instructions import Step
from .program import Instruction, PtxError
from .shared import WARP
from .types import modifiers

GROUP = 4 * WARP
ROWS = 64
_SWIZZLE_BYTES = {0: 16, 1: 128, 2: 64, 3: 32}  # of the descriptor's bits 62 and 63: the length of a row


def build(machine, instruction: Instruction) -> Step | None:
    words = modifiers(instruction.name)
    if instruction.name.startswith("fence.proxy.async"):
        return lambda mask: machine.shared.fence_for_proxy(
            machine.every_lane if mask is None else np.flatnonzero(mask)
        )
    if "wgmma" not in words:
        return None
    if "mma_async" in words:
        return _mma_async(machine, instruction)
    if "commit_group" in words:
        return lambda mask: [machine.shared.commit(group) for group in _groups(machine, mask)]
    if "wait_group" in words:
        allowed = int(instruction.operands[0])
        return lambda mask: [machine.shared.wait(group, allowed) for group in _groups(machine, mask)]
    return lambda mask: _groups(machine, mask)  # wgmma.fence orders registers, which are in order here


def _groups(machine, mask) -> list[tuple[int, int]]:
    """The block and the number in it of each warp group in a mask; all of its lanes must be there."""
    if machine.threads % GROUP:
        raise PtxError(f"a block of {machine.threads} threads has warp groups that are not full")
    here = np.ones(machine.lanes, bool) if mask is None else mask
    rows = here.reshape(-1, GROUP)
    if (rows.any(1) != rows.all(1)).any():
        raise PtxError("a warp group is not complete at an instruction for all of it")
    in_block = machine.threads // GROUP
    return [(int(number) // in_block, int(number) % in_block) for number in np.flatnonzero(rows.all(1))]


def _mma_async(machine, instruction: Instruction) -> Step:
    words = instruction.name.split(".")
    shape = next(word for word in words if word[0] == "m" and word[1:2].isdigit())
    _, columns, inner = map(int, shape[1:].replace("n", " ").replace("k", " ").split())
    result_kind, left_kind, right_kind = words[-3:]
    to, left, right, scale, *rest = instruction.operands
    if left.startswith("{"):
        raise PtxError(f"a left operand in registers is unknown here: {instruction}")
    signs = [int(x) for x in rest[:2]] or [1, 1]  # integers have none
    transposed = [bool(int(x)) for x in rest[2:]] or [False, False]
    place = matrices.places_of_result(16, columns)
    read = matrices.reader(machine, to, result_kind, place, (16, columns))
    write = matrices.writer(machine, to, result_kind, place)
    descriptors = [machine.operands.read(text, "u64") for text in (left, right)]
    keeps = machine.operands.read(scale, "pred")

    def step(mask):
        groups = _groups(machine, mask)
        sums = read()
        for group in groups:
            first = (group[0] * machine.threads + group[1] * GROUP) // WARP
            lane = first * WARP
            a = _operand(machine, group, descriptors[0], lane, left_kind, (ROWS, inner), transposed[0])
            b = _operand(machine, group, descriptors[1], lane, right_kind, (columns, inner), transposed[1])
            before = sums[first : first + 4].reshape(ROWS, columns) if keeps()[lane] else 0
            product = matrices.multiply(signs[0] * a, signs[1] * b.T, before, result_kind)
            sums[first : first + 4] = product.reshape(4, 16, columns)
        write(sums, mask)

    return step


def _operand(machine, group, descriptor, lane: int, kind: str, size: tuple[int, int], transposed: bool):
    """The elements, as float64 or int64; the inner dimension is the second, whatever the storage."""
    values = descriptor()
    lanes = slice(lane, lane + GROUP)
    if (values[lanes] != values[lane]).any():
        raise PtxError("the lanes of a warp group disagree about a descriptor")
    dtype = matrices.ELEMENTS[kind][0]
    addresses = element_addresses(int(values[lane]), dtype.itemsize, size, transposed)
    every_byte = addresses[..., None] + np.arange(dtype.itemsize)
    content = machine.shared.proxy_load(group, every_byte)
    elements = np.ascontiguousarray(content).view(dtype)[..., 0]
    if kind == "tf32":
        elements = matrices.as_tf32(elements)
    return elements.astype(np.float64 if elements.dtype.kind not in "iu" else np.int64)


def element_addresses(descriptor: int, itemsize: int, size: tuple[int, int], transposed: bool) -> np.ndarray:
    """The addresses of the elements (outer, inner). If `transposed`, neighbours along the outer dimension are
    neighbours in memory (MN-major), otherwise those along the inner one (K-major)."""
    start = (descriptor & 0x3FFF) << 4
    leading = (descriptor >> 16 & 0x3FFF) << 4
    stride = (descriptor >> 32 & 0x3FFF) << 4
    if descriptor >> 49 & 7:
        raise PtxError("a descriptor's base offset is unknown here")
    row = _SWIZZLE_BYTES[descriptor >> 62]
    outer, inner = np.indices(size)
    if transposed:
        if itemsize != 2:
            raise PtxError("only 16-bit operands can be transposed")
        address = _across(outer * itemsize, inner, row, leading, stride)
    else:
        address = _along(outer, inner * itemsize, row, leading, stride)
    return _swizzled(start + address, row)


def _along(outer, inner_bytes, row: int, leading: int, stride: int):
    """Eight rows of `row` bytes, the next eight `stride` away. Without swizzle a row has 16 bytes, and the
    next 16 are `leading` away."""
    address = outer % 8 * row + outer // 8 * stride
    return address + inner_bytes % 16 + inner_bytes // 16 * (leading if row == 16 else 16)


def _across(outer_bytes, inner, row: int, leading: int, stride: int):
    if row == 16:
        return outer_bytes % 16 + outer_bytes // 16 * stride + inner % 8 * 16 + inner // 8 * leading
    return outer_bytes % row + outer_bytes // row * leading + inner % 8 * row + inner // 8 * stride


def _swizzled(address: np.ndarray, row: int) -> np.ndarray:
    """The swizzle permutes the 16-byte parts of a row by the number of its 128 bytes."""
    return address ^ (address >> 7 & (row // 16 - 1)) << 4
