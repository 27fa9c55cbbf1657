"""Integers in the Tile IR interpreter against Python's: all pairs of bytes, and extreme values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pycuda_tile.tileir.interpreter import integers

DTYPES = {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}


def unexpected(kind: str, message: str) -> None:
    raise AssertionError(f"reported {kind}: {message}")


def numbers(bits: int) -> list[int]:
    """Bit patterns as unsigned numbers: all of them if there are few, otherwise the edge cases."""
    if bits <= 8:
        return list(range(1 << bits))
    half = 1 << (bits - 1)
    return [0, 1, 2, 3, 7, half - 1, half, half + 1, 2 * half - 2, 2 * half - 1, 12345, half // 3]


def as_signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def tile(values: list[int], bits: int) -> np.ndarray:
    if bits == 1:
        return np.array(values, bool)
    return np.array([as_signed(v, bits) for v in values], DTYPES[bits])


def patterns(result: np.ndarray, bits: int) -> list[int]:
    return [int(v) % (1 << bits) for v in result]


def pairs(bits: int) -> tuple[list[int], list[int]]:
    left, right = zip(*itertools.product(numbers(bits), repeat=2), strict=True)
    return list(left), list(right)


@pytest.mark.parametrize("bits", DTYPES)
@pytest.mark.parametrize("name", ["addi", "subi", "muli"])
def test_wraps(name: str, bits: int) -> None:
    exact = {"addi": int.__add__, "subi": int.__sub__, "muli": int.__mul__}[name]
    a, b = pairs(bits)
    result = getattr(integers, name)(tile(a, bits), tile(b, bits), "none", unexpected)
    assert result.dtype == DTYPES[bits]
    assert patterns(result, bits) == [exact(x, y) % (1 << bits) for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize("bits", [1, 8, 16, 32, 64])
@pytest.mark.parametrize("overflow", ["no_signed_wrap", "no_unsigned_wrap", "no_wrap"])
@pytest.mark.parametrize("name", ["addi", "subi", "muli"])
def test_broken_promises_are_found(name: str, overflow: str, bits: int) -> None:
    exact = {"addi": int.__add__, "subi": int.__sub__, "muli": int.__mul__}[name]
    some = numbers(bits) if bits > 8 else [v for v in numbers(bits) if v % 17 in (0, 1, 16) or bits == 1]
    for x, y in itertools.product(some, repeat=2):
        kept = True
        if overflow != "no_unsigned_wrap":
            value = exact(as_signed(x, bits), as_signed(y, bits))
            kept &= -(1 << (bits - 1)) <= value < 1 << (bits - 1)
        if overflow != "no_signed_wrap":
            kept &= 0 <= exact(x, y) < 1 << bits
        found: list[str] = []
        result = getattr(integers, name)(
            tile([x], bits),
            tile([y], bits),
            overflow,
            lambda kind, message: found.append(kind),  # noqa: B023
        )
        assert bool(found) != kept, (x, y)
        assert set(found) <= {"integer-overflow"}
        assert patterns(result, bits) == [exact(x, y) % (1 << bits)]


@pytest.mark.parametrize("bits", DTYPES)
@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
@pytest.mark.parametrize("rounding", ["zero", "negative_inf", "positive_inf"])
def test_division(rounding: str, signedness: str, bits: int) -> None:
    a, b = pairs(bits)
    read = (lambda v: as_signed(v, bits)) if signedness == "signed" else (lambda v: v)
    least = -(1 << (bits - 1))
    kept = [(x, y) for x, y in zip(a, b, strict=True) if y != 0 and (read(x), read(y)) != (least, -1)]
    x = [p for p, _ in kept]
    y = [q for _, q in kept]
    result = integers.divi(tile(x, bits), tile(y, bits), signedness, rounding, unexpected)
    rest = integers.remi(tile(x, bits), tile(y, bits), signedness, unexpected)
    for i, (p, q) in enumerate(kept):
        p, q = read(p), read(q)
        cut = abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1)
        expected = {"zero": cut, "negative_inf": p // q, "positive_inf": -(-p // q)}[rounding]
        assert int(result[i]) % (1 << bits) == expected % (1 << bits), (p, q)
        assert int(rest[i]) % (1 << bits) == (p - q * cut) % (1 << bits), (p, q)


@pytest.mark.parametrize("bits", [8, 32, 64])
def test_undefined_division_is_found_and_has_a_value(bits: int) -> None:
    found: list[str] = []
    report = lambda kind, message: found.append(kind)  # noqa: E731
    least = tile([1 << (bits - 1)], bits)
    minus_one = tile([(1 << bits) - 1], bits)
    zero = tile([0], bits)
    assert patterns(integers.divi(least, zero, "unsigned", "zero", report), bits) == [0]
    assert patterns(integers.remi(least, zero, "signed", report), bits) == [1 << (bits - 1)]
    assert found == ["division-by-zero"] * 2
    found.clear()
    assert patterns(integers.divi(least, minus_one, "signed", "zero", report), bits) == [1 << (bits - 1)]
    assert patterns(integers.remi(least, minus_one, "signed", report), bits) == [0]
    assert found == ["integer-overflow"] * 2


@pytest.mark.parametrize("bits", DTYPES)
def test_shifts(bits: int) -> None:
    values = numbers(bits)
    for amount in range(bits):
        a, by = tile(values, bits), tile([amount] * len(values), bits)
        assert patterns(integers.shli(a, by, "none", unexpected), bits) == [
            (v << amount) % (1 << bits) for v in values
        ]
        assert patterns(integers.shri(a, by, "unsigned", unexpected), bits) == [v >> amount for v in values]
        assert patterns(integers.shri(a, by, "signed", unexpected), bits) == [
            (as_signed(v, bits) >> amount) % (1 << bits) for v in values
        ]


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_too_wide_shifts_are_found(bits: int) -> None:
    for amount in (bits, (1 << bits) - 1):
        found: list[str] = []
        report = lambda kind, message: found.append(kind)  # noqa: E731, B023
        minus_one, by = tile([(1 << bits) - 1], bits), tile([amount], bits)
        assert patterns(integers.shli(minus_one, by, "none", report), bits) == [0]
        assert patterns(integers.shri(minus_one, by, "unsigned", report), bits) == [0]
        assert patterns(integers.shri(minus_one, by, "signed", report), bits) == [(1 << bits) - 1]
        assert found == ["shift-range"] * 3


def test_shift_that_loses_bits_against_the_promise() -> None:
    found: list[str] = []
    integers.shli(tile([64], 8), tile([1], 8), "no_unsigned_wrap", unexpected)  # 128 is a byte
    integers.shli(tile([64], 8), tile([1], 8), "no_signed_wrap", lambda kind, message: found.append(kind))
    integers.shli(tile([128], 8), tile([1], 8), "no_unsigned_wrap", lambda kind, message: found.append(kind))
    assert found == ["integer-overflow"] * 2


@pytest.mark.parametrize("bits", DTYPES)
def test_extrema_absolute_negated_and_upper_half(bits: int) -> None:
    a, b = pairs(bits)
    for signedness, read in (("signed", lambda v: as_signed(v, bits)), ("unsigned", lambda v: v)):
        for name, choose in (("maxi", max), ("mini", min)):
            result = getattr(integers, name)(tile(a, bits), tile(b, bits), signedness)
            assert patterns(result, bits) == [choose(x, y, key=read) for x, y in zip(a, b, strict=True)]
    result = integers.mulhii(tile(a, bits), tile(b, bits))
    assert patterns(result, bits) == [x * y >> bits for x, y in zip(a, b, strict=True)]
    values = numbers(bits)
    assert patterns(integers.absi(tile(values, bits)), bits) == [
        abs(as_signed(v, bits)) % (1 << bits) for v in values
    ]
    assert patterns(integers.negi(tile(values, bits), "none", unexpected), bits) == [
        -v % (1 << bits) for v in values
    ]


@pytest.mark.parametrize("bits", DTYPES)
def test_bitwise(bits: int) -> None:
    a, b = pairs(bits)
    for name, op in (("andi", int.__and__), ("ori", int.__or__), ("xori", int.__xor__)):
        result = getattr(integers, name)(tile(a, bits), tile(b, bits))
        assert patterns(result, bits) == [op(x, y) for x, y in zip(a, b, strict=True)]


def test_tiles_without_dimension() -> None:
    one = np.array(1, np.int64)
    for result in (
        integers.addi(one, one, "none", unexpected),
        integers.muli(one, one, "no_wrap", unexpected),
    ):
        assert isinstance(result, np.ndarray)
        assert result.shape == ()
