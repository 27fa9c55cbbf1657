"""half, bfloat16 and fp8 [1.4] with NVIDIA's type headers: conversions, arithmetic in all modes, mma."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from cases import CPP_TYPES, Case, assert_close, assert_same_bits, run
from values import mixed, pairs, special

from pycuda_tile import reference
from pycuda_tile.compilers import nvrtc
from pycuda_tile.spec.element_types import CXX_TYPES, NUMPY_TYPES

HALF, BFLOAT = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
SHAPE, SIZE = (4, 128), 512

if not nvrtc.include_dirs():
    pytest.skip('needs cuda_fp16.h: pip install -e ".[gpu]"', allow_module_level=True)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("dtype", [HALF, BFLOAT], ids=str)
def test_arithmetic_in_all_rounding_modes(dtype, target):
    a, b = (x.reshape(SHAPE) for x in pairs(dtype, SIZE, seed=1))
    c = mixed(dtype, SIZE, seed=2).reshape(SHAPE)
    made = []
    for mode in ("ties_to_even", "toward_zero", "toward_negative", "toward_positive"):
        flag = f"ct::round_{mode}_t{{}}"
        for name in ("add", "sub", "mul", "div"):
            made.append((Case(f"ct::{name}(x0, x1, {flag})", [a, b], SHAPE, dtype), name, mode))
        made.append((Case(f"ct::fma(x0, x1, x2, {flag})", [a, b, c], SHAPE, dtype), "fma", mode))
        made.append((Case(f"ct::sqrt(x0, {flag})", [a], SHAPE, dtype), "sqrt", mode))
    run([case for case, _, _ in made], target)
    for case, name, mode in made:
        assert_same_bits(case, getattr(reference, name)(*case.inputs, rounding=f"round_{mode}"))


@pytest.mark.parametrize("dtype", [HALF, BFLOAT], ids=str)
def test_comparison_and_extrema(dtype, target):
    values = special(dtype)
    a, b = (np.resize(g.ravel(), SIZE).reshape(SHAPE) for g in np.meshgrid(values, values))
    made = [
        (Case("x0 < x1", [a, b], SHAPE, bool), reference.less(a, b)),
        (Case("x0 == x1", [a, b], SHAPE, bool), reference.equal(a, b)),
        (Case("ct::max(x0, x1)", [a, b], SHAPE, dtype), reference.max(a, b)),
        (
            Case("ct::min(x0, x1, ct::propagate_nan_t{})", [a, b], SHAPE, dtype),
            reference.min(a, b, "propagate_nan"),
        ),
        (Case("ct::abs(x0)", [a], SHAPE, dtype), reference.abs(a)),
        (Case("-x0", [a], SHAPE, dtype), reference.negate(a)),
        (Case("ct::isnan(x0)", [a], SHAPE, bool), reference.isnan(a)),
        (
            Case("ct::element_cast<int>(x0)", [_moderate(a)], SHAPE, np.int32),
            np.trunc(_moderate(a)).astype(np.int32),
        ),
    ]
    computed = [  # without a mode, and where an operand is one element
        (Case("x0 + x1", [a, b], SHAPE, dtype), reference.add(a, b)),
        (Case("x0 - x1", [a, b], SHAPE, dtype), reference.sub(a, b)),
        (Case("x0 * x1", [a, b], SHAPE, dtype), reference.mul(a, b)),
        (Case("x0 / x1", [a, b], SHAPE, dtype), reference.div(a, b)),
        (Case(f"x0 * {CPP_TYPES[dtype]}(0.3f)", [a], SHAPE, dtype), reference.mul(a, dtype.type(0.3))),
        (Case("ct::sqrt(x0)", [a], SHAPE, dtype), reference.sqrt(a)),
    ]
    run([case for case, _ in made + computed], target)
    for case, expected in made + computed:
        assert_same_bits(case, expected)
    for case, _ in computed:
        nans = case.result.view(np.uint16)[np.isnan(case.result)]
        assert nans.size and set(nans) == {0x7FFF}, case.expression


@pytest.mark.parametrize("dtype", [HALF, BFLOAT], ids=str)
def test_one_element_goes_with_every_other(dtype, target):
    values = mixed(dtype, 64, seed=3)
    made = []
    for count in (8, 16, 64):
        a = values[:count]
        for one in (np.asarray(values[5:6]), np.asarray(values[5])):
            made += [
                (Case("x0 - x1", [a, one], (count,), dtype), reference.sub(a, one)),
                (Case("x0 / x1", [one, a], (count,), dtype), reference.div(one, a)),
                (Case("x0 < x1", [a, one], (count,), bool), reference.less(a, one)),
                (Case("ct::fma(x0, x1, x0)", [a, one], (count,), dtype), reference.fma(a, one, a)),
            ]
        pairs = a.reshape(2, -1)
        rows = Case("x0 + x1", [pairs, values[7:8].reshape(1, 1)], pairs.shape, dtype)
        made.append((rows, reference.add(pairs, values[7:8])))
    run([case for case, _ in made], target)
    for case, expected in made:
        assert_same_bits(case, np.broadcast_to(expected, case.shape))


@pytest.mark.parametrize("dtype", [HALF, BFLOAT], ids=str)
def test_products_that_are_ties_and_rows_of_small_floats(dtype, target):
    info, at = ml_dtypes.finfo(dtype), np.arange(SIZE).reshape(SHAPE)
    ties = (1 + (at % 20 * 2 + 1) * float(info.eps)).astype(dtype)  # times 1.5, between two numbers
    factor = np.full(SHAPE, 1.5, dtype)
    least = np.where(at % 2, 1, -1).astype(dtype) * info.smallest_subnormal
    whole = (at % 7 - 3).astype(dtype)  # so that sums are exact in any order
    some = whole.copy()
    some[at % 3 == 0], some[1] = np.nan, np.nan
    fma = Case("ct::fma(x0, x1, x2)", [ties, factor, least], SHAPE, dtype)
    made = [(fma, reference.fma(ties, factor, least))]
    for dim in (0, 1):
        shape = tuple(1 if d == dim else n for d, n in enumerate(SHAPE))
        total = whole.astype(np.float32).sum(dim, keepdims=True).astype(dtype)
        made.append((Case(f"ct::sum(x0, {dim}_ic)", [whole], shape, dtype), total))
        with np.errstate(all="ignore"):
            greatest = np.fmax.reduce(some.astype(np.float32), axis=dim, keepdims=True).astype(dtype)
        made.append((Case(f"ct::reduce_max(x0, {dim}_ic)", [some], shape, dtype), greatest))
    run([case for case, _ in made], target)
    for case, expected in made:
        assert_same_bits(case, expected)


def _moderate(x: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(x) < 1000, x, x.dtype.type(-2.5))


def _ties(dtype: np.dtype, wide: np.dtype) -> np.ndarray:
    """Values of `wide` halfway between two of `dtype`, and neighbours, which reveal a second rounding."""
    rng = np.random.default_rng(3)
    info = ml_dtypes.finfo(dtype)
    digits = rng.integers(2**info.nmant, 2 ** (info.nmant + 1), SIZE).astype(wide)
    halfway = (digits + wide.type(0.5)) * wide.type(2.0 ** -float(info.nmant))
    return np.choose(rng.integers(0, 3, SIZE), [halfway, np.nextafter(halfway, 0), np.nextafter(halfway, 9)])


def test_conversions_round_once(target):
    made = []
    for dtype in (HALF, BFLOAT):
        for wide in (np.dtype(np.float32), np.dtype(np.float64)):
            x = np.concatenate([_ties(dtype, wide)[: SIZE // 2], mixed(wide, SIZE // 2, seed=4)]).reshape(
                SHAPE
            )
            made.append((Case(f"ct::element_cast<{CPP_TYPES[dtype]}>(x0)", [x], SHAPE, dtype), dtype))
        for integer in ("int32", "int64", "uint32", "int16"):
            x = mixed(np.dtype(integer), SIZE, seed=5).reshape(SHAPE)
            if dtype == HALF:
                # 65505 to 65519 round to 65504 or to infinity, depending on the reading of [1.7.2].
                x = np.where(np.abs(x.astype(np.float64)) < 65504, x, x.dtype.type(1))
            made.append((Case(f"ct::element_cast<{CPP_TYPES[dtype]}>(x0)", [x], SHAPE, dtype), dtype))
        back = mixed(dtype, SIZE, seed=6).reshape(SHAPE)
        made.append((Case("ct::element_cast<double>(x0)", [back], SHAPE, np.float64), np.dtype(np.float64)))
    run([case for case, _ in made], target)
    for case, dtype in made:
        assert_same_bits(case, reference.element_cast(case.inputs[0], dtype))


def test_what_becomes_double_again_is_rounded(target):
    """g++ 12 makes vectors of two doubles that become floats and double again, and drops both conversions."""
    made = []
    for count in (1, 2, 4, 8, 32):
        x = mixed(np.dtype(np.float64), 32, seed=9)[:count]
        x[0] = 0.1
        for dtype in (np.dtype(np.float32), HALF, BFLOAT):
            text = f"ct::element_cast<double>(ct::element_cast<{CPP_TYPES[dtype]}>(x0))"
            made.append((Case(text, [x], (count,), np.float64), reference.element_cast(x, dtype)))
    run([case for case, _ in made], target)
    for case, rounded in made:
        assert_same_bits(case, reference.element_cast(rounded, np.dtype(np.float64)))


def test_bfloat16_of_floats_of_all_kinds(target):
    """Each exponent, those of subnormal numbers, infinities and NaN among them, with ties and neighbours."""
    exponents, lower = np.arange(512, dtype=np.uint32) << 23, [0, 0x7FFF, 0x8000, 0x8001, 0x18000, 0x3F8000]
    bits = (exponents[:, None] | np.array([*lower, 0x7F7FFF, 0x7F8000], np.uint32)).reshape(32, 128)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    expected = np.where(np.isnan(bits.view(np.float32)), 0x7FFF, rounded)
    case = Case("ct::element_cast<__nv_bfloat16>(x0)", [bits.view(np.float32)], bits.shape, BFLOAT)
    run([case], target)
    np.testing.assert_array_equal(case.result.view(np.uint16), expected)


FP8 = [e.numpy for e in CXX_TYPES.values() if e.bits == 8 and e.signed and not e.is_integral]


@pytest.mark.parametrize("dtype", FP8)
def test_fp8_conversions(dtype, target):
    dtype = np.dtype(dtype)
    every = np.arange(256, dtype=np.uint8).view(dtype).reshape(2, 128)
    limit = float(ml_dtypes.finfo(dtype).max)
    inside = np.random.default_rng(7).uniform(-limit, limit, (2, 128)).astype(np.float32)
    inside[0, :4] = [0.0, -0.0, float(ml_dtypes.finfo(dtype).smallest_subnormal), -limit]
    cpp = CPP_TYPES[dtype]
    widened, narrowed, from_double = run(
        [
            Case("ct::element_cast<float>(x0)", [every], every.shape, np.float32),
            Case(f"ct::element_cast<{cpp}>(x0)", [inside], inside.shape, dtype),
            Case(f"ct::element_cast<{cpp}>(x0)", [inside.astype(np.float64)], inside.shape, dtype),
        ],
        target,
    )
    assert_same_bits(widened, every.astype(np.float32))
    assert_same_bits(narrowed, inside.astype(dtype))
    assert_same_bits(from_double, inside.astype(dtype))


def test_mma(target):
    rng = np.random.default_rng(8)
    cases = []
    for dtype, acc in (
        (HALF, HALF),
        (HALF, np.float32),
        (BFLOAT, np.float32),
        (ml_dtypes.float8_e4m3fn, np.float32),
    ):
        a, b = (rng.standard_normal(s).astype(dtype) for s in ((16, 32), (32, 16)))
        c = rng.standard_normal((16, 16)).astype(acc)
        cases.append(Case("ct::mma(x0, x1, x2)", [a, b, c], c.shape, acc))
    for case in run(cases, target):
        a, b, c = (x.astype(np.float64) for x in case.inputs)
        # There are 33 roundings in float, and one to the type of the accumulator.
        unit = 33 * 2.0**-24 + float(ml_dtypes.finfo(case.dtype).eps) / 2
        assert_close(
            case, a @ b + c, relative=0, absolute=unit * float(np.max(np.abs(a) @ np.abs(b) + np.abs(c)))
        )


SINCE_13_5 = [e.dtype for e in NUMPY_TYPES.values() if e.since == "13.5"]


@pytest.mark.parametrize("dtype", SINCE_13_5, ids=str)
def test_every_value_of_the_types_since_13_5(dtype, target):
    bits = np.arange(1 << NUMPY_TYPES[dtype.name].bits, dtype=np.uint8)
    values = bits.view(dtype)
    made = [
        Case("ct::element_cast<float>(x0)", [values], bits.shape, np.float32),
        Case("ct::isnan(x0)", [values], bits.shape, bool),
        Case("ct::select(x1, x0, x0)", [values, bits < 8], bits.shape, dtype),
    ]
    if bits.size == 256:  # fp4 has 4 bits, so no other type has its size
        made.append(Case("ct::element_bitcast<unsigned char>(x0)", [values], bits.shape, np.uint8))
    run(made, target)
    floats = values.astype(np.float32)
    for case, expected in zip(made, [floats, np.isnan(floats), values, bits], strict=False):
        assert_same_bits(case, expected)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("source", [np.float32, np.float64, HALF, np.int32], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("dtype", SINCE_13_5, ids=str)
def test_conversions_to_the_types_since_13_5(dtype, source, target):
    """All values, values between them, values near overflow, infinities and NaN."""
    finite = np.unique(np.abs(np.arange(255, dtype=np.uint8).view(dtype).astype(np.float64)))
    finite = finite[(finite < 60000) & (finite > 2.0**-20)] if source == HALF else finite[finite < 2.0**30]
    between = np.convolve(finite, [0.5, 0.5], "valid")
    near = (
        [np.nextafter(between.astype(source), x).astype(np.float64) for x in (0, 1e4)]
        if source != np.int32
        else []
    )
    special = [] if source == np.int32 else [0.0, -0.0, np.inf, -np.inf, np.nan]
    x = np.concatenate([finite, between, *near, -between, special]).astype(source)
    x = np.resize(x, 1024)
    [case] = run([Case(f"ct::element_cast<{CPP_TYPES[dtype]}>(x0)", [x], (1024,), dtype)], target)
    assert_same_bits(case, reference.element_cast(x, dtype))
