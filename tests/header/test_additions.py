"""Functions that 13.4 and 13.5 add, against the NumPy reference."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from cases import Case, assert_same_bits, run

from pycuda_tile import reference
from pycuda_tile.compilers import nvrtc


def _case(expression: str, expected: np.ndarray, *inputs: np.ndarray) -> tuple[Case, np.ndarray]:
    return Case(expression, list(inputs), expected.shape, expected.dtype), expected


def _check(made: list[tuple[Case, np.ndarray]], target) -> None:
    run([case for case, _ in made], target, options=("-O1",))
    for case, expected in made:
        assert_same_bits(case, expected)


def _places():
    """[2.6] max_element, min_element: ties, zeros of both signs, NaN, infinities, every kind of element."""
    rng = np.random.default_rng(0)
    few = rng.integers(-2, 3, (4, 2, 8))
    zeros = np.array([[0.0, -0.0, -1.0, -0.0], [-0.0, 0.0, 1.0, 0.0]], np.float32)
    nans = np.array([[np.nan, 2, np.nan, 2], [np.nan] * 4, [-np.inf] * 4, [np.nan, np.inf, 3, np.inf]])
    for name in ("max_element", "min_element"):
        function = getattr(reference, name)
        for d, x in enumerate((few.astype(np.int8), few.astype(np.float16), few.astype(np.uint64))):
            yield _case(f"ct::{name}<{d}>(x0)", function(x, d), x)
        yield _case(f"ct::{name}(x0, 1_ic)", function(zeros, 1), zeros)
        yield _case(f"ct::{name}(x0, 1_ic)", function(nans, 1), nans)
        yield _case(f"ct::{name}(x0, 0_ic)", function(nans, 0), nans)
        yield _case(f"ct::{name}<1>(x0)", function(few[0] > 0, 1), few[0] > 0)
        yield _case(f"ct::{name}<0>(x0)", np.zeros(1, np.uint32), np.ones(1, np.int32))
        long = rng.integers(0, 99, 256).astype(np.int32)
        yield _case(f"ct::{name}<0>(x0)", function(long, 0), long)


def _bools():
    """[2.2.14] to [2.2.16]"""
    x, no = np.array([True, False]), np.array([0, 0], np.int32)
    yield _case("~x0", ~x, x)
    yield _case("x0 << x1", x, x, no)
    yield _case("x0 >> x1", x, x, no)


_BYTES = np.array([[0x21, 0xF7, 0x80, 0x3C], [1, 2, 254, 0x7F]], np.uint8)


def _shapes_and_bits():
    """[2.3] insert, repack"""
    x, part = np.arange(32, dtype=np.int32).reshape(4, 8), np.array([[-1, -2], [-3, -4]], np.int16)
    yield _case("ct::insert(x0, x1, 1, 2)", reference.insert(x, part, 1, 2), x, part)
    yield _case("ct::insert(x0, x1, 0, 0)", reference.insert(x, part, 0, 0), x, part)
    yield _case("ct::insert(x0, x1, 2)", reference.insert(x[0], x[1, :2], 2), x[0], x[1, :2])
    words = np.array([[0x11223344, 0xFF], [0x80000000, 0x7F800001]], np.uint32)
    for name, dtype in (
        ("unsigned char", "uint8"),
        ("bool", "bool"),
        ("float", "float32"),
        ("short", "int16"),
    ):
        yield _case(f"ct::repack<{name}>(x0, 1_ic)", reference.repack(words, dtype, 1), words)
    for name, dtype in (("unsigned short", "uint16"), ("long long", "int64"), ("unsigned char", "uint8")):
        d = 1 if dtype == "int64" else 0
        octets = np.tile(_BYTES, (1, 2))
        yield _case(f"ct::repack<{name}, {d}>(x0)", reference.repack(octets, dtype, d), octets)
    bits = reference.repack(_BYTES, bool, 0)
    yield _case("ct::repack<unsigned char, 0>(x0)", _BYTES, bits)
    yield _case("ct::repack<bool, 0>(x0)", bits, bits)


_CAST = np.array(
    [
        0.1,
        -0.1,
        1.0,
        -0.7,
        1e30,
        -1e300,
        1e-46,
        -1e-320,
        np.inf,
        -np.inf,
        np.nan,
        0.0,
        -0.0,
        3.4e38,
        65519,
        7e-8,
    ]
)


def _casts():
    """[2.3.19] with a rounding mode or saturation"""
    for mode in ("ties_to_even", "toward_zero", "toward_negative", "toward_positive"):
        expected = reference.element_cast(_CAST, np.float32, f"round_{mode}")
        yield _case(f"ct::element_cast<float>(x0, ct::round_{mode}_t{{}})", expected, _CAST)
    single = reference.element_cast(_CAST, np.float32)
    half = np.dtype(np.float16)
    for x in (_CAST, single):
        expected = reference.element_cast(x, half, "round_toward_zero")
        yield _case("ct::element_cast<__half>(x0, ct::round_toward_zero_t{})", expected, x)
    yield _case("ct::element_cast<double>(x0, ct::round_ties_to_away_t{})", single.astype(np.float64), single)
    ties = np.array([1 + 2**-11, -1 - 3 * 2**-11, 1.0, np.inf], np.float32)
    for mode, expected in (
        ("ties_to_away", [1 + 2**-10, -1 - 2**-9, 1, np.inf]),
        ("toward_zero", [1, -1 - 2**-10, 1, np.inf]),
    ):
        cast = f"ct::element_cast<float>(ct::element_cast<__nv_tf32>(x0, ct::round_{mode}_t{{}}))"
        yield _case(cast, np.array(expected, np.float32), ties)
    for name, dtype in (
        ("int", np.int32),
        ("unsigned char", np.uint8),
        ("long long", np.int64),
        ("bool", np.bool_),
    ):
        for x in (_CAST, reference.element_cast(single, np.float16)):
            expected = reference.element_cast(x, dtype, saturation="saturate_finite")
            yield _case(f"ct::element_cast<{name}>(x0, ct::saturate_finite_t{{}})", expected, x)
    small = np.array([3.9, -2.0])
    yield _case("ct::element_cast<int>(x0, ct::saturate_none_t{})", np.array([3, -2], np.int32), small)


def _functions():
    """[2.4] powi, pow with an integral exponent, approximate exp and tanh; lists [2.9.1]"""
    base, n = np.array([-2, 0.5, 3, -1], np.float32), np.array([3, -2, 0, 5], np.int32)
    yield _case("ct::powi(x0, x1)", reference.powi(base, n), base, n)
    yield _case(
        "ct::powi(x0, x1)",
        reference.powi(base.astype(np.float64), np.int8(-2)),
        base.astype(np.float64),
        np.int8(-2),
    )
    yield _case("ct::powi(x0, x1)", reference.powi(base, n > 0), base, n > 0)
    yield _case("ct::pow(x0, 2)", base * base, base)
    zero = np.zeros(2, np.float32)
    yield _case(
        "ct::exp(x0, ct::round_approximate_t{}) + ct::tanh(x0, ct::round_approximate_t{})", zero + 1, zero
    )
    yield _case("ct::tile<int, ct::shape<2, 2>>{{{1, 2}, {3, 4}}}", np.array([[1, 2], [3, 4]], np.int32))
    yield _case(
        "ct::tile<float, ct::shape<2>>{{1, 2}} + ct::tile{{0.5f, -0.5f}}", np.array([1.5, 1.5], np.float32)
    )
    yield _case("ct::tile<short, ct::shape<1, 2, 1>>{{{{7}, {8}}}}", np.array([[[7], [8]]], np.int16))
    yield _case("ct::tile<short, ct::shape<1, 1, 2, 1>>{{{{{7}, {8}}}}}", np.array([[[[7], [8]]]], np.int16))
    yield _case(
        "ct::tile<short, ct::shape<1, 1, 1, 2, 1>>{{{{{{7}, {8}}}}}}", np.array([[[[[7], [8]]]]], np.int16)
    )


def _small(name: str, values: np.ndarray) -> np.ndarray:
    return np.asarray(values, np.float32).astype(getattr(ml_dtypes, name))


def _products():
    """[2.5] scaled_mma of small whole numbers, of which every order gives the same sum"""
    rng = np.random.default_rng(4)
    for element, scale, length, batches, shared in (
        ("float8_e4m3fn", "float8_e8m0fnu", 32, (), ()),
        ("float8_e5m2", "float8_e8m0fnu", 32, (2,), (1,)),
        ("float4_e2m1fn", "float8_e4m3fn", 16, (), ()),
        ("float4_e2m1fn", "float8_e8m0fnu", 16, (), ()),
    ):
        lhs, rhs = (
            _small(element, rng.integers(-3, 4, shape)) for shape in ((*batches, 4, 64), (*shared, 64, 2))
        )
        scales = [
            _small(scale, np.exp2(rng.integers(-2, 3, shape)))
            for shape in ((*shared, 4, 64 // length), (*shared, 64 // length, 2))
        ]
        acc = rng.integers(-9, 9, (*batches, 4, 2)).astype(np.float32)
        inputs = (lhs, scales[0], rhs, scales[1], acc)
        yield _case("ct::scaled_mma(x0, x1, x2, x3, x4)", reference.scaled_mma(*inputs), *inputs)


def _small_floats():
    """[2.3.5] [2.3.6] of all bit patterns; casts to e8m0; fp4 in bytes"""
    every = np.arange(256, dtype=np.uint8)
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"):
        x = every.view(getattr(ml_dtypes, name))
        for function, expected in (("isnan", np.isnan), ("isinf", np.isinf)):
            yield _case(f"ct::{function}(x0)", expected(x.astype(np.float32)), x)
    x = np.array(
        [
            1,
            1.5,
            3,
            0.3,
            -3,
            2.0**-126,
            1e30,
            np.nan,
            0,
            -0.0,
            2.0**-130,
            1e-300,
            3e38,
            1e39,
            -np.inf,
            1 + 2.0**-40,
        ]
    )
    for mode in ("toward_zero", "toward_positive"):
        expected = reference.element_cast(x, ml_dtypes.float8_e8m0fnu, f"round_{mode}")
        yield _case(f"ct::element_cast<__nv_fp8_e8m0>(x0, ct::round_{mode}_t{{}})", expected, x)
    octets = np.array([0x21, 0xF7], np.uint8)
    fp4 = reference.repack(octets, ml_dtypes.float4_e2m1fn, 0)
    yield _case("ct::repack<__nv_fp4_e2m1, 0>(x0)", fp4, octets)
    yield _case("ct::repack<unsigned char, 0>(x0)", octets, fp4)


def _ue5m3():
    """The format that NumPy lacks, by its bits: no sign, bias 15, NaN 0xff; conversions drop the sign."""
    every = np.arange(256, dtype=np.uint8)
    exponent, mantissa = every.astype(int) >> 3, every.astype(int) & 7
    values = np.where(exponent == 0, mantissa / 8 * 2.0**-14, (1 + mantissa / 8) * 2.0 ** (exponent - 15))
    values[255] = np.nan
    bits = "ct::element_bitcast<__nv_fp8_ue5m3>(x0)"
    yield _case(f"ct::element_cast<float>({bits})", values.astype(np.float32), every)
    yield _case(f"ct::isnan({bits})", every == 255, every)
    yield _case(f"ct::isinf({bits})", every == 256, every)
    between = (values[:15] + values[1:16]) / 2  # ties, which go to even bits
    x = np.resize(np.concatenate([between, -values[::64], [1e9], values[200:211] * 1.001]), 32).astype(
        np.float32
    )
    distance = np.abs(np.abs(x)[:, None].astype(np.float64) - values[None, :255])
    nearest = distance.min(1, keepdims=True) == distance
    chosen = [min(np.flatnonzero(row), key=lambda i: (i % 2, i)) for row in nearest]
    cast = "ct::element_bitcast<unsigned char>(ct::element_cast<__nv_fp8_ue5m3>(x0))"
    yield _case(cast, np.array(chosen, np.uint8), x)
    lhs, rhs = (_small("float4_e2m1fn", np.ones(shape)) for shape in ((2, 32), (32, 2)))
    scales = np.array([[0x78, 0x80], [0x70, 0x78]], np.uint8)  # 1, 2, 0.5, 1
    product = "ct::element_bitcast<__nv_fp8_ue5m3>(x1)", "ct::element_bitcast<__nv_fp8_ue5m3>(x3)"
    inputs = (lhs, scales, rhs, scales, np.zeros((2, 2), np.float32))
    numbers = np.array([[1, 2], [0.5, 1]], np.float32)
    expected = reference.scaled_mma(lhs, numbers, rhs, numbers, inputs[4])
    yield _case(f"ct::scaled_mma(x0, {product[0]}, x2, {product[1]}, x4)", expected, *inputs)


@pytest.mark.skipif(not nvrtc.include_dirs(), reason="needs NVIDIA's headers of small floats")
@pytest.mark.every_target
def test_small_floats(target):
    _check([*_products(), *_small_floats(), *_ue5m3()], target)


@pytest.mark.every_target
def test_additions(target):
    _check([*_places(), *_bools(), *_shapes_and_bits(), *_casts(), *_functions()], target)
