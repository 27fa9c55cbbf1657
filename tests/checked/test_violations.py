"""Each kind of undefined behaviour in the manual's annex 3.1 is found at its element, and nothing else is.

Kernels are in violations.cu. Each case is next to one that is just within what is allowed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from catching import FEW, I8, I32, at, caught, out

import pycuda_tile as pct

SOURCE = Path(__file__).parent / "violations.cu"


@pytest.fixture
def module(violations):
    return violations


# The element that breaks the rule has index 5: (kernel, its x and y, the values of all others, an x or y that
# is allowed there, kind).
ELEMENTS = [
    ("add", (127, 1), (1, 1), (126, 1), "integer-overflow"),
    ("plus", (-128, -1), (0, 0), (-127, -1), "integer-overflow"),
    ("sub", (-128, 1), (0, 0), (-128, 0), "integer-overflow"),
    ("minus", (0, -128), (0, 0), (-1, -128), "integer-overflow"),
    ("mul", (-128, -1), (0, 0), (-128, 1), "integer-overflow"),
    ("times", (64, 2), (1, 1), (63, 2), "integer-overflow"),
    *[
        (name, (-128, -1), (1, 1), (-127, -1), "integer-overflow")
        for name in ("div", "divided_by", "ceildiv", "floordiv", "remainder", "modulo")
    ],
    *[
        (name, (10, 0), (1, 1), (0, 10), "division-by-zero")
        for name in ("div", "divided_by", "ceildiv", "floordiv", "remainder", "modulo")
    ],
    *[("shift_left", (1, count), (1, 6), (1, 6), "shift-range") for count in (-2, 8, 127)],
    *[("shift_right", (1, count), (1, 7), (1, 7), "shift-range") for count in (-2, 8, 127)],
    ("negate", (-128, 0), (0, 0), (-127, 0), "integer-overflow"),
    ("abs", (-128, 0), (0, 0), (-127, 0), "abs-range"),
]  # fmt: skip


@pytest.mark.parametrize("name, bad, rest, good, kind", ELEMENTS)
def test_elementwise(module, name, bad, rest, good, kind):
    operands = [at(5, value, other) for value, other in zip(bad, rest, strict=True)]
    error = caught(module, name, *operands, out(8, I8))
    assert (error.kind, error.index, error.block) == (kind, (5,), (0, 0, 0))
    assert str(bad[0]) in str(error) and kind in str(error)
    operands = [at(5, value, other) for value, other in zip(good, rest, strict=True)]
    module.kernel(name)[1](*operands, out(8, I8))


@pytest.mark.parametrize(
    "name, bad, good",
    [
        ("sum", (127, 1, -1, 0), (126, 1, -1, -127)),
        ("sum", (-100, 50, -29, 0), (-100, 50, -28, 0)),
        ("prod", (127, 0, 2, 1), (127, 0, 1, 1)),  # the manual's example
        ("prod", (-64, -1, 2, -1), (-64, 1, 2, 1)),
        ("partial_sum", (127, -1, 1, 0), (126, -127, 1, 0)),
        ("partial_prod", (127, 0, 2, 1), (63, 0, 2, 1)),
    ],
)
def test_reductions_of_which_some_order_overflows(module, name, bad, good):
    error = caught(module, name, np.array(bad, I8), out(4, I8))
    assert str(error).startswith(f"integer-overflow: {name}\n")
    module.kernel(name)[1](np.array(good, I8), out(4, I8))


def test_atomic_updates(module):
    greatest, least = np.iinfo(I32).max, np.iinfo(I32).min
    error = caught(module, "atomic_add", np.array([greatest], I32), 1)
    assert error.kind == "integer-overflow" and str(greatest) in str(error)
    module.kernel("atomic_add")[1](np.array([greatest], I32), -1)
    error = caught(module, "atomic_add_masked", at(2, greatest, 0, 4, I32), 1, 2)
    assert (error.kind, error.index) == ("integer-overflow", (2,))
    module.kernel("atomic_add_masked")[1](at(2, greatest, 0, 4, I32), 1, 1)
    # -v is not representable, though k - v is [2.7.13]
    assert caught(module, "atomic_sub", np.array([-1], I32), least).kind == "integer-overflow"
    assert caught(module, "atomic_sub", np.array([least], I32), 1).kind == "integer-overflow"
    module.kernel("atomic_sub")[1](np.array([least], I32), -1)


@pytest.mark.parametrize(
    "name, dtype, result, bad, good",
    [
        ("element_cast", np.float32, np.uint8, 256.0, 255.99),
        ("element_cast", np.float32, np.uint8, -1.0, -0.99),
        ("element_cast", np.float32, np.uint8, np.nan, 0.0),
        ("element_cast", np.float32, np.uint8, np.inf, 1.0),
    ],
)
def test_conversions_of_elements(module, name, dtype, result, bad, good):
    error = caught(module, name, at(3, bad, 0, 4, dtype), out(4, result))
    assert (error.kind, error.index) == ("conversion-range", (3,))
    module.kernel(name)[1](at(3, good, 0, 4, dtype), out(4, result))


@pytest.mark.parametrize(
    "name, result, bad, good",
    [
        ("make_tile", I32, 2.0**31, 2.0**31 - 128),
        ("make_tile", I32, -(2.0**31) - 256, -(2.0**31)),
        ("to_scalar", I8, 128.0, 127.5),
        ("to_scalar", I8, -129.0, -128.5),
        ("to_long", np.int64, 2.0**63, 2.0**63 - 1024),
        ("to_long", np.int64, -(2.0**63) - 2048, -(2.0**63)),
    ],
)
def test_conversions_of_scalars(module, name, result, bad, good):
    assert caught(module, name, bad, out(1, result)).kind == "conversion-range"
    module.kernel(name)[1](good, out(1, result))


def test_conversion_to_bool_is_always_defined(module):
    for value in (np.nan, np.inf, 1e30, -1.0):
        module.kernel("to_bool")[1](value, out(1, np.bool_))


def test_bitcast(module):
    error = caught(module, "bitcast", at(1, 2, 1, 4, np.uint8), out(4, np.bool_))
    assert (error.kind, error.index) == ("bitcast-value", (1,))
    module.kernel("bitcast")[1](at(1, 1, 0, 4, np.uint8), out(4, np.bool_))


# ---- partitions


def test_extract(module):
    error = caught(module, "extract", 0, 2, out(1))
    assert error.kind == "extract-bounds" and "index 2 along dimension 1" in str(error)
    assert caught(module, "extract", -1, 0, out(1)).kind == "extract-bounds"
    module.kernel("extract")[1](1, 1, out(1))


@pytest.mark.parametrize("store", [0, 1])
def test_partitions_outside_of_the_index_space(module, store):
    data = np.zeros((16, 32), np.float32)
    for index in ((4, 0), (0, 16), (-1, 0), (0, 2**31 - 1)):
        error = caught(module, "view_masked", data, 16, 32, *index, store)
        assert error.kind == "partition-bounds", index
    module.kernel("view_masked")[1](data, 16, 32, 3, 15, store)
    module.kernel("view_masked")[1](data, 13, 31, 3, 15, store)  # partly outside, but masked


@pytest.mark.parametrize("store", [0, 1])
def test_partitions_in_part_outside_need_a_mask(module, store):
    data = np.zeros((5, 6), np.float32)
    for index in ((0, 1), (1, 0), (1, 1)):
        assert caught(module, "view_unmasked", data, 5, 6, *index, store).kind == "unmasked-partition"
    module.kernel("view_unmasked")[1](data, 5, 6, 0, 0, store)


@pytest.mark.parametrize("store", [0, 1])
def test_spans_of_which_elements_overlap(module, store):
    data = np.zeros(1000, np.float32)
    for strides in ((8, 1), (0, 1), (1, 1), (3, 2)):  # (8, 1) is the manual's
        assert caught(module, "view_strided", data, 8, 16, *strides, store).kind == "not-injective", strides
    for strides in ((16, 1), (1, 8), (17, 1), (2, 16)):
        module.kernel("view_strided")[1](data, 8, 16, *strides, store)


def test_spans_larger_than_their_array(module):
    error = caught(module, "view_masked", np.zeros((3, 32), np.float32), 16, 32, 0, 0, 0)
    assert error.kind == "memory-bounds" and "'data'" in str(error)


# ---- extents, mappings, ranges


@pytest.mark.parametrize(
    "name, bad, good, kind",
    [
        ("extent", (2,), (1,), "extent-index"),
        ("static_extent", (2,), (1,), "extent-index"),
        ("static_extent", (-1,), (0,), "extent-index"),
        ("all_extents", (5,), (4,), "extent-range"),
        ("dimension_map", (2,), (1,), "dimension-map-index"),
        ("static_stride", (2,), (1,), "stride-index"),
        ("stride", (2,), (1,), "stride-index"),
        ("padded_stride", (2, 16), (1, 16), "stride-index"),
        ("padded_stride", (0, 0), (0, 1), "stride-range"),
        ("large_stride", (65536,), (65535,), "stride-range"),
        ("large_static_stride", (0,), (1,), "stride-range"),
        ("range", (20, 30, -1), (20, 30, 1), "irange-step"),
        ("range", (20, 10, 0), (20, 10, 1), "irange-step"),
        ("range", (0, 2**31 - 10, 12), (0, 2**31 - 10, 10), "irange-bound"),
        ("byte_range", (251, 10), (246, 10), "irange-bound"),
    ],
)
def test_indices_and_ranges(module, name, bad, good, kind):
    error = caught(module, name, *bad, out(1))
    assert error.kind == kind and error.file == str(SOURCE)
    module.kernel(name)[1](*good, out(1))


def test_extents_that_do_not_fit_the_index_type(module):
    assert caught(module, "short_extent<65536>", out(1)).kind == "extent-range"
    module.kernel("short_extent<65535>")[1](out(1))


# ---- assumptions

# The manual's example of assume_divisible_strided.
RUNS = [[32, 33, 34, 0, 1, 2, 16, 17], [64, 65, 66, -16, -15, -14, 0, 1]]


@pytest.mark.parametrize(
    "name, good, index, bad",
    [
        ("assume_blocked", [[4, 4, 4, 5, 5, 5, 6, 6], [1, 1, 1, 2, 2, 2, 3, 3]], (1, 7), 4),
        ("assume_bounded", [[-10, 100, 0, 1, 2, 3, 4, 5]] * 2, (0, 1), 101),
        ("assume_bounded", [[-10, 100, 0, 1, 2, 3, 4, 5]] * 2, (1, 0), -11),
        ("assume_bounded_above", [[100, -(2**31), 0, 1, 2, 3, 4, 5]] * 2, (1, 0), 101),
        ("assume_bounded_below", [[-10, 2**31 - 1, 0, 1, 2, 3, 4, 5]] * 2, (1, 0), -11),
        ("assume_divisible", [[0, 16, -32, 48, 0, 0, 0, 0]] * 2, (0, 2), -31),
        ("assume_divisible_strided", RUNS, (1, 4), -14),
        ("assume_divisible_strided", RUNS, (0, 6), 17),
    ],
)  # fmt: skip
def test_assumptions(module, name, good, index, bad):
    values = np.array(good, I32)
    module.kernel(name)[1](values, out())
    values[index] = bad
    error = caught(module, name, values, out())
    assert (error.kind, error.index) == ("assumption", index)
    assert name in str(error) and f"is {bad}," in str(error)


def test_assumptions_on_pointers(module):
    a = np.zeros(100, I32)
    a = a[-a.ctypes.data // 4 % 4 :]  # aligned to 16 bytes
    module.kernel("assume_aligned")[1](a, np.array([0, 4, 8, 40], I32), FEW)
    error = caught(module, "assume_aligned", a, np.array([0, 4, 6, 40], I32), FEW)
    assert (error.kind, error.index) == ("assumption", (2,))
    runs = np.array([0, 1, 2, 8, 9, 10, 40, 41], I32)
    module.kernel("assume_aligned_strided")[1](a, runs, out(8))
    runs[4] = 10
    error = caught(module, "assume_aligned_strided", a, runs, out(8))
    assert (error.kind, error.index) == ("assumption", (4,))


def test_assumptions_on_scalars(module):
    module.kernel("assume_scalar")[1](10, out(1))
    error = caught(module, "assume_scalar", 50, out(1))
    assert error.kind == "assumption" and "50" in str(error) and "at most 10" in str(error)


# ---- what is certain when it is compiled

LARGE = "ct::extents<uint32_t, 65536, 65536, 65536, 65536, 65536>"


@pytest.mark.parametrize(
    "expression, kind",
    [
        ("ct::extents<uint32_t, 4, 8>::static_extent(2)", "extent-index"),
        ("ct::extents<uint16_t, 65536>{}.extent(0)", "extent-range"),
        ("ct::extents<uint32_t, 4, ct::dynamic_extent>{5, 8}.extent(0)", "extent-range"),
        ("ct::dimension_map<1, 0>::mapping(2)", "dimension-map-index"),
        ("ct::layout_right_mapping<ct::extents<uint32_t, 4, 8>>::static_stride(2)", "stride-index"),
        (f"ct::layout_right_mapping<{LARGE}>::static_stride(0)", "stride-range"),
        (f"ct::layout_right_mapping<{LARGE}>{{{{}}}}.stride(2)", "stride-range"),
        ("ct::irange(20, 10, -1).size()", "irange-step"),
        ("ct::irange<unsigned char>(0, 251, 10).size()", "irange-bound"),
        ("ct::shape_size_v<ct::shape<65536, 65536, 65536, 65536>>", "shape-size"),
    ],
)  # fmt: skip
def test_constants(expression, kind):
    source = f"""#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void kernel(int* out) {{
  constexpr auto value = {expression};
  *out = static_cast<int>(value);
}}
"""
    with pytest.raises(pct.CompileError) as error:
        pct.build(source, target="cpu", checked=True)
    assert kind in str(error.value).splitlines()[0]
    assert error.value.diagnostics[0].line == 4
