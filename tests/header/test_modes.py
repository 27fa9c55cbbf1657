"""Rounding, subnormals and NaN modes [1.9] against the NumPy reference, bit for bit, and scans [2.6.12]."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, assert_close, assert_same_bits, run
from values import pairs, special

from pycuda_tile import reference

FLOATS = [np.dtype(np.float32), np.dtype(np.float64)]
MODES = ["round_ties_to_even", "round_toward_zero", "round_toward_negative", "round_toward_positive"]
FLUSH = "round_subnormals_to_zero"
SHAPE = (4, 128)
SIZE = 512


def _near_ties(dtype: np.dtype, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs whose sums and products are close to ties and to the ends of the exponent range."""
    rng = np.random.default_rng(seed)
    digits = np.finfo(dtype).nmant
    a = rng.integers(2**digits, 2 ** (digits + 1), size).astype(np.float64)
    b = rng.integers(1, 8, size) * 2.0 ** rng.integers(-digits - 4, 3, size)
    low, high = np.finfo(dtype).minexp - digits, np.finfo(dtype).maxexp - digits
    scale = rng.integers(low // 2, high // 2, size)
    sign = rng.choice([-1.0, 1.0], (2, size))
    with np.errstate(all="ignore"):
        return (
            (sign[0] * np.ldexp(a, scale)).astype(dtype),
            (sign[1] * np.ldexp(b * a[::-1] / a.max(), scale // 2)).astype(dtype),
        )


def _operands(dtype: np.dtype, seed: int) -> tuple[np.ndarray, np.ndarray]:
    a, b = pairs(dtype, SIZE, seed)
    c, d = _near_ties(dtype, SIZE // 2, seed)
    return np.concatenate([a[: SIZE // 2], c]), np.concatenate([b[: SIZE // 2], d])


@pytest.mark.every_target
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_rounding_modes(name, target):
    made = []
    for dtype in FLOATS:
        a, b = (x.reshape(SHAPE) for x in _operands(dtype, seed=len(name)))
        for mode in MODES:
            made.append((f"ct::{name}(x0, x1, ct::{mode}_t{{}})", dtype, a, b, {"rounding": mode}))
            if dtype == np.float32:
                flush = {"rounding": mode, "subnormals": FLUSH}
                made.append((f"ct::{name}(x0, x1, ct::{mode}_t{{}}, ct::{FLUSH}_t{{}})", dtype, a, b, flush))
    cases = [Case(expression, [a, b], SHAPE, dtype) for expression, dtype, a, b, _ in made]
    run(cases, target, options=("-O1",))
    for case, (_, _, a, b, modes) in zip(cases, made, strict=True):
        assert_same_bits(case, getattr(reference, name)(a, b, **modes))


def test_fma_in_rounding_modes(target):
    made = []
    for dtype in FLOATS:
        a, b = _operands(dtype, seed=11)
        with np.errstate(all="ignore"):
            c = np.concatenate([special(dtype), -(a * b)])[:SIZE].astype(dtype)
        for mode in MODES:
            for flush in [False, True] if dtype == np.float32 else [False]:
                modes = {"rounding": mode, **({"subnormals": FLUSH} if flush else {})}
                last = f", ct::{FLUSH}_t{{}}" if flush else ""
                expression = f"ct::fma(x0, x1, x2, ct::{mode}_t{{}}{last})"
                made.append((Case(expression, [x.reshape(SHAPE) for x in (a, b, c)], SHAPE, dtype), modes))
    run([case for case, _ in made], target, options=("-O1",))
    for case, modes in made:
        assert_same_bits(case, reference.fma(*case.inputs, **modes))


def test_square_root_in_rounding_modes(target):
    made = []
    for dtype in FLOATS:
        x = np.abs(_operands(dtype, seed=5)[0]).reshape(SHAPE)
        x[0, :4] = [-1.0, -0.0, 0.0, np.nan]
        for mode in MODES:
            made.append((Case(f"ct::sqrt(x0, ct::{mode}_t{{}})", [x], SHAPE, dtype), {"rounding": mode}))
        made.append((Case("ct::sqrt(x0)", [x], SHAPE, dtype), {}))
        if dtype == np.float32:
            flush = {"rounding": MODES[0], "subnormals": FLUSH}
            made.append((Case(f"ct::sqrt(x0, {{}}, ct::{FLUSH}_t{{}})", [x], SHAPE, dtype), flush))
    run([case for case, _ in made], target, options=("-O1",))
    for case, modes in made:
        assert_same_bits(case, reference.sqrt(*case.inputs, **modes))


def test_imprecise_division_and_root_are_close(target):
    rng = np.random.default_rng(2)
    a, b = (rng.uniform(0.5, 100, SHAPE).astype(np.float32) for _ in range(2))
    cases = [
        Case("ct::div(x0, x1, ct::round_approximate_t{})", [a, b], SHAPE, np.float32),
        Case("ct::div(x0, x1, ct::round_full_t{})", [a, b], SHAPE, np.float32),
        Case("ct::sqrt(x0, ct::round_approximate_t{})", [a], SHAPE, np.float32),
    ]
    exact = [a.astype(float) / b, a.astype(float) / b, np.sqrt(a.astype(float))]
    for case, expected in zip(run(cases, target), exact, strict=True):
        assert_close(
            case, expected, relative=2 * np.finfo(np.float32).eps
        )  # 2 ulp, as CUDA states for division


@pytest.mark.every_target
@pytest.mark.parametrize("name", ["max", "min"])
def test_nan_modes(name, target):
    made = []
    for dtype in FLOATS:
        values = special(dtype)
        a, b = (np.resize(g.ravel(), SIZE).reshape(SHAPE) for g in np.meshgrid(values, values))
        for nan in ("suppress_nan", "propagate_nan"):
            made.append((Case(f"ct::{name}(x0, x1, ct::{nan}_t{{}})", [a, b], SHAPE, dtype), {"nan": nan}))
            if dtype == np.float32:
                expression = f"ct::{name}(x0, x1, ct::{nan}_t{{}}, ct::{FLUSH}_t{{}})"
                made.append((Case(expression, [a, b], SHAPE, dtype), {"nan": nan, "subnormals": FLUSH}))
    run([case for case, _ in made], target, options=("-O1",))
    for case, modes in made:
        assert_same_bits(case, getattr(reference, name)(*case.inputs, **modes))


@pytest.mark.every_target
def test_reductions_take_modes(target):
    x = np.array([[1.0, np.nan, 3.0, 2.0], [1e-40, 2e-40, 0.0, -0.0]], np.float32)
    tenth = np.full((2, 4), 0.1, np.float32)
    cases = run(
        [
            Case("ct::reduce_max(x0, 1_ic, ct::propagate_nan_t{})", [x], (2, 1), np.float32),
            Case(
                f"ct::reduce_max(x0, 1_ic, ct::suppress_nan_t{{}}, ct::{FLUSH}_t{{}})",
                [x],
                (2, 1),
                np.float32,
            ),
            Case("ct::sum(x0, 1_ic, ct::round_toward_positive_t{})", [tenth], (2, 1), np.float32),
            Case("ct::sum(x0, 1_ic, ct::round_toward_negative_t{})", [tenth], (2, 1), np.float32),
            Case("ct::reduce_min(x0, 1_ic, ct::propagate_nan_t{})", [x], (2, 1), np.float32),
            Case("ct::prod(x0, 1_ic, ct::round_toward_zero_t{})", [tenth * 20], (2, 1), np.float32),
        ],
        target,
    )
    assert_same_bits(cases[0], np.array([[np.nan], [2e-40]], np.float32))
    assert_same_bits(cases[1], np.array([[3.0], [0.0]], np.float32))
    assert_same_bits(cases[4], np.array([[np.nan], [-0.0]], np.float32))
    assert_same_bits(cases[5], np.full((2, 1), 16, np.float32))
    # (0.1 + 0.1) + (0.1 + 0.1) is exact; any other grouping rounds up or down, depending on the mode.
    assert np.all(cases[2].result >= cases[3].result)
    assert_close(cases[2], np.full((2, 1), 4 * float(np.float32(0.1))), relative=4 * np.finfo(np.float32).eps)


SCANS = [(1,), (16,), (1024,), (4, 8), (64, 4), (2, 8, 16), (16, 1, 32)]


@pytest.mark.every_target
def test_scans(target):
    rng = np.random.default_rng(6)
    cases = []
    for shape in SCANS:
        for d in range(len(shape)):
            integers = rng.integers(-100, 100, shape).astype(np.int32)
            signs = rng.choice([-1.0, 1.0, 2.0, 0.5], shape)
            cases.append(Case(f"ct::partial_sum(x0, {d}_ic)", [integers], shape, np.int32, f"sum along {d}"))
            cases.append(Case(f"ct::partial_prod<{d}>(x0)", [signs], shape, np.float64, f"prod along {d}"))
    mode = "ct::partial_sum(x0, 0_ic, ct::round_toward_zero_t{}, ct::preserve_subnormals_t{})"
    cases.append(Case(mode, [np.arange(16.0)], (16,), np.float64, "sum along 0"))
    mode = "ct::partial_prod(x0, 0_ic, ct::round_toward_zero_t{}, ct::preserve_subnormals_t{})"
    cases.append(Case(mode, [np.full(16, 2.0)], (16,), np.float64, "prod along 0"))
    for case in run(cases, target, options=("-O1",)):
        function = reference.partial_sum if case.name.startswith("sum") else reference.partial_prod
        expected = function(case.inputs[0], int(case.name[-1]))
        assert_same_bits(case, expected)  # integers and powers of two: exact in any order
