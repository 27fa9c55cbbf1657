"""Operations on shapes and values of tiles [2.3] against the NumPy reference, at rank 0 to 4."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, assert_same_bits, run

from pycuda_tile import reference

I32 = np.dtype(np.int32)


def tile(*shape: int, dtype=I32) -> np.ndarray:
    return reference.iota(dtype, shape)


def check(cases: list[tuple[Case, np.ndarray]], target, **options) -> None:
    run([case for case, _ in cases], target, **options)
    for case, expected in cases:
        assert_same_bits(case, expected)


def case(expression: str, inputs: list[np.ndarray], expected: np.ndarray) -> tuple[Case, np.ndarray]:
    return Case(expression, inputs, expected.shape, expected.dtype), expected


@pytest.mark.every_target
def test_create(target):
    check(
        [
            case("ct::full<ct::tile<int, ct::shape<2, 64>>>(42)", [], np.full((2, 64), 42, I32)),
            case("ct::iota<ct::tile<int, ct::shape<2, 4>>>()", [], tile(2, 4)),
            case("ct::iota<ct::tile<unsigned char, ct::shape<256>>>()", [], tile(256, dtype=np.uint8)),
            case("ct::iota<ct::tile<int, ct::shape<4, 16, 8>>>()", [], tile(4, 16, 8)),
            case("ct::ones<ct::tile<bool, ct::shape<4>>>()", [], np.ones(4, bool)),
            case("ct::zeros<ct::tile<double, ct::shape<1>>>()", [], np.zeros(1)),
            case("ct::tile<short, ct::shape<>>{short(3)}", [], np.asarray(np.int16(3))),
        ],
        target,
    )


def test_reshape(target):
    check(
        [
            case("ct::reshape(x0, ct::shape{4_ic, 2_ic})", [tile(2, 4)], tile(4, 2)),
            case("ct::reshape<ct::shape<4, 1, 32>>(x0)", [tile(128)], tile(4, 1, 32)),
            case("ct::reshape(x0, ct::shape<1, 1>{})", [np.asarray(I32.type(7))], np.full((1, 1), 7, I32)),
            case("ct::reshape<ct::shape<>>(x0)", [np.full((1, 1), 5, I32)], np.asarray(I32.type(5))),
        ],
        target,
    )


def test_conditions_that_are_known(target):
    """g++ 12 can make them all true."""
    first = np.repeat(np.arange(32) < 16, 2).reshape(32, 2).astype(np.float32)
    condition = "ct::element_cast<float>(ct::reshape(ct::iota<ct::tile<int, ct::shape<32>>>() < 16, rows))"
    column = f"[&] {{ ct::shape<32, 1> rows; return ct::broadcast({condition}, ct::shape<32, 2>{{}}); }}()"
    check([case(column, [], first)], target)


PERMUTATIONS = [
    ((4, 2, 2), (2, 0, 1)),
    ((4, 64), (1, 0)),
    ((64, 64), (1, 0)),
    ((2, 8, 4, 16), (3, 1, 0, 2)),
    ((1, 32), (1, 0)),
    ((8,), (0,)),
]


@pytest.mark.every_target
def test_permute(target):
    cases = []
    for shape, order in PERMUTATIONS:
        x = tile(*shape)
        mapping = ", ".join(f"{d}_ic" for d in order)
        cases.append(
            case(f"ct::permute(x0, ct::dimension_map{{{mapping}}})", [x], reference.permute(x, order))
        )
    check(cases, target)


def test_transpose_of_tiles_beyond_scratch_memory(target):
    # 128 x 64 doubles take 64 KiB, so blocks of several threads exchange them in two parts.
    x = np.random.default_rng(1).standard_normal((128, 64))
    check([case("ct::transpose(x0)", [x], np.ascontiguousarray(x.T))], target)


@pytest.mark.every_target
def test_cat(target):
    x, y = tile(4, 2, 16), -tile(4, 2, 16)
    cases = []
    for dim in range(3):
        cases.append(case(f"ct::cat(x0, x1, {dim}_ic)", [x, y], reference.cat(x, y, dim)))
        cases.append(case(f"ct::cat<{dim}>(x0, x1)", [x, y], reference.cat(x, y, dim)))
    check(cases, target)


def test_select(target):
    x, y = tile(4, 32), -tile(4, 32)
    rows = np.array([[True], [False], [True], [False]])
    each, few = tile(4, 32) % 3, tile(8)
    numbers = [np.array([0, -0.0, 1, np.nan, -0.0, -2, 0, 5], dtype) for dtype in (np.float16, np.float32)]
    check(
        [
            case("ct::select(x0, x1, x2)", [rows, x, y], reference.select(rows, x, y)),
            case("ct::select(x0, x1, x2)", [each, x, y], reference.select(each, x, y)),
            case("ct::select(true, x0, x1)", [x, y], x),
            case("ct::select(0.0f, x0, x1)", [x, y], y),
            *[case("ct::select(x0, x1, x2)", [c, few, -few], np.where(c != 0, few, -few)) for c in numbers],
        ],
        target,
    )


def test_extract(target):
    x = tile(4, 64)
    cases = [
        case(f"ct::extract(x0, ct::shape{{2_ic, 16_ic}}, {i}, {j})", [x], reference.extract(x, (2, 16), i, j))
        for i in range(2)
        for j in range(4)
    ]
    cases.append(case("ct::extract(x0, ct::shape<4, 64>{}, 0_ic, 0u)", [x], x))
    cases.append(case("ct::extract(x0, ct::shape<>{})", [np.asarray(I32.type(9))], np.asarray(I32.type(9))))
    check(cases, target)


def test_broadcast(target):
    x = tile(4, 1)
    check(
        [
            case("ct::broadcast(x0, ct::shape{4_ic, 32_ic})", [x], reference.broadcast(x, (4, 32))),
            case("ct::broadcast<ct::shape<2, 4, 8>>(x0)", [x], reference.broadcast(x, (2, 4, 8))),
            case("ct::broadcast<ct::shape<128>>(x0)", [np.asarray(I32.type(3))], np.full(128, 3, I32)),
            case("ct::broadcast<ct::shape<8, 16>>(x0)", [tile(16)], reference.broadcast(tile(16), (8, 16))),
        ],
        target,
    )


CONVERSIONS = ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


def test_element_cast(target):
    cases = []
    for source in CONVERSIONS:
        values = np.array([0, 1, 2, 3, 100, 127, 5, 64], np.int64).astype(source)
        for to in CONVERSIONS:
            from cases import CPP_TYPES

            expected = reference.element_cast(values, np.dtype(to))
            name = CPP_TYPES[np.dtype(to)]
            cases.append(case(f"ct::element_cast<{name}>(x0)", [values], expected))
    check(cases, target, options=("-O1",))  # test_elementwise.py tests them in vectors


def test_integers_round_to_nearest_float(target):
    values = np.array([2**24 + 1, 2**24 + 3, -(2**24) - 1, 2**31 - 1, -(2**31), 0, 1, -1], I32)
    wide = np.array([2**53 + 1, 2**63 - 1, -(2**63), 2**60 + 2**36 + 1], np.int64)
    check(
        [
            case("ct::element_cast<float>(x0)", [values], values.astype(np.float32)),
            case("ct::element_cast<float>(x0)", [wide], wide.astype(np.float32)),
            case("ct::element_cast<double>(x0)", [wide], wide.astype(np.float64)),
        ],
        target,
    )


def test_element_bitcast(target):
    floats = np.array([0.0, -0.0, 1.0, np.inf, np.nan, 1e-45, -3.5, 2.0], np.float32)
    check(
        [
            case("ct::element_bitcast<unsigned>(x0)", [floats], floats.view(np.uint32)),
            case("ct::element_bitcast<float>(x0)", [floats.view(np.int32)], floats),
            case(
                "ct::element_bitcast<signed char>(x0)", [np.full(4, 255, np.uint8)], np.full(4, -1, np.int8)
            ),
        ],
        target,
    )


def test_isnan_and_isinf(target):
    for dtype in (np.float32, np.float64):
        x = np.array([np.inf, -np.inf, np.nan, 1.0, 0.0, -0.0, 1e-45, -1e38], dtype)
        check([case("ct::isnan(x0)", [x], np.isnan(x)), case("ct::isinf(x0)", [x], np.isinf(x))], target)


def test_conversion_between_tiles_and_scalars(target):
    x = np.full((1, 1), 2.5, np.float32)
    check(
        [
            case("[&] { double y{x0}; return y; }()", [x], np.asarray(2.5)),
            case("static_cast<int>(x0)", [x], np.asarray(I32.type(2))),
            case("[&] { float y = x0; return y; }()", [x], np.asarray(np.float32(2.5))),
            case("ct::tile<float, ct::shape<4>>{x0}", [tile(4)], np.arange(4, dtype=np.float32)),
            case("[&] { ct::tile<int, ct::shape<>> z = 5; return z; }()", [], np.asarray(I32.type(5))),
        ],
        target,
    )
