"""The math functions [2.4] of the cpu target: exact in C's special cases, otherwise within bounds.tsv's ulps.

The reference for double functions is mpmath; for float functions it is NumPy's double functions, which are
checked against mpmath here. Each test runs with several builds, with and without fused multiply-add.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct

mpmath = pytest.importorskip("mpmath", reason="mpmath, the reference of the math functions, is not installed")

TILE = 65536
TYPES = {"float": np.dtype(np.float32), "double": np.dtype(np.float64)}
BINARY = ("pow", "atan2")
MPMATH = {
    "ceil": mpmath.ceil, "floor": mpmath.floor, "pow": mpmath.power, "exp2": lambda x: mpmath.power(2, x),
    "exp": mpmath.exp, "log2": lambda x: mpmath.log(x) / mpmath.ln2, "log": mpmath.log, "sqrt": mpmath.sqrt,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x), "cosh": mpmath.cosh, "cos": mpmath.cos, "sinh": mpmath.sinh,
    "sin": mpmath.sin, "tanh": mpmath.tanh, "tan": mpmath.tan, "atan2": mpmath.atan2,
}  # fmt: skip
NUMPY = {
    "pow": np.power, "atan2": np.arctan2, "rsqrt": lambda x: 1 / np.sqrt(x),
    **{name: getattr(np, name) for name in MPMATH if name not in ("pow", "atan2", "rsqrt")},
}  # fmt: skip


@dataclass(frozen=True)
class Bound:
    name: str
    type: str
    ulps: float


def _bounds() -> list[Bound]:
    header, *lines = (Path(__file__).parent / "bounds.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]
    return [Bound(row["name"], row["type"], float(row["bound"])) for row in rows]


BOUNDS = _bounds()
FLOAT_BOUNDS = [bound for bound in BOUNDS if bound.type == "float"]
DOUBLE_BOUNDS = [bound for bound in BOUNDS if bound.type == "double"]


def _name(bound: Bound) -> str:
    return f"{bound.name}-{bound.type}"


def _kernel(bound: Bound) -> str:
    operands = ("x", "y") if bound.name in BINARY else ("x",)
    parameters = ", ".join(f"const {bound.type}* {operand}" for operand in operands)
    loads = ", ".join(f"ct::load({operand} + offsets)" for operand in operands)
    return (
        f"__tile_global__ void {bound.name}_{bound.type}({parameters}, {bound.type}* out) {{\n"
        f"  auto lanes = ct::iota<ct::tile<int, ct::shape<{TILE}>>>();\n"
        f"  auto offsets = static_cast<int>(ct::bid().x) * {TILE} + lanes;\n"
        f"  ct::store(out + offsets, ct::{bound.name}({loads}));\n}}\n"
    )


#: architecture and options: this processor's instructions; without fused multiply-add; a * b + c rounded once
BUILDS = {
    "native": ("native", ()),
    "x86-64": ("x86-64", ()),
    "contracted": ("native", ("-ffp-contract=fast",)),
}


@cache
def _module(variant: str) -> pct.Module:
    arch, options = BUILDS[variant]
    source = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n' + "".join(map(_kernel, BOUNDS))
    return pct.build(source, target="cpu", arch=arch, options=options)


@pytest.fixture(params=BUILDS)
def call(request: pytest.FixtureRequest) -> Callable[..., np.ndarray]:
    """call(name, type, *operands) returns the function's results for all elements."""
    if request.param == "x86-64" and platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip(f"the processor is no {request.param}")

    def run(name: str, type: str, *operands: np.ndarray) -> np.ndarray:
        size = operands[0].size
        blocks = -(-size // TILE)
        padded = [np.resize(np.asarray(x, TYPES[type]), blocks * TILE) for x in operands]
        out = np.empty(blocks * TILE, TYPES[type])
        _module(request.param).kernel(f"{name}_{type}")[blocks](*padded, out)
        return out[:size]

    return run


def _arguments(type: str, size: int, seed: int) -> np.ndarray:
    """Numbers of all magnitudes, and near multiples of pi/2, near 1 and near overflow."""
    rng = np.random.default_rng(seed)
    dtype = TYPES[type]
    part = size // 6
    bits = rng.integers(0, 2 ** (8 * dtype.itemsize), part, dtype=f"u{dtype.itemsize}").view(dtype)
    magnitudes = np.exp2(rng.uniform(-40, 12, part)) * rng.choice([-1, 1], part)
    limit = 150 if type == "float" else 1076
    quarters = np.floor(np.exp2(rng.uniform(0, 60, part))) * (np.pi / 2)
    near_one = 1 + np.exp2(rng.uniform(-30, -1, part)) * rng.choice([-1, 1], part)
    small, wide = rng.uniform(-10, 10, part), rng.uniform(-limit, limit, part)
    parts = [bits, magnitudes, small, wide, quarters, near_one]
    return np.concatenate([np.asarray(x, dtype) for x in parts])


def _operands(bound: Bound, size: int) -> list[np.ndarray]:
    x = _arguments(bound.type, size, seed=1)
    if bound.name not in BINARY:
        return [x]
    y = np.random.default_rng(2).permutation(_arguments(bound.type, size, seed=3))
    if bound.name == "pow":  # half of them powers that neither overflow nor vanish
        with np.errstate(all="ignore"):
            limit = 104 if bound.type == "float" else 745
            finite = limit * np.resize(np.linspace(-1, 1, 1009), x.size)
            finite = (finite / np.log(np.abs(x.astype(np.float64)))).astype(x.dtype)
        even = np.arange(x.size) % 2 == 0
        x, y = np.where(even, np.abs(x), x), np.where(even, finite, y)
    return [x, y]


def _exact(bound: Bound, *operands: float) -> mpmath.mpf | float:
    """The exact result, with 40 digits more than a double; NaN or infinity if the function has no value."""
    with np.errstate(all="ignore"):
        approximate = float(NUMPY[bound.name](*(np.float64(x) for x in operands)))
    if not np.isfinite(approximate) and not all(np.isfinite(x) and x for x in operands):
        return approximate
    if np.isnan(approximate):
        return approximate
    if bound.name == "pow" and operands[0] == 1:  # mpmath before 1.4 makes NaN of 1 to the power of infinity
        return 1.0
    with mpmath.workprec(200):
        return MPMATH[bound.name](*(mpmath.mpf(float(x)) for x in operands))


def _distance(got: float, want: mpmath.mpf | float, dtype: np.dtype) -> float:
    """|got - want| in ulps of the type; infinity counts as the number after the largest."""
    info = np.finfo(dtype)
    if not mpmath.isfinite(want) or np.isnan(got):
        return 0.0 if float(want) == got or (mpmath.isnan(want) and np.isnan(got)) else np.inf
    beyond = mpmath.mpf(2) ** int(info.maxexp)
    number = mpmath.mpf(got) if np.isfinite(got) else mpmath.sign(got) * beyond
    want = min(max(want, -beyond), beyond)
    exponent = int(mpmath.frexp(want)[1]) - 1 if want else int(info.minexp)
    exponent = min(max(exponent, int(info.minexp)), int(info.maxexp) - 1)
    return float(abs(number - want) / mpmath.mpf(2) ** (exponent - int(info.nmant)))


def _distances(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """_distance of floats from doubles."""
    beyond = 2.0**128
    with np.errstate(invalid="ignore"):
        got = got.astype(np.float64)
    same = (np.isnan(got) & np.isnan(want)) | ((got == want) & np.isinf(want))
    with np.errstate(invalid="ignore"):
        limited = np.clip(want, -beyond, beyond)
        number = np.where(np.isinf(got), np.sign(got) * beyond, got)
        exponent = np.clip(np.frexp(limited)[1] - 1, -126, 127)
        distance = np.abs(number - limited) / np.exp2(exponent - 23.0)
    distance[np.isnan(got) != np.isnan(want)] = np.inf
    return np.where(same, 0.0, distance)


def _check(bound: Bound, operands: list[np.ndarray], got: np.ndarray, distances: np.ndarray) -> None:
    worst = int(np.argmax(distances))
    at = ", ".join(repr(x[worst]) for x in operands)
    assert distances[worst] <= bound.ulps, (
        f"{bound.name}({at}) is {got[worst]!r}, {distances[worst]:.4g} ulps off, "
        f"where bounds.tsv allows {bound.ulps}"
    )


@cache
def _float_case(bound: Bound) -> tuple[list[np.ndarray], np.ndarray]:
    """Operands and the results of NumPy's double function."""
    operands = _operands(bound, 6 * TILE)
    with np.errstate(all="ignore"):
        return operands, NUMPY[bound.name](*(x.astype(np.float64) for x in operands))


@cache
def _double_case(bound: Bound) -> tuple[list[np.ndarray], list[mpmath.mpf | float]]:
    """Operands and the exact results."""
    operands = _operands(bound, 1200)
    return operands, [_exact(bound, *(float(x) for x in values)) for values in zip(*operands, strict=True)]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("bound", FLOAT_BOUNDS, ids=_name)
def test_float_functions_are_within_their_bounds(bound: Bound, call) -> None:
    operands, want = _float_case(bound)
    got = call(bound.name, "float", *operands)
    _check(bound, operands, got, _distances(got, want))


@pytest.mark.parametrize("bound", DOUBLE_BOUNDS, ids=_name)
def test_double_functions_are_within_their_bounds(bound: Bound, call) -> None:
    operands, wants = _double_case(bound)
    got = call(bound.name, "double", *operands)
    distances = np.array([_distance(float(g), w, got.dtype) for g, w in zip(got, wants, strict=True)])
    _check(bound, operands, got, distances)


@pytest.mark.parametrize("bound", FLOAT_BOUNDS, ids=_name)
def test_the_reference_of_float_functions_is_much_nearer_than_an_ulp(bound: Bound) -> None:
    operands = _operands(bound, 600)
    for values in zip(*operands, strict=True):
        want = _exact(bound, *(float(x) for x in values))
        with np.errstate(all="ignore"):
            reference = float(NUMPY[bound.name](*(np.float64(x) for x in values)))
        assert _distance(reference, want, np.dtype(np.float64)) < 16, (bound.name, values, reference, want)


INF, NAN = np.inf, np.nan
ODD = ("ceil", "floor", "sinh", "sin", "tanh", "tan", "sqrt")
#: function, operand, result: C's Annex F, and rsqrt as sqrt's reciprocal
SPECIAL = [
    *[(name, x, x) for name in ODD for x in (0.0, -0.0, NAN)],
    *[(name, x, x) for name in ("ceil", "floor", "sinh") for x in (INF, -INF)],
    *[(name, x, NAN) for name in ("sin", "cos", "tan") for x in (INF, -INF)],
    *[(name, x, 1.0) for name in ("exp", "exp2", "cosh", "cos") for x in (0.0, -0.0)],
    *[(name, x, y) for name in ("exp", "exp2") for x, y in ((INF, INF), (-INF, 0.0), (NAN, NAN))],
    *[(name, x, -INF) for name in ("log", "log2") for x in (0.0, -0.0)],
    *[(name, x, NAN) for name in ("log", "log2", "rsqrt", "sqrt") for x in (-1.0, -INF, -1e-40, NAN)],
    *[(name, x, y) for name in ("log", "log2") for x, y in ((1.0, 0.0), (INF, INF))],
    ("ceil", -0.5, -0.0), ("floor", 0.5, 0.0), ("sqrt", INF, INF),
    ("rsqrt", 0.0, INF), ("rsqrt", -0.0, -INF), ("rsqrt", INF, 0.0), ("rsqrt", 0.25, 2.0),
    ("cosh", INF, INF), ("cosh", -INF, INF), ("cosh", NAN, NAN), ("cos", NAN, NAN),
    ("tanh", INF, 1.0), ("tanh", -INF, -1.0), ("tanh", 30.0, 1.0), ("tanh", -30.0, -1.0),
]  # fmt: skip
#: function, first and second operand, result
SPECIAL_PAIRS = [
    *[("pow", x, y, 1.0) for x in (0.0, -0.0, INF, -INF, NAN, -2.5) for y in (0.0, -0.0)],
    *[("pow", 1.0, y, 1.0) for y in (NAN, INF, -INF, 0.5, -3.0)],
    *[("pow", -1.0, y, 1.0) for y in (INF, -INF, 2.0)], ("pow", -1.0, 3.0, -1.0),
    *[("pow", x, y, r) for x in (0.5, -0.5, 0.0) for y, r in ((INF, 0.0), (-INF, INF))],
    *[("pow", x, y, r) for x in (2.0, -2.0, INF, -INF) for y, r in ((INF, INF), (-INF, 0.0))],
    *[("pow", 0.0, y, 0.0 if y > 0 else INF) for y in (3.0, 2.0, 0.5, -3.0, -2.0, -0.5)],
    *[("pow", -0.0, y, 0.0 if y > 0 else INF) for y in (2.0, 0.5, -2.0, -0.5)],
    ("pow", -0.0, 3.0, -0.0), ("pow", -0.0, -3.0, -INF),
    *[("pow", INF, y, r) for y, r in ((3.0, INF), (-3.0, 0.0), (0.5, INF), (-0.5, 0.0))],
    *[("pow", -INF, y, INF if y > 0 else 0.0) for y in (2.0, 0.5, -2.0, -0.5)],
    ("pow", -INF, 3.0, -INF), ("pow", -INF, -3.0, -0.0),
    *[("pow", x, 0.5, NAN) for x in (-1.0, -1e-30, NAN)], ("pow", 2.0, NAN, NAN), ("pow", -1.0, NAN, NAN),
    ("pow", -2.0, 3.0, -8.0), ("pow", -2.0, -2.0, 0.25), ("pow", -2.0, 16777215.0, -INF),
    ("pow", -0.5, 1e30, 0.0),
    *[("atan2", y, x, y) for y in (0.0, -0.0) for x in (0.0, 1.0, INF)],
    *[("atan2", y, INF, np.copysign(0.0, y)) for y in (1.0, -1.0, 3e38)],
    *[("atan2", y, x, np.copysign(np.pi, y)) for y in (0.0, -0.0) for x in (-0.0, -1.0, -INF)],
    *[("atan2", y, -INF, np.copysign(np.pi, y)) for y in (1.0, -1.0)],
    *[("atan2", y, x, np.copysign(np.pi / 2, y)) for y in (1.0, -1.0, INF, -INF) for x in (0.0, -0.0)],
    *[("atan2", y, x, np.copysign(np.pi / 2, y)) for y in (INF, -INF) for x in (1.0, -1.0)],
    *[("atan2", y, INF, np.copysign(np.pi / 4, y)) for y in (INF, -INF)],
    *[("atan2", y, -INF, np.copysign(3 * np.pi / 4, y)) for y in (INF, -INF)],
    *[("atan2", NAN, x, NAN) for x in (0.0, 1.0, INF, NAN)],
    *[("atan2", y, NAN, NAN) for y in (0.0, 1.0, INF)],
]  # fmt: skip


@pytest.mark.parametrize("type", TYPES)
def test_special_cases(type: str, call) -> None:
    cases = [*SPECIAL, *SPECIAL_PAIRS]
    for name in {case[0] for case in cases}:
        *operands, wants = np.array([case[1:] for case in cases if case[0] == name], TYPES[type]).T
        gots = call(name, type, *operands)
        for got, want, *values in zip(gots, wants, *operands, strict=True):
            same = np.isnan(got) if np.isnan(want) else got == want and np.signbit(got) == np.signbit(want)
            assert same, f"{name}({', '.join(map(repr, values))}) is {got!r}, not {want!r}"


def test_exp_has_the_same_bits_in_vectors_and_by_itself() -> None:
    source = """#include "cuda_tile.h"
    namespace ct = cuda::tiles;
    template <unsigned N> __tile_global__ void exps(const float* x, float* out) {
      auto places = static_cast<int>(ct::bid().x * N) + ct::iota<ct::tile<int, ct::shape<N>>>();
      ct::store(out + places, ct::exp(ct::load(x + places)));
    }
    """
    near = np.nextafter(np.float32([88.72284, -87.33655, -103.97208, -104, 89, 0]), np.float32(np.inf))
    x = np.resize(np.concatenate([near, np.float32([NAN, INF, -INF]), _arguments("float", 4087, 7)]), 4096)
    module = pct.build(source, target="cpu", optimize=False)
    results = []
    for width in (1, 4096):
        results.append(np.empty_like(x))
        module.kernel(f"exps<{width}>")[x.size // width](x, results[-1])
    np.testing.assert_array_equal(*(result.view(np.int32) for result in results))


@pytest.mark.parametrize("type", TYPES)
def test_powers_of_two_are_exact(type: str, call) -> None:
    info = np.finfo(TYPES[type])
    exponents = np.arange(int(info.minexp) - int(info.nmant), int(info.maxexp)).astype(TYPES[type])
    powers = np.ldexp(np.ones((), TYPES[type]), exponents.astype(int))
    np.testing.assert_array_equal(call("exp2", type, exponents), powers)
    np.testing.assert_array_equal(call("log2", type, powers), exponents)
    np.testing.assert_array_equal(call("pow", type, np.full_like(powers, 2), exponents), powers)


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", ["exp", "exp2", "cosh", "sinh"])
def test_overflow_begins_where_the_result_rounds_to_infinity(name: str, type: str, call) -> None:
    dtype = TYPES[type]
    largest = float(np.finfo(dtype).max)
    with mpmath.workprec(200):
        inverses = {"exp": mpmath.log, "cosh": mpmath.acosh, "sinh": mpmath.asinh}
        inverse = inverses.get(name, lambda x: mpmath.log(x, 2))
        edge = np.array(float(inverse(mpmath.mpf(largest))), dtype)
    below, above = np.nextafter(edge, dtype.type(0)), np.nextafter(edge, dtype.type(np.inf))
    got = call(name, type, np.array([below, above]))
    assert np.isfinite(got[0]) and got[0] > largest * 0.99, (name, below, got)
    assert got[1] == np.inf, (name, above, got)
