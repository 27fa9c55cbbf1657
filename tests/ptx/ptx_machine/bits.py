"""The bits of integers: counting, moving, extracting and joining them."""

from __future__ import annotations

import numpy as np

BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def bits_of(a: np.ndarray) -> np.ndarray:
    """A row of bits for each element, lowest first."""
    raw = np.ascontiguousarray(a).view(np.uint8).reshape(len(a), a.itemsize)
    return np.unpackbits(raw, axis=1, bitorder="little")


def reverse(a: np.ndarray) -> np.ndarray:
    return np.packbits(bits_of(a)[:, ::-1], axis=1, bitorder="little").view(a.dtype)[:, 0]


def count_ones(a: np.ndarray) -> np.ndarray:
    return bits_of(a).sum(1, dtype=np.uint32)


def count_leading_zeros(a: np.ndarray) -> np.ndarray:
    bits = bits_of(a)[:, ::-1]
    return np.where(bits.any(1), bits.argmax(1), bits.shape[1]).astype(np.uint32)


def highest(a: np.ndarray, as_shift: bool) -> np.ndarray:
    """The position of the highest bit that differs from the sign; all ones if there is none."""
    zeros = count_leading_zeros(np.where(a < 0, ~a, a)).astype(np.int64)
    width = 8 * a.itemsize
    return np.where(zeros == width, -1, zeros if as_shift else width - 1 - zeros).astype(np.uint32)


def extract(a: np.ndarray, at: np.ndarray, count: np.ndarray, width: int) -> np.ndarray:
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


def insert(a: np.ndarray, b: np.ndarray, at: np.ndarray, count: np.ndarray, width: int) -> np.ndarray:
    """b with the `count` bits starting at bit `at` replaced by the low bits of a."""
    start, length = (at & 0xFF).astype(np.uint64), (count & 0xFF).astype(np.uint64)
    one = np.uint64(1)
    full = np.uint64(2**width - 1)
    ones = np.where(length >= width, full, (one << np.minimum(length, np.uint64(63))) - one)
    shift = np.minimum(start, np.uint64(63))
    field = np.where(start < width, ones << shift, np.uint64(0)) & full
    moved = (a.astype(np.uint64) << shift) & field
    return (moved | b.astype(np.uint64) & ~field).astype(a.dtype)


def permute(a: np.ndarray, b: np.ndarray, selector: np.ndarray) -> np.ndarray:
    """The bytes of b:a that the selector's nibbles name; a nibble's top bit replicates the sign instead."""
    pool = np.concatenate([np.ascontiguousarray(x).view(np.uint8).reshape(-1, 4) for x in (a, b)], axis=1)
    nibbles = (selector[:, None] >> np.arange(0, 16, 4, dtype=np.uint32)) & 0xF
    chosen = np.take_along_axis(pool, (nibbles & 7).astype(np.int64), axis=1)
    signs = np.where(chosen >= 128, 255, 0)
    return np.where(nibbles & 8, signs, chosen).astype(np.uint8).view(np.uint32)[:, 0]


def funnel(low: np.ndarray, high: np.ndarray, amount: np.ndarray, words: set[str]) -> np.ndarray:
    n = (amount & 31 if "wrap" in words else np.minimum(amount, 32)).astype(np.uint64)
    both = high.astype(np.uint64) << np.uint64(32) | low
    shifted = both >> n if "r" in words else (both << n) >> np.uint64(32)
    return shifted.astype(np.uint32)


def lookup(a: np.ndarray, b: np.ndarray, c: np.ndarray, table: np.ndarray) -> np.ndarray:
    result = np.zeros_like(a)
    for row in range(8):
        if int(table[0]) >> row & 1:
            inputs = (x if row & bit else ~x for x, bit in ((a, 4), (b, 2), (c, 1)))
            result |= np.bitwise_and.reduce(list(inputs))
    return result
