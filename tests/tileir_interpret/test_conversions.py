"""Conversions of elements in the Tile IR interpreter, against fractions, struct and exhaustive lists."""

from __future__ import annotations

import math
import struct

import ml_dtypes
import numpy as np
import pytest

from pycuda_tile.tileir.elements import DTYPES, to_tf32
from pycuda_tile.tileir.interpreter import conversions

EDGES = [0.0, -0.0, 0.4, -0.6, 1.5, -2.5, 127.5, 128.0, -128.9, -129.0, 255.9, 256.0, 3e9, -3e9, 1e20, -1e20]


def unexpected(kind: str, message: str) -> None:
    raise AssertionError(f"reported {kind}: {message}")


def values(name: str) -> np.ndarray:
    """Every number of a format of 8 or 16 bits, except NaN."""
    dtype = DTYPES[name]
    bits = np.arange(256 if dtype.itemsize == 1 else 65536).astype(f"u{dtype.itemsize}")
    numbers = bits.view(dtype)
    with np.errstate(invalid="ignore"):
        return numbers[~np.isnan(numbers.astype(np.float64))]


@pytest.mark.parametrize(
    "to, low, high", [("i8", -128, 127), ("i32", -(2**31), 2**31 - 1), ("i64", -(2**63), 2**63 - 1)]
)
def test_ftoi_signed_cuts_off_and_saturates(to: str, low: int, high: int) -> None:
    result = conversions.ftoi(np.array([*EDGES, math.nan]), to, "signed", False, unexpected)
    assert [int(v) for v in result] == [max(low, min(high, int(v))) for v in EDGES] + [0]


@pytest.mark.parametrize("to, bits", [("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64)])
def test_ftoi_unsigned_cuts_off_and_saturates(to: str, bits: int) -> None:
    result = conversions.ftoi(np.array([*EDGES, math.nan]), to, "unsigned", False, unexpected)
    expected = [max(0, min((1 << bits) - 1, int(v))) for v in EDGES] + [0]
    assert [int(v) % (1 << bits) for v in result] == expected


def test_ftoi_of_infinity_is_undefined_unless_it_saturates() -> None:
    infinities = np.array([math.inf, -math.inf], np.float32)
    found: list[str] = []
    for saturating in (True, False):
        assert found == []
        result = conversions.ftoi(infinities, "i16", "signed", saturating, lambda kind, _: found.append(kind))
        assert result.tolist() == [32767, -32768]
    assert found == ["conversion-range"]


@pytest.mark.parametrize("to", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
def test_itof_is_the_nearest(to: str, signedness: str) -> None:
    # Halfway cases of every format, on both sides of even, and the extremes.
    numbers = [0, 1, 255, 257, 259, 2049, 2051, 65519, 65520, 2**24 + 1, 2**24 + 3, 2**53 + 1, 2**63 - 1]
    source = np.array(numbers + [-n for n in numbers] + [-(2**63)], np.int64)
    result = conversions.itof(source, to, signedness)
    for number, got in zip(source, result, strict=True):
        exact = int(number) % 2**64 if signedness == "unsigned" else int(number)
        assert float(got) == nearest(exact, to), exact


def nearest(number: int, to: str) -> float:
    """An integer rounded to a format's precision by shifting, to nearest, ties to even."""
    bits, beyond = {"f16": (11, 2**16), "bf16": (8, 2**128), "f32": (24, 2**128), "f64": (53, 2**1024)}[to]
    shift = max(0, abs(number).bit_length() - bits)
    kept, rest = divmod(abs(number), 1 << shift)
    kept += 2 * rest > 1 << shift or (shift > 0 and 2 * rest == 1 << shift and kept % 2 == 1)
    rounded = kept << shift
    return math.copysign(rounded if rounded < beyond else math.inf, number)


def test_itof_to_tf32_rounds_once() -> None:
    """Just above the middle of two tf32 numbers, where a double would be the middle."""
    numbers = np.array([2**62 + 2**51 + 1, 2**62 + 2**51, -(2**62) - 2**51 - 1, 2**62 + 3 * 2**51], np.int64)
    expected = [2**62 + 2**52, 2**62, -(2**62) - 2**52, 2**62 + 2**53]
    assert conversions.itof(numbers, "tf32", "signed").tolist() == expected


def test_itof_beyond_fp8() -> None:
    numbers = np.array([448, 464, 465, -465, 480, 100000], np.int32)
    e4m3 = conversions.itof(numbers, "f8E4M3FN", "signed").astype(np.float32)
    assert e4m3[:2].tolist() == [448, 448]
    assert np.isnan(e4m3[2:]).all()
    numbers = np.array([57344, 61439, 61440, -61440], np.int32)
    e5m2 = conversions.itof(numbers, "f8E5M2", "signed").astype(np.float32)
    assert e5m2.tolist() == [57344, 57344, math.inf, -math.inf]


@pytest.mark.parametrize("name", ["f16", "bf16", "f8E4M3FN", "f8E5M2"])
def test_ftof_widens_exactly_and_comes_back(name: str) -> None:
    numbers = values(name)
    for wide in ("f32", "f64"):
        widened = conversions.ftof(numbers, wide, "nearest_even")
        assert (widened.astype(np.float64) == numbers.astype(np.float64)).all()
        finite = np.isfinite(widened)
        back = conversions.ftof(widened[finite], name, "nearest_even")
        assert back.tobytes() == numbers[finite].tobytes()


def test_ue5m3() -> None:
    """All codes by the definition of the format, and what lies at, between and beyond them: to nearest, ties
    to even, saturated, the sign dropped, as NVIDIA's header converts on the host."""
    codes = np.arange(255, dtype=np.uint8)
    exponents, mantissas = codes >> 3, codes & 7
    numbers = [
        m / 8 * 2.0**-14 if e == 0 else (1 + m / 8) * 2.0 ** (int(e) - 15)
        for e, m in zip(exponents, mantissas, strict=True)
    ]
    for wide in ("f32", "f64", "tf32"):
        assert conversions.ftof(codes, wide, "nearest_even").tolist() == numbers
        back = conversions.ftof(np.array(numbers, DTYPES[wide]), "fnv8E5M3FNU", "nearest_even")
        assert back.tolist() == codes.tolist()
    middles = (np.array(numbers[1:]) + numbers[:-1]) / 2
    for factor, expected in (
        (1, codes[:-1] + codes[:-1] % 2),
        (1 + 2.0**-20, codes[1:]),
        (-1 + 2.0**-20, codes[:-1]),
    ):
        assert conversions.ftof(middles * factor, "fnv8E5M3FNU", "nearest_even").tolist() == expected.tolist()
    extremes = np.array([118784.1, 1e30, math.inf, -math.inf, -1, -0.0, math.nan])
    assert conversions.ftof(extremes, "fnv8E5M3FNU", "nearest_even").tolist() == [
        254,
        254,
        254,
        254,
        120,
        0,
        255,
    ]
    assert np.isnan(conversions.ftof(np.array([255], np.uint8), "f16", "zero")[0])
    assert conversions.itof(np.array([1, 118784, 118785], np.int32), "fnv8E5M3FNU", "signed").tolist() == [
        120,
        254,
        255,
    ]
    assert conversions.ftoi(codes[-3:], "i32", "signed", False, unexpected).tolist() == [
        98304,
        106496,
        114688,
    ]


def test_ftof_of_halves_agrees_with_struct() -> None:
    rng = np.random.default_rng(5)
    source = rng.integers(0, 1 << 32, 3000, np.uint32).view(np.float32)
    source = source[np.abs(source) < 65000]
    result = conversions.ftof(source, "f16", "nearest_even")
    assert result.tobytes() == b"".join(struct.pack("<e", v) for v in source.tolist())


def test_ftof_toward_zero_never_grows() -> None:
    source = np.array([1 + 2**-12, -1 - 2**-12, 65519.0, 1e30, -1e30, math.inf, 2.0**-26, 0.0], np.float32)
    result = conversions.ftof(source, "f16", "zero").astype(np.float64)
    assert result.tolist() == [1, -1, 65504, 65504, -65504, math.inf, 0, 0]


def test_tf32_rounds_once_to_eleven_bits() -> None:
    step = 2.0**-10  # of tf32 at 1
    half = 2.0**-11
    source = np.array(
        [1 + half, 1 + 3 * half, 1 + half + 2.0**-40, 1 + half - 2.0**-40, -1 - half - 2.0**-40]
    )
    result = conversions.ftof(source, "tf32", "nearest_even")
    assert result.tolist() == [1, 1 + 2 * step, 1 + step, 1, -1 - step]
    special = to_tf32(np.array([math.inf, -math.inf, 3.4028235e38], np.float32))
    assert special.tolist() == [math.inf, -math.inf, math.inf]
    # A NaN whose first 19 bits are those of infinity stays a NaN.
    assert np.isnan(to_tf32(np.array([0x7F800001], np.uint32).view(np.float32)))[0]


@pytest.mark.parametrize(
    "rounding, expected",
    [
        ("nearest_even", [0, 2, 1, 1, -1, 2, math.inf, 0]),
        ("nearest_away", [1, 2, 1, 1, -1, 2, math.inf, 1]),
        ("zero", [0, 1, 0, 1, -1, 1, "greatest", 0]),
    ],
)
def test_tf32_by_mode(rounding: str, expected: list) -> None:
    """From 1 on in steps of tf32, so that ties go to 1 or to 1 + a step; the smallest number is 2^-136."""
    step = 2.0**-10
    steps = [0.5, 1.5, 0.5 + 2.0**-13, 1, -1, 1.75]
    source = np.array([*(1 + n * step if n > 0 else -1 + n * step for n in steps), 3.4028235e38, 2.0**-137])
    result = conversions.ftof(source.astype(np.float32), "tf32", rounding).astype(np.float64)
    numbers = [(n - 1) / step if n > 0 else (n + 1) / step for n in result[:6]]
    assert numbers == expected[:6]
    assert result[6] == ((2 - step) * 2.0**127 if expected[6] == "greatest" else expected[6])
    assert result[7] == expected[7] * 2.0**-136


@pytest.mark.parametrize("source", ["f64", "f32"])
def test_powers_of_two_by_mode(source: str) -> None:
    """As NVIDIA's header converts with saturation: the magnitude, from 2^-127 to 2^127."""
    numbers = [0, -0.0, 1, 1.5, -1.5, 3, 2.0**-127, 1.5 * 2.0**-127, 2.0**-128, 2.0**-149, 2.0**-126]
    numbers += [3.4e38, -3.4e38, math.inf, -math.inf, math.nan, 1.000000119, -1]
    array = np.array(numbers, DTYPES[source])
    modes = "zero", "positive_inf"
    below, above = (conversions.ftof(array, "f8E8M0FNU", mode).view(np.uint8).tolist() for mode in modes)
    assert below == [0, 0, 127, 127, 127, 128, 0, 0, 0, 0, 1, 254, 254, 254, 254, 255, 127, 127]
    assert above == [0, 0, 127, 128, 128, 129, 0, 1, 0, 0, 1, 254, 254, 254, 254, 255, 128, 127]


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
def test_ftoi_to_bool_is_whether_it_is_not_zero(signedness: str) -> None:
    for kind in ("f16", "bf16", "f32", "f64"):
        source = np.array([0, -0.0, 0.5, -3, 2.0**-20, math.inf, math.nan, 2]).astype(DTYPES[kind])
        result = conversions.ftoi(source, "i1", signedness, False, unexpected)
        assert result.tolist() == [False, False, True, True, True, True, True, True]


@pytest.mark.parametrize("to", ["i16", "i32", "i64"])
def test_exti_and_trunci(to: str) -> None:
    source = np.array([0, 1, 127, -128, -1], np.int8)
    bits = {"i16": 16, "i32": 32, "i64": 64}[to]
    assert conversions.exti(source, to, "signed").tolist() == source.tolist()
    unsigned = conversions.exti(source, to, "unsigned")
    assert [int(v) for v in unsigned] == [0, 1, 127, 128, 255]
    assert unsigned.dtype.itemsize * 8 == bits
    assert conversions.trunci(unsigned, "i8", "none", unexpected).tolist() == source.tolist()
    ones = conversions.exti(np.array([False, True]), to, "signed")
    assert ones.tolist() == [0, -1]
    assert conversions.trunci(np.array([2, 3], DTYPES[to]), "i1", "none", unexpected).tolist() == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    "value, overflow, broken",
    [
        (127, "no_signed_wrap", False),
        (128, "no_signed_wrap", True),
        (-128, "no_signed_wrap", False),
        (-129, "no_signed_wrap", True),
        (255, "no_unsigned_wrap", False),
        (256, "no_unsigned_wrap", True),
        (-1, "no_unsigned_wrap", True),
        (127, "no_wrap", False),
        (128, "no_wrap", True),
    ],
)
def test_trunci_promises(value: int, overflow: str, broken: bool) -> None:
    found: list[str] = []
    conversions.trunci(np.array(value, np.int32), "i8", overflow, lambda kind, message: found.append(kind))
    assert found == ["integer-overflow"] * broken


@pytest.mark.parametrize("overflow", ["no_signed_wrap", "no_unsigned_wrap", "no_wrap"])
def test_trunci_of_bools(overflow: str) -> None:
    """NVIDIA's front end converts bytes to bools with no_wrap; 2 and 3 are not bools."""
    found: list[str] = []
    for values in ([0, 1], [2], [3]):
        result = conversions.trunci(
            np.array(values, np.int8), "i1", overflow, lambda kind, message: found.append(message)
        )
        assert result.tolist() == [bool(value & 1) for value in values]
    assert len(found) == 2 * (1 + (overflow == "no_wrap"))


def test_bitcast_keeps_bits() -> None:
    source = np.array([0x7FC00001, -(2**31), 0x3F800000], np.int32)
    as_floats = conversions.bitcast(source, "f32")
    assert as_floats[2] == 1
    assert conversions.bitcast(as_floats, "i32").tolist() == source.tolist()
    assert conversions.bitcast(np.array(0x3C00, np.int16), "f16").shape == ()


def test_pack_and_unpack() -> None:
    halves = np.array([1.0, -2.0], np.float16)
    packed = conversions.pack(halves, "f16")
    assert packed.tobytes() == struct.pack("<2e", 1.0, -2.0)
    assert conversions.unpack(packed, "f16").tolist() == [1, -2]
    fours = np.array([1.0, -6.0], ml_dtypes.float4_e2m1fn)  # bits 0010 and 1111
    assert conversions.pack(fours, "f4E2M1FN").view(np.uint8).tolist() == [0xF2]
    back = conversions.unpack(np.array([0xF2], np.uint8).view(np.int8), "f4E2M1FN")
    assert back.astype(np.float32).tolist() == [1, -6]
    bits = np.array([True, False, False, True, True, False, False, False])
    assert conversions.pack(bits, "i1").tolist() == [0b11001]
    assert conversions.unpack(conversions.pack(bits, "i1"), "i1").tolist() == bits.tolist()
