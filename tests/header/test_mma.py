"""Matrix multiplication [2.5] against the NumPy reference, ranks 2 and 3, with batches that are broadcast."""

from __future__ import annotations

import numpy as np
from cases import Case, assert_close, assert_same_bits, run

from pycuda_tile import reference

# rows, inner, columns
SIZES = [(2, 4, 2), (1, 1, 1), (16, 8, 32), (64, 32, 16), (4, 256, 4), (128, 64, 64), (1, 64, 8)]
BATCHES = [(1, 1, 1), (4, 4, 4), (1, 2, 2), (2, 1, 2)]


def _error_bound(a: np.ndarray, b: np.ndarray, acc: np.ndarray) -> tuple[float, float]:
    """Relative and absolute bound of a sum of products in the type of `acc`: n + 1 roundings."""
    unit = np.finfo(acc.dtype).eps / 2 * (a.shape[-1] + 1)
    magnitude = np.max(np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)) + np.max(np.abs(acc)))
    return 0.0, float(unit * magnitude)


def test_mma_of_floats(target):
    rng = np.random.default_rng(3)
    cases = []
    for number, (m, k, n) in enumerate(SIZES):
        dtype = (np.float32, np.float64)[number % 2]
        a, b, c = (rng.standard_normal(s).astype(dtype) for s in ((m, k), (k, n), (m, n)))
        cases.append(Case("ct::mma(x0, x1, x2)", [a, b, c], (m, n), dtype))
        cases.append(Case("ct::matmul(x0, x1)", [a, b], (m, n), dtype))
    for case in run(cases, target):
        a, b = case.inputs[:2]
        acc = case.inputs[2] if len(case.inputs) == 3 else np.zeros(case.shape, case.dtype)
        expected = reference.mma(*case.inputs) if len(case.inputs) == 3 else reference.matmul(a, b)
        assert_close(case, expected, *_error_bound(a, b, acc))


def test_batches_are_broadcast(target):
    rng = np.random.default_rng(4)
    cases = []
    for left, right, result in BATCHES:
        a = rng.standard_normal((left, 8, 16)).astype(np.float32)
        b = rng.standard_normal((right, 16, 4)).astype(np.float32)
        c = rng.standard_normal((result, 8, 4)).astype(np.float32)
        cases.append(Case("ct::mma(x0, x1, x2)", [a, b, c], c.shape, np.float32))
    for case in run(cases, target):
        assert_close(case, reference.mma(*case.inputs), *_error_bound(*case.inputs))


def test_eight_bit_integers_are_exact_and_may_differ_in_sign(target):
    rng = np.random.default_rng(5)
    cases = []
    for left in (np.int8, np.uint8):
        for right in (np.int8, np.uint8):
            a = rng.integers(np.iinfo(left).min, np.iinfo(left).max, (16, 32), left, endpoint=True)
            b = rng.integers(np.iinfo(right).min, np.iinfo(right).max, (32, 8), right, endpoint=True)
            c = rng.integers(-1000, 1000, (16, 8), np.int32)
            cases.append(Case("ct::mma(x0, x1, x2)", [a, b, c], (16, 8), np.int32))
    for case in run(cases, target):
        a, b, c = (x.astype(np.int64) for x in case.inputs)
        assert_same_bits(case, (a @ b + c).astype(np.int32))
