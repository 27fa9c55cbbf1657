"""Accesses of memory that are undefined, and uses of elements that have no value, are found at their element.

Kernels are in violations.cu. Each case is next to one that is just within what is allowed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from catching import FEW, I32, at, caught, out

import pycuda_tile as pct

SOURCE = Path(__file__).parent / "violations.cu"


@pytest.fixture
def module(violations):
    return violations


# ---- pointers and memory


def test_pointer_arithmetic():
    module = pct.build(SOURCE, target="cpu", checked="strict", defines=["ONLY_POINTERS"], options=["-O0"])
    a = np.zeros(10, I32)
    for name, bad, good in (("advance", (11, -1, 2**30), (10, 0)), ("retreat", (1, -11), (0, -10))):
        for n in bad:
            error = caught(module, name, a, n, FEW)
            assert (
                error.kind == "pointer-arithmetic" and "&a[0]" in str(error) and "10 elements" in str(error)
            )
        for n in good:
            module.kernel(name)[1](a, n, FEW)
    # A pointer beyond the end may come back; another array begins there.
    module.kernel("retreat")[1](pct.ptr(a, 10), 10, FEW)
    both = np.zeros(20, I32)
    module.kernel("difference")[1](both[:10], both[5:], out(1, np.int64))
    error = caught(module, "difference", a, np.zeros(10, I32), out(1, np.int64))
    assert error.kind == "pointer-arithmetic" and "&a[0]" in str(error) and "&b[0]" in str(error)

    module.kernel("advance")[1](None, 0, FEW)
    error = caught(module, "advance", None, 1, FEW)
    assert error.kind == "pointer-arithmetic"
    assert 'checked=True instead of "strict", such a pointer is reported only where it is acc' in str(error)


@pytest.mark.wide
def test_pointers_that_are_not_accessed(module):
    """Published kernels mask off elements beyond their arrays, so only an access there is reported."""
    a = np.zeros(10, I32)
    for name, n in (("advance", 11), ("advance", -1), ("retreat", -11), ("retreat", 2**30)):
        module.kernel(name)[1](a, n, FEW)
    module.kernel("advance")[1](None, 1, FEW)
    error = caught(module, "difference", a, np.zeros(10, I32), out(1, np.int64))
    assert error.kind == "pointer-arithmetic"
    assert 'ignore=("pointer-arithmetic",) in build() suppresses such reports.' in str(error)


def test_null_pointers(module):
    error = caught(module, "load_null", None, out(1))
    assert error.kind == "memory-bounds" and "null" in str(error)


def test_memory_bounds(module):
    a = np.arange(10, dtype=I32)
    inside = np.array([0, 36, 4, 8])
    module.kernel("load_at")[1](a, inside, FEW)
    for place in (40, -4, 10**6, -(10**12)):  # the last is farther than any thread's stack
        error = caught(module, "load_at", a, at(2, place, 0, 4, np.int64), FEW)
        assert (error.kind, error.index) == ("memory-bounds", (2,)), place
    assert "40" not in str(caught(module, "load_at", a, at(2, 40, 0, 4, np.int64), FEW)).partition("\n")[0]
    assert "element 10 of 'a'" in str(caught(module, "load_at", a, at(2, 40, 0, 4, np.int64), FEW))


def test_access_of_freed_and_foreign_arrays(module):
    a, other = np.zeros(10, I32), np.zeros(1 << 20, I32)
    away = other[1 << 19 :].ctypes.data - a.ctypes.data  # in its middle, so no other array is near
    error = caught(module, "load_at", a, at(0, away, 0, 4, np.int64), FEW)
    assert error.kind == "memory-bounds" and "none of the arrays" in str(error)


def test_pointers_stay_within_the_array_that_was_passed(module):
    whole = np.arange(20, dtype=I32)
    module.kernel("load_at")[1](pct.ptr(whole, 8), np.array([-32, 44, 0, 0]), FEW)
    assert caught(module, "load_at", pct.ptr(whole, 8), np.array([-36, 0, 0, 0]), FEW).kind == "memory-bounds"


def test_alignment(module):
    error = caught(module, "load_at", np.zeros(10, I32), at(3, 6, 0, 4, np.int64), FEW)
    assert (error.kind, error.index) == ("misaligned-access", (3,))


def test_write_to_what_is_for_reading(module):
    error = caught(module, "store_at", np.zeros(10, I32), np.array([0, 4, 8, 12]))
    assert error.kind == "read-only-write" and "'a'" in str(error)


def test_one_store_to_one_location_twice(module):
    error = caught(module, "store_indexed", np.array([4, 1, 4, 9], I32), out(10))
    assert (error.kind, error.index) == ("data-race", (2,)) and "&out[4]" in str(error)
    module.kernel("store_indexed")[1](np.array([4, 1, 2, 4], I32), out(8))  # the last one is masked off


# ---- elements without values


def test_default_constructed_tiles(module):
    error = caught(module, "use_default", 0, FEW)
    assert error.kind == "uninitialized-tile"
    module.kernel("use_default")[1](1, FEW)


@pytest.mark.parametrize(
    "name, dtype", [("use_unpadded", I32), ("sum_unpadded", I32), ("mma_unpadded", np.float32)]
)
def test_loads_without_padding(module, name, dtype):
    """Two rows have values; these may be stored although all rows take part in the computation."""
    data = np.ones(16, dtype)
    module.kernel(name)[1](data, 2, 2, out(16, dtype))
    error = caught(module, name, data, 2, 3, out(16, dtype))
    assert error.kind == "uninitialized-tile" and error.index[0] == 2


def test_selection_leaves_out_what_has_no_value(module):
    result = out(4)
    module.kernel("select_unpadded")[1](np.full(4, 9, I32), 2, result)
    np.testing.assert_array_equal(result, [9, 9, 2, 3])


# Kernels in which a second operand decides whether elements 2 and 3, without a value, count; that operand.
AND = ("logical_and", "logical_and_mirrored", "logical_and_of_ints", "bitwise_and", "all_of")
OR = ("logical_or", "logical_or_mirrored", "bitwise_or", "any_of")
LOGIC = [*((name, False) for name in AND), *((name, True) for name in OR)]


@pytest.mark.parametrize("name, deciding", LOGIC)
def test_logic_has_a_value_where_one_operand_decides(module, name, deciding):
    x, decider, result = np.ones(4, I32), np.array([1, 0, deciding, deciding], bool), out(4, bool)
    module.kernel(name)[1](x, 2, decider, result)
    expected = [deciding] * 4 if name.endswith("_of") else [1, deciding, deciding, deciding]
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name, deciding", LOGIC)
def test_logic_has_no_value_where_no_operand_decides(module, name, deciding):
    decider = np.full(4, not deciding)
    if name.endswith("_of"):
        error = caught(module, name, np.full(4, not deciding, I32), 2, decider, out(4, bool))
    else:
        decider[:3] = deciding
        error = caught(module, name, np.ones(4, I32), 2, decider, out(4, bool))
        assert error.index == (3,)
    assert error.kind == "uninitialized-tile"


@pytest.mark.parametrize("name", ["bitwise_xor", "bitwise_and_of_ints"])
@pytest.mark.parametrize("value", [False, True])
def test_other_bitwise_operations_need_all_values(module, name, value):
    error = caught(module, name, np.ones(4, I32), 2, np.full(4, value), out(4, bool))
    assert (error.kind, error.index) == ("uninitialized-tile", (2,))


def test_an_operand_without_a_value_decides_nothing(module):
    """Where no value was loaded, memory contains what would produce the deciding value."""
    error = caught(module, "logical_and", np.zeros(4, I32), 2, np.ones(4, bool), out(4, bool))
    assert (error.kind, error.index) == ("uninitialized-tile", (2,))
