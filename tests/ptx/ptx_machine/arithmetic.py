"""Integers and moves."""

from __future__ import annotations

import numpy as np

from . import bits, comparisons
from .instructions import Step, apply
from .program import Instruction
from .types import FLOATS, NUMPY, is_signed, modifiers, types_in

_WIDER = {"16": "32", "32": "64"}


def build(machine, instruction: Instruction) -> Step | None:
    base = instruction.name.split(".")[0]
    kinds = types_in(instruction.name)
    if not kinds:
        return None
    if base in _SPECIAL:
        return _SPECIAL[base](machine, instruction, kinds)
    if kinds[-1] in FLOATS or kinds[-1].endswith("x2"):
        return None
    if (described := _integer(base, modifiers(instruction.name), kinds[-1])) is None:
        return None
    compute, result, sources = described
    return apply(machine, instruction, compute, result, sources)


def _integer(base: str, words: set[str], kind: str):
    """The computation, the result's type and the sources' types."""
    width = 8 * NUMPY[kind].itemsize
    wide = kind[0] + _WIDER.get(kind[1:], "64")
    if base in ("mul", "mad") and "wide" in words:
        if base == "mul":
            return lambda a, b: a.astype(NUMPY[wide]) * b.astype(NUMPY[wide]), wide, (kind, kind)
        return (
            lambda a, b, c: a.astype(NUMPY[wide]) * b.astype(NUMPY[wide]) + c,
            wide,
            (kind, kind, wide),
        )
    if base in ("mul", "mad") and "hi" in words:
        if base == "mul":
            return lambda a, b: _high(a, b, width), kind, (kind, kind)
        return lambda a, b, c: _high(a, b, width) + c, kind, (kind,) * 3
    simple = {
        "add": (np.add, 2),
        "sub": (np.subtract, 2),
        "mul": (np.multiply, 2),
        "mad": (lambda a, b, c: a * b + c, 3),
        "div": (_divide, 2),
        "rem": (lambda a, b: a - _divide(a, b) * b, 2),
        "min": (np.minimum, 2),
        "max": (np.maximum, 2),
        "neg": (lambda a: np.zeros_like(a) - a, 1),
        "abs": (np.abs, 1),
        "not": (np.invert, 1),
        "cnot": (lambda a: (a == 0).astype(a.dtype), 1),
        "brev": (bits.reverse, 1),
    }
    if base in simple:
        compute, count = simple[base]
        return compute, kind, (kind,) * count
    if base in bits.BITWISE:
        return bits.BITWISE[base], kind, (kind, kind)
    if base == "shl":
        return (
            lambda a, n: np.where(n < width, a << _amount(a, n, width), 0).astype(a.dtype),
            kind,
            (kind, "u32"),
        )
    if base == "shr":
        fill = (lambda a: np.where(a < 0, -1, 0)) if is_signed(kind) else np.zeros_like
        return (
            lambda a, n: np.where(n < width, a >> _amount(a, n, width), fill(a)).astype(a.dtype),
            kind,
            (kind, "u32"),
        )
    if base in ("clz", "popc", "bfind"):
        count = {
            "clz": bits.count_leading_zeros,
            "popc": bits.count_ones,
            "bfind": lambda a: bits.highest(a, "shiftamt" in words),
        }[base]
        return count, "u32", (kind,)
    return {
        "bfe": lambda: (lambda a, at, n: bits.extract(a, at, n, width), kind, (kind, "u32", "u32")),
        "bfi": lambda: (
            lambda a, b, at, n: bits.insert(a, b, at, n, width),
            kind,
            (kind, kind, "u32", "u32"),
        ),
        "prmt": lambda: (bits.permute, "b32", ("b32", "b32", "b32")),
        "shf": lambda: (lambda a, b, n: bits.funnel(a, b, n, words), "b32", ("b32", "b32", "u32")),
        "lop3": lambda: (bits.lookup, "b32", ("b32", "b32", "b32", "u32")),
    }.get(base, lambda: None)()


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rounds toward zero; gives all ones for a zero divisor, which PTX leaves unspecified."""
    safe = np.where(b == 0, 1, b).astype(a.dtype)
    quotient = a // safe
    if a.dtype.kind == "i":
        quotient += ((a % safe != 0) & ((a < 0) != (safe < 0))).astype(a.dtype)
    return np.where(b == 0, np.array(-1).astype(a.dtype), quotient)


def _high(a: np.ndarray, b: np.ndarray, width: int) -> np.ndarray:
    if width < 64:
        wide = np.dtype(f"{a.dtype.kind}{2 * a.dtype.itemsize}")
        return ((a.astype(wide) * b.astype(wide)) >> width).astype(a.dtype)
    products = [int(x) * int(y) >> 64 for x, y in zip(a, b, strict=True)]
    return np.array([product % 2**64 for product in products], np.uint64).view(a.dtype)


def _amount(a: np.ndarray, n: np.ndarray, width: int) -> np.ndarray:
    return np.minimum(n, width - 1).astype(a.dtype)


# --- what does not fit that form ----------------------------------------------------------------------------


def _mov(machine, instruction: Instruction, kinds: list[str]) -> Step:
    """Also moves to and from {a, b}, whose parts are the bits of one register, lowest first."""
    operands, (to, source) = machine.operands, instruction.operands
    kind = kinds[-1]
    if not to.startswith("{") and not source.startswith("{"):
        return apply(machine, instruction, lambda a: a, kind, [kind])
    size = NUMPY[kind].itemsize
    if source.startswith("{"):
        parts = operands.list_of(source)
        reads = [operands.read(part, f"b{8 * size // len(parts)}") for part in parts]
        write = operands.write(to, kind)
        return lambda mask: write(_joined([read() for read in reads], NUMPY[kind]), mask)
    parts = operands.list_of(to)
    part_kind = f"b{8 * size // len(parts)}"
    writes = [operands.write(part, part_kind) for part in parts]
    read = operands.read(source, kind)

    def step(mask):
        rows = np.ascontiguousarray(read()).view(NUMPY[part_kind]).reshape(-1, len(parts)).copy()
        for write, column in zip(writes, rows.T, strict=True):
            write(column, mask)

    return step


def _joined(parts: list[np.ndarray], dtype: np.dtype) -> np.ndarray:
    return np.ascontiguousarray(np.stack(parts, axis=1)).view(dtype)[:, 0]


def _with_carry(machine, instruction: Instruction, kinds: list[str]) -> Step | None:
    """add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi, ...: sums of more than one word."""
    base = instruction.name.split(".")[0]
    words = modifiers(instruction.name)
    if "cc" not in words and base not in ("addc", "subc", "madc"):
        return _plain(machine, instruction, kinds)
    kind = "u" + kinds[-1][1:]
    width = 8 * NUMPY[kind].itemsize
    reads = [machine.operands.read(text, kind) for text in instruction.operands[1:]]
    write = machine.operands.write(instruction.operands[0], kind)
    carry = machine.carry
    takes, gives, subtracts = base.endswith("c"), "cc" in words, base.startswith("sub")

    def step(mask):
        *values, last = (read() for read in reads)
        first = values[0]
        if len(values) == 2:
            first = _high(*values, width) if "hi" in words else values[0] * values[1]
        before = carry if takes else np.zeros_like(carry)
        exact = [
            int(x) - int(y) - int(c) if subtracts else int(x) + int(y) + int(c)
            for x, y, c in zip(first, last, before, strict=True)
        ]
        write(np.array([value % 2**width for value in exact], NUMPY[kind]), mask)
        if gives:
            after = np.array([not 0 <= value < 2**width for value in exact])
            np.copyto(carry, after, where=True if mask is None else mask)

    return step


def _plain(machine, instruction: Instruction, kinds: list[str]) -> Step | None:
    base = instruction.name.split(".")[0]
    if kinds[-1] in FLOATS or kinds[-1].endswith("x2"):
        return None
    compute, result, sources = _integer(base, modifiers(instruction.name), kinds[-1])
    return apply(machine, instruction, compute, result, sources)


def _dot(machine, instruction: Instruction, kinds: list[str]) -> Step:
    """dp4a, dp2a: a sum of products of bytes, or of two 16-bit numbers with two of four bytes."""
    words = instruction.name.split(".")

    def parts(values: np.ndarray, kind: str, size: int) -> np.ndarray:
        dtype = f"{'i' if is_signed(kind) else 'u'}{size}"
        return np.ascontiguousarray(values).view(dtype).reshape(len(values), -1).astype(np.int64)

    def compute(a, b, c):
        left, right = parts(a, kinds[0], 1 if words[0] == "dp4a" else 2), parts(b, kinds[1], 1)
        if words[0] == "dp2a":
            right = right[:, :2] if "lo" in words else right[:, 2:]
        return ((left * right).sum(1) + c).astype(np.int64).astype(np.int32).view(np.uint32)

    return apply(machine, instruction, compute, "u32", ["u32", "u32", "s32" if "s32" in kinds else "u32"])


_SPECIAL = {
    **comparisons.SPECIAL,
    "mov": _mov,
    "dp4a": _dot,
    "dp2a": _dot,
    **dict.fromkeys(("add", "sub", "mad", "addc", "subc", "madc"), _with_carry),
}
