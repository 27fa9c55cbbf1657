"""Products of tiles: the manual's examples, their types and shapes."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import reference


def test_products_of_the_manual():
    lhs = reference.iota(np.int32, (2, 4)).astype(np.float32)
    rhs = reference.iota(np.int32, (4, 2)).astype(np.float32)
    acc = reference.iota(np.int32, (2, 2)).astype(np.float32)
    np.testing.assert_array_equal(reference.mma(lhs, rhs, acc), [[28, 35], [78, 101]])
    np.testing.assert_array_equal(reference.matmul(lhs, rhs), [[28, 34], [76, 98]])
    batch = reference.mma(np.stack([lhs, lhs]), np.stack([rhs, -rhs]), np.stack([acc, -acc]))
    np.testing.assert_array_equal(batch[1], [[-28, -35], [-78, -101]])
    one_lhs = reference.mma(lhs[None], np.stack([rhs, -rhs]), np.stack([acc, -acc]))
    np.testing.assert_array_equal(one_lhs, batch)


def test_product_types():
    half = np.ones((2, 2), np.float16)
    assert reference.matmul(half, half).dtype == np.float16
    assert reference.mma(half, half, np.zeros((2, 2), np.float32)).dtype == np.float32
    byte = np.full((2, 2), 255, np.uint8)
    np.testing.assert_array_equal(reference.matmul(byte, np.full((2, 2), -128, np.int8)), 2 * 255 * -128)
    with pytest.raises(TypeError, match="no accumulator of float64"):
        reference.mma(half, half, np.zeros((2, 2)))
    with pytest.raises(TypeError, match="no product of float16 and float32"):
        reference.matmul(half, half.astype(np.float32))
    with pytest.raises(ValueError, match="do not multiply"):
        reference.matmul(half, np.ones((4, 2), np.float16))
    with pytest.raises(ValueError, match="accumulator has shape"):
        reference.mma(half, half, np.zeros((4, 2), np.float32))
