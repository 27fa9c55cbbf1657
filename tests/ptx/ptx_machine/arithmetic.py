"""Integers, bits, comparisons, selection and moves."""

from __future__ import annotations

import operator

import numpy as np

from . import floats
from .instructions import Step, apply
from .program import Instruction, PtxError
from .types import FLOATS, NUMPY, is_signed, modifiers, types_in

_WIDER = {"16": "32", "32": "64"}
_BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


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
    """What is computed, the result's type, the sources' types."""
    bits = 8 * NUMPY[kind].itemsize
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
            return lambda a, b: _high(a, b, bits), kind, (kind, kind)
        return lambda a, b, c: _high(a, b, bits) + c, kind, (kind,) * 3
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
        "brev": (_reversed, 1),
    }
    if base in simple:
        compute, count = simple[base]
        return compute, kind, (kind,) * count
    if base in _BITWISE:
        return _BITWISE[base], kind, (kind, kind)
    if base == "shl":
        return (
            lambda a, n: np.where(n < bits, a << _amount(a, n, bits), 0).astype(a.dtype),
            kind,
            (kind, "u32"),
        )
    if base == "shr":
        fill = (lambda a: np.where(a < 0, -1, 0)) if is_signed(kind) else np.zeros_like
        return (
            lambda a, n: np.where(n < bits, a >> _amount(a, n, bits), fill(a)).astype(a.dtype),
            kind,
            (kind, "u32"),
        )
    if base in ("clz", "popc", "bfind"):
        count = {"clz": _leading_zeros, "popc": _ones, "bfind": lambda a: _highest(a, "shiftamt" in words)}[
            base
        ]
        return count, "u32", (kind,)
    return {
        "bfe": lambda: (lambda a, at, n: _extract(a, at, n, bits), kind, (kind, "u32", "u32")),
        "bfi": lambda: (lambda a, b, at, n: _insert(a, b, at, n, bits), kind, (kind, kind, "u32", "u32")),
        "prmt": lambda: (_permute, "b32", ("b32", "b32", "b32")),
        "shf": lambda: (lambda a, b, n: _funnel(a, b, n, words), "b32", ("b32", "b32", "u32")),
        "lop3": lambda: (_lookup, "b32", ("b32", "b32", "b32", "u32")),
    }.get(base, lambda: None)()


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Toward zero; all ones for a divisor of zero, which PTX leaves open."""
    safe = np.where(b == 0, 1, b).astype(a.dtype)
    quotient = a // safe
    if a.dtype.kind == "i":
        quotient += ((a % safe != 0) & ((a < 0) != (safe < 0))).astype(a.dtype)
    return np.where(b == 0, np.array(-1).astype(a.dtype), quotient)


def _high(a: np.ndarray, b: np.ndarray, bits: int) -> np.ndarray:
    if bits < 64:
        wide = np.dtype(f"{a.dtype.kind}{2 * a.dtype.itemsize}")
        return ((a.astype(wide) * b.astype(wide)) >> bits).astype(a.dtype)
    products = [int(x) * int(y) >> 64 for x, y in zip(a, b, strict=True)]
    return np.array([product % 2**64 for product in products], np.uint64).view(a.dtype)


def _amount(a: np.ndarray, n: np.ndarray, bits: int) -> np.ndarray:
    return np.minimum(n, bits - 1).astype(a.dtype)


def _bits_of(a: np.ndarray) -> np.ndarray:
    """A row of bits, the lowest first, for each element."""
    raw = np.ascontiguousarray(a).view(np.uint8).reshape(len(a), a.itemsize)
    return np.unpackbits(raw, axis=1, bitorder="little")


def _reversed(a: np.ndarray) -> np.ndarray:
    return np.packbits(_bits_of(a)[:, ::-1], axis=1, bitorder="little").view(a.dtype)[:, 0]


def _ones(a: np.ndarray) -> np.ndarray:
    return _bits_of(a).sum(1, dtype=np.uint32)


def _leading_zeros(a: np.ndarray) -> np.ndarray:
    bits = _bits_of(a)[:, ::-1]
    return np.where(bits.any(1), bits.argmax(1), bits.shape[1]).astype(np.uint32)


def _highest(a: np.ndarray, as_shift: bool) -> np.ndarray:
    """The place of the highest bit that differs from the sign; all ones if there is none."""
    zeros = _leading_zeros(np.where(a < 0, ~a, a)).astype(np.int64)
    width = 8 * a.itemsize
    return np.where(zeros == width, -1, zeros if as_shift else width - 1 - zeros).astype(np.uint32)


def _extract(a: np.ndarray, at: np.ndarray, count: np.ndarray, width: int) -> np.ndarray:
    def one(value: int, start: int, length: int) -> int:
        start, length = start & 0xFF, length & 0xFF
        if length == 0:
            return 0
        field = (value >> min(start, width)) & (2 ** min(length, width) - 1)
        top = value >> min(start + length - 1, width - 1) & 1
        if a.dtype.kind == "i" and top:
            field |= -1 << min(length, max(width - start, 0))
        return field % 2**width

    unsigned = a.view(f"u{a.itemsize}")
    values = [one(int(x), int(s), int(n)) for x, s, n in zip(unsigned, at, count, strict=True)]
    return np.array(values, unsigned.dtype).view(a.dtype)


def _insert(a: np.ndarray, b: np.ndarray, at: np.ndarray, count: np.ndarray, width: int) -> np.ndarray:
    """The low `count` bits of a in place of b's from bit `at` on."""
    start, length = (at & 0xFF).astype(np.uint64), (count & 0xFF).astype(np.uint64)
    one = np.uint64(1)
    full = np.uint64(2**width - 1)
    ones = np.where(length >= width, full, (one << np.minimum(length, np.uint64(63))) - one)
    shift = np.minimum(start, np.uint64(63))
    field = np.where(start < width, ones << shift, np.uint64(0)) & full
    moved = (a.astype(np.uint64) << shift) & field
    return (moved | b.astype(np.uint64) & ~field).astype(a.dtype)


def _permute(a: np.ndarray, b: np.ndarray, selector: np.ndarray) -> np.ndarray:
    """Bytes of b:a that the selector's nibbles name; with the nibble's top bit, its sign repeated."""
    pool = np.concatenate([np.ascontiguousarray(x).view(np.uint8).reshape(-1, 4) for x in (a, b)], axis=1)
    nibbles = (selector[:, None] >> np.arange(0, 16, 4, dtype=np.uint32)) & 0xF
    chosen = np.take_along_axis(pool, (nibbles & 7).astype(np.int64), axis=1)
    signs = np.where(chosen >= 128, 255, 0)
    return np.where(nibbles & 8, signs, chosen).astype(np.uint8).view(np.uint32)[:, 0]


def _funnel(low: np.ndarray, high: np.ndarray, amount: np.ndarray, words: set[str]) -> np.ndarray:
    n = (amount & 31 if "wrap" in words else np.minimum(amount, 32)).astype(np.uint64)
    both = high.astype(np.uint64) << np.uint64(32) | low
    shifted = both >> n if "r" in words else (both << n) >> np.uint64(32)
    return shifted.astype(np.uint32)


def _lookup(a: np.ndarray, b: np.ndarray, c: np.ndarray, table: np.ndarray) -> np.ndarray:
    result = np.zeros_like(a)
    for row in range(8):
        if int(table[0]) >> row & 1:
            inputs = (x if row & bit else ~x for x, bit in ((a, 4), (b, 2), (c, 1)))
            result |= np.bitwise_and.reduce(list(inputs))
    return result


# --- what does not fit that form ----------------------------------------------------------------------------

_COMPARE = {
    "eq": operator.eq,
    "ne": lambda a, b: (a < b) | (a > b) if a.dtype.kind not in "uib" else a != b,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "lo": operator.lt,
    "ls": operator.le,
    "hi": operator.gt,
    "hs": operator.ge,
}
_ORDERED = {"equ": "eq", "neu": "ne", "ltu": "lt", "leu": "le", "gtu": "gt", "geu": "ge"}


def _comparison(word: str):
    if word in _COMPARE:
        return _COMPARE[word]
    if word == "num":
        return lambda a, b: ~(np.isnan(a) | np.isnan(b))
    if word == "nan":
        return lambda a, b: np.isnan(a) | np.isnan(b)
    ordered = _COMPARE[_ORDERED[word]]
    return lambda a, b: ordered(a, b) | np.isnan(a) | np.isnan(b)


def _compare(instruction: Instruction, kinds: list[str]):
    """The comparison of an instruction, and how its result is joined with a predicate, if it is."""
    words = instruction.name.split(".")
    compare = _comparison(next(word for word in words[1:] if word in (*_COMPARE, *_ORDERED, "num", "nan")))
    if "ftz" in words and kinds[-1] == "f32":
        plain = compare
        compare = lambda a, b: plain(floats.flush(a), floats.flush(b))  # noqa: E731
    return compare, _BITWISE.get(words[2])


def _setp(machine, instruction: Instruction, kinds: list[str]) -> Step:
    compare, join = _compare(instruction, kinds)
    places, *sources = instruction.operands
    writes = [machine.operands.write(place, "pred") for place in places.split("|")]
    a, b = (machine.operands.read(text, kinds[-1]) for text in sources[:2])
    other = _predicate(machine, sources[2]) if join else None

    def step(mask):
        result = compare(a(), b())
        for write, value in zip(writes, (result, ~result), strict=False):
            write(join(value, other()) if join else value, mask)

    return step


def _predicate(machine, text: str):
    read = machine.operands.read(text.lstrip("!"), "pred")
    return (lambda: ~read()) if text.startswith("!") else read


def _set(machine, instruction: Instruction, kinds: list[str]) -> Step:
    compare, _ = _compare(instruction, kinds)
    dtype = NUMPY[kinds[0]]
    yes = 1 if dtype.kind == "f" else -1

    def compute(a, b):
        return np.where(compare(a, b), np.array(yes).astype(dtype), np.array(0, dtype))

    return apply(machine, instruction, compute, kinds[0], [kinds[-1]] * 2)


def _selp(machine, instruction: Instruction, kinds: list[str]) -> Step:
    def choose(a, b, predicate):
        return np.where(predicate, a, b)

    return apply(machine, instruction, choose, kinds[-1], [kinds[-1], kinds[-1], "pred"])


def _mov(machine, instruction: Instruction, kinds: list[str]) -> Step:
    """Also to and from {a, b}, whose parts are the bits of one register, the lowest first."""
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


def _testp(machine, instruction: Instruction, kinds: list[str]) -> Step:
    tiny = np.finfo(NUMPY[kinds[-1]]).tiny
    tests = {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "number": lambda x: ~np.isnan(x),
        "notanumber": np.isnan,
        "normal": lambda x: np.isfinite(x) & (np.abs(x) >= tiny),
        "subnormal": lambda x: np.abs(x) < tiny,
    }
    return apply(machine, instruction, tests[instruction.name.split(".")[1]], "pred", [kinds[-1]])


def _slct(machine, instruction: Instruction, kinds: list[str]) -> Step:
    if len(kinds) != 2:
        raise PtxError(f"unknown instruction {instruction}")
    return apply(
        machine,
        instruction,
        lambda a, b, c: np.where(c >= 0, a, b),
        kinds[0],
        [kinds[0], kinds[0], kinds[1]],
    )


_SPECIAL = {
    "setp": _setp,
    "set": _set,
    "selp": _selp,
    "slct": _slct,
    "mov": _mov,
    "testp": _testp,
    "dp4a": _dot,
    "dp2a": _dot,
    **dict.fromkeys(("add", "sub", "mad", "addc", "subc", "madc"), _with_carry),
}
