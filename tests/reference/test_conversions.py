"""Common types and narrowing: the tables of the manual."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import settings

from pycuda_tile import reference

SOME = settings(max_examples=25)

ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes for bf16 and fp8")
BFLOAT16, E4M3, E5M2 = (np.dtype(getattr(ml_dtypes, n)) for n in ("bfloat16", "float8_e4m3fn", "float8_e5m2"))


@pytest.mark.parametrize(
    "a, b, common",
    [
        ("int32", "float64", "float64"),
        ("float16", "float32", "float32"),
        ("int16", "int16", "int16"),
        ("int8", "int16", "int16"),
        ("uint8", "int16", "int16"),
        ("int8", "uint8", "uint8"),
        ("int32", "uint32", "uint32"),
        ("int64", "uint32", "int64"),
        ("int8", "bool", "int8"),
        ("bool", "uint8", "uint8"),
        ("int64", "float16", "float16"),
        (BFLOAT16, "float32", "float32"),
    ],
)
def test_arithmetic_common_type(a, b, common):
    assert reference.arithmetic_common_type(a, b) == np.dtype(common)
    assert reference.arithmetic_common_type(b, a) == np.dtype(common)


@pytest.mark.parametrize("a, b", [("float16", BFLOAT16), (E4M3, "float32"), ("float32", "complex64")])
def test_types_without_a_common_type(a, b):
    with pytest.raises(TypeError):
        reference.arithmetic_common_type(a, b)


def test_a_tile_decides_over_a_scalar():
    tile = np.zeros((2, 2), np.int16)
    assert reference.add(tile, np.int8(1)).dtype == np.int16
    with pytest.raises(TypeError, match="int32 to int16 would narrow"):
        reference.add(tile, np.int32(1))
    with pytest.raises(TypeError, match="float64 to int16 would narrow"):
        reference.mul(2.0, tile)
    assert reference.equal(2.0, tile).dtype == bool
    assert (
        reference.add(tile.astype(np.float16), np.int64(1)).dtype == np.float16
    )  # integers may narrow to floats


def test_mixed_signs_are_refused():
    with pytest.raises(TypeError, match="int32 to uint32 would narrow"):
        reference.less(np.int32(1), np.zeros(4, np.uint32))


def test_no_promotion():
    assert reference.add(np.int8(1), np.int8(1)).dtype == np.int8
    assert reference.add(np.uint8(200), np.uint8(100)) == 44


def test_python_numbers_take_the_type_of_the_other_operand():
    assert reference.add(np.zeros(2, np.float32), 2.5).dtype == np.float32
    assert reference.add(np.zeros(2, np.uint8), 2).dtype == np.uint8
    assert reference.add(1, 2).dtype == np.int32 and reference.add(1.0, 2).dtype == np.float64
    with pytest.raises(OverflowError, match="300 does not fit in uint8"):
        reference.add(np.zeros(2, np.uint8), 300)
    with pytest.raises(TypeError, match="list is not a tile"):
        reference.add(np.zeros(2), [1, 2])


def test_scalars_stay_scalars_and_tiles_stay_tiles():
    assert isinstance(reference.add(np.float32(1), np.float32(2)), np.float32)
    rank_0 = reference.add(np.array(1, np.float32), np.float32(2))
    assert isinstance(rank_0, np.ndarray) and rank_0.shape == ()
    assert reference.add(np.zeros((4, 1), np.int32), np.zeros(8, np.int32)).shape == (4, 8)
    with pytest.raises(ValueError):
        reference.add(np.zeros(4), np.zeros(8))
