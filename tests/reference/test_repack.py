"""repack: the bits of elements along a dimension."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from pycuda_tile import reference


def test_bits_are_one_string_low_ones_first():
    words = np.array([0x11223344, 0xFF], np.uint32)
    octets = reference.repack(words, np.uint8, 0)
    assert octets.tolist() == [0x44, 0x33, 0x22, 0x11, 0xFF, 0, 0, 0]
    np.testing.assert_array_equal(reference.repack(octets, np.uint32, 0), words)
    bits = reference.repack(np.array([17], np.uint8), bool, 0)
    assert bits.astype(int).tolist() == [1, 0, 0, 0, 1, 0, 0, 0]
    packed = reference.repack(np.array([0x21, 0xF7], np.uint8), ml_dtypes.float4_e2m1fn, 0)
    assert packed.astype(float).tolist() == [0.5, 1, 6, -6]
    columns = reference.repack(np.array([[1, 2], [3, 4]], np.uint8), np.uint16, 0)
    assert columns.tolist() == [[0x301, 0x402]]
    with pytest.raises(TypeError):
        reference.repack(np.zeros(2, bool), np.uint8, 0)
