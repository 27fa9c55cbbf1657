"""Every elementwise operation on every element type against the NumPy reference, bit for bit."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import numpy as np
import pytest
from cases import CPP_TYPES, PORTIONS, Case, assert_same_bits, portion_of, run
from elementwise_table import BASIC_FLOATS, EXACT, INTEGERS, conversions, make_case, operations
from targets import TARGETS

from pycuda_tile import spec

KINDS = {
    "integers": [(dtype, operations) for dtype in INTEGERS],
    "floating point": [(dtype, operations) for dtype in BASIC_FLOATS],
    "conversions": [(dtype, conversions) for dtype in CPP_TYPES],
}
# Targets on which a thread has enough elements for compilers to vectorise.
LOOPS = {name: TARGETS[name] for name in ("cpu", "emulated-4")}


def _cases(kind: str, portion: str, shape: tuple[int, ...], **options: bool) -> list[tuple[Case, np.ndarray]]:
    """One in three operations on a type; on the next type, those after them."""
    every = [[(x, dtype) for x in table(dtype, **options)] for dtype, table in KINDS[kind]]
    chosen = [x for i, made in enumerate(every) for x in portion_of(made, portion, 3, i)]
    return [make_case(operation, dtype, shape) for operation, dtype in chosen]


@functools.cache
def _in_vectors(kind: str, portion: str) -> list[tuple[Case, np.ndarray]]:
    return _cases(kind, portion, (512,))


def _check(cases: list[tuple[Case, np.ndarray]], target: dict, **options: tuple[str, ...]) -> None:
    run([case for case, _ in cases], target, **options)
    for case, expected in cases:
        assert_same_bits(case, expected)


@pytest.mark.parametrize("portion", PORTIONS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "loops", ["cpu", *(pytest.param(x, marks=pytest.mark.wide) for x in LOOPS if x != "cpu")]
)
def test_every_operation_on_every_type_in_vectors(loops, kind, portion):
    """Tests with all optimisations."""
    _check(_in_vectors(kind, portion), LOOPS[loops])


@pytest.mark.parametrize("portion", PORTIONS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape, way", [((32, 16), "auto"), ((16,), False)], ids=["rows", "tiles"])
def test_every_operation_on_few_elements(shape, way, kind, portion):
    """Rows of 16 in loops that share operations, and tiles of 16: as vectors that are shorter than others."""
    options = {} if kind == "conversions" else {"with_modes": False}
    _check(_cases(kind, portion, shape, **options), {"target": "cpu", "optimize": way})


# A feature of each level of x86-64.
LEVELS = {"x86-64": "sse2", "x86-64-v2": "sse4_2", "x86-64-v3": "avx2", "x86-64-v4": "avx512vl"}


@pytest.mark.wide
@pytest.mark.parametrize("portion", ["some", "the others"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("arch", LEVELS)
def test_every_operation_on_lesser_processors(arch, kind, portion):
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists() or f" {LEVELS[arch]} " not in cpuinfo.read_text():
        pytest.skip(f"this processor is no {arch}")
    _check(_in_vectors(kind, portion), {"target": "cpu", "arch": arch})


@pytest.mark.every_target
@pytest.mark.parametrize("portion", PORTIONS)
@pytest.mark.parametrize("kind", ["integers", "floating point"])
@pytest.mark.parametrize("target", [name for name in TARGETS if name not in LOOPS])
def test_every_operation_on_every_type(target, kind, portion):
    """Tests on other targets, where a thread has few elements; modes have tests of their own."""
    _check(_cases(kind, portion, (4, 32), with_modes=False), TARGETS[target], options=("-O1",))


def test_the_table_has_every_operation():
    listed = {x.id for kind in KINDS.values() for dtype, table in kind for x in table(dtype)}
    other = {row.id for row in spec.load("math") if row.name not in EXACT} | {"2.4.5/exp/2", "2.4.14/tanh/2"}
    for row in spec.load("api"):
        of_pointers = re.fullmatch(r"2\.2\.(2[5-9]|3[01])", row.section)
        if row.section.startswith(("2.2.", "2.4.")) and not of_pointers:
            assert (row.id in listed) != (row.id in other), row.id


FLOAT = np.dtype(np.float32)
BROADCASTS = [
    # shape of lhs, of rhs, and of the result [1.7.3]
    ((), (8,), (8,)),
    ((4, 1), (), (4, 1)),
    ((1,), (16,), (16,)),
    ((4, 1), (1, 8), (4, 8)),
    ((64, 1), (64, 4), (64, 4)),
    ((8,), (4, 8), (4, 8)),
    ((2, 1, 8), (4, 1), (2, 4, 8)),
    ((16, 1, 4, 1), (1, 2, 1, 8), (16, 2, 4, 8)),
    ((1, 1), (1, 1), (1, 1)),
    ((2, 64), (1, 64), (2, 64)),
]


def test_operands_are_broadcast(target):
    rng = np.random.default_rng(7)
    cases = []
    for left, right, shape in BROADCASTS:
        a, b = rng.standard_normal(left).astype(FLOAT), rng.standard_normal(right).astype(FLOAT)
        cases.append(Case("x0 - x1", [np.asarray(a), np.asarray(b)], shape, FLOAT))
    for case in run(cases, target):
        assert_same_bits(case, np.broadcast_to(case.inputs[0] - case.inputs[1], case.shape).astype(FLOAT))


# lhs, rhs, element type of lhs + rhs if both are tiles [1.7.4]
COMMON_TYPES = [
    ("int32", "float32", "float32"),
    ("int64", "float32", "float32"),
    ("float32", "float64", "float64"),
    ("int8", "int16", "int16"),
    ("uint8", "int32", "int32"),
    ("uint16", "uint64", "uint64"),
    ("bool", "int32", "int32"),
    ("bool", "uint8", "uint8"),
    ("bool", "float64", "float64"),
]


def test_operands_are_converted_to_the_common_type(target):
    cases = []
    for left, right, common in COMMON_TYPES:
        a = np.arange(8).astype(left)
        b = (np.arange(8) * 3 % 5).astype(right)
        cases.append(Case("x0 + x1", [a, b], (8,), common, f"{left} + {right}"))
    for case in run(cases, target):
        a, b = (x.astype(case.dtype) for x in case.inputs)
        assert_same_bits(case, a + b)


def test_a_scalar_takes_the_type_of_the_tile(target):
    tile, number = np.arange(8, dtype=np.float32), np.asarray(np.int32(16777217))
    [case] = run([Case("x0 * x1", [tile, number], (8,), np.float32)], target)
    assert_same_bits(case, tile * np.float32(16777217))


def test_fma_rounds_once(target):
    # In float, (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24 exactly; rounding the product first gives 0.
    one = np.float32(1 + 2.0**-12)
    x = np.full((8,), one)
    acc = np.full((8,), np.float32(-(1 + 2.0**-11)))
    fused, separate = run(
        [
            Case("ct::fma(x0, x1, x2)", [x, x, acc], (8,), np.float32),
            Case("x0 * x1 + x2", [x, x, acc], (8,), np.float32),
        ],
        target,
    )
    assert_same_bits(fused, np.full((8,), np.float32(2.0**-24)))
    assert_same_bits(separate, np.zeros((8,), np.float32))
