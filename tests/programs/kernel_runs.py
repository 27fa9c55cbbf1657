"""The arguments of the kernels of positive/kernels_*.cu and what their arrays contain afterwards."""

from __future__ import annotations

import numpy as np

f, i, h = np.float32, np.int32, np.float16


def given(values, dtype=f) -> np.ndarray:
    return np.array(values, dtype)


def empty(size: int, dtype=f) -> np.ndarray:
    """An array for results, filled with a value that no kernel produces."""
    return np.full(size, 77, dtype)


x8 = given([1, 2, 3, 4, 5, 6, 7, 8])
square = np.arange(16, dtype=f).reshape(4, 4)
#: Kernel: arguments, grid, and the contents of each array argument afterwards (None: anything).
PATTERNS = {
    "float_argument<float>": ([empty(8)], 1, [[f(1e-06)] * 8]),
    "float_argument<float, 0.5f, 4>": ([empty(4)], 1, [[0.5] * 4]),
    "common_names": ([empty(1), empty(1), 1.5, 2.0, 3, 4, 5], 1, [[5.5], [18]]),
    "call_forms": (
        [square.ravel(), empty(16)],
        1,
        [None, np.ravel(square.sum(1)[:, None] * 2 + square.max(0) + square.min(0))],
    ),
    "padding_argument": ([given([-1, 2, 3]), empty(8), 3], 1, [None, [-1, 2, 3, -1, -1, -1, -1, -1]]),
    "deduction": (
        [np.arange(8, dtype=i), empty(8, i), 2],
        1,
        [None, [100 * k + 10 * m + k for k, m in enumerate([0, 2, 4, 6, 1, 3, 5, 7])]],
    ),
    "scalars<float>": ([given([4, 5, 6]), empty(6), 3], 1, [None, [4, 5, 6, 0, 3, 6]]),
    "scalars<__half>": ([given([4, 5, 6], h), empty(6, h), 3], 1, [None, [4, 5, 6, 0, 3, 6]]),
    "reassigned": ([x8, None, empty(1), 2], 1, [None, [3]]),
    "raw_accesses": ([given([9, 2, 3, 4, 0, 0, 0], i)], 1, [[1, 2, 3, 4, 5, 7, 10]]),
    "control_flow": ([empty(3, i), 6], 3, [[6, -1, -1]]),
    "assigned_later": ([empty(4), 1], 1, [[41] * 4]),
    "hinted<2, 4>": ([given([1, 2, 3, 4])], 1, [[2, 3, 4, 5]]),
    "same_names": ([empty(2), empty(1, i)], 1, [[13, 5], [8]]),
    "restricted": ([given([1, 2, 4]), empty(5), 2], 1, [None, [3, 14, 81, 4, 4]]),
    "standard_names": ([empty(4), 2, 3, -1, 5], 1, [[8, 8, f(-3.4028235e38), f(-3.4028235e38)]]),
}
TEMPLATES = {
    "parameters<float, 4, true, 0.5f, activation::relu>": ([empty(4)], 1, [[0, 0, 0, 1]]),
    "parameters<__half, 8, false, 2.0f, (activation)2>": (
        [empty(8, h)],
        1,
        [[8, 6, 4, 2, 0, -2, -4, -6]],
    ),
    "other_values<green, 'x', (1LL << 40)>": ([empty(4, np.int64)], 1, [[1, 120, 1 << 40, 3]]),
    "other_values<red, '\\n', -1, 7u>": ([empty(4, np.int64)], 1, [[0, 10, -1, 7]]),
    "packs<add_all, int, float, unsigned>": ([empty(2), 1, 2.5, 3], 1, [[6.5, 3]]),
    "packs<add_all, double>": ([empty(2), 1.25], 1, [[1.25, 1]]),
    "a::b::inner": ([empty(1, i)], 1, [[3]]),
    "a::b::inner_template<float>": ([empty(1)], 1, [[4]]),
    "tagged<a::b::tag>": ([empty(1, i)], 1, [[5]]),
    "plain": ([empty(1, i)], 1, [[6]]),
    "plain_too": ([empty(1, i)], 1, [[7]]),
    "constants": ([empty(4), empty(1, i)], 1, [[0, 1, 2, 3], [138]]),
    "structs": ([x8, empty(2)], 1, [None, [4.5, 204]]),
    "lambdas": ([given([1, 2, 3, 4]), empty(4), 1.0], 1, [None, [7, 11, 15, 19]]),
    "arrays": ([x8, empty(8), 3], 1, [None, [7, 8, 9, 10, 2, 3, 4, 5]]),
}
a, b = np.arange(32 * 16, dtype=f).reshape(32, 16) % 7, np.arange(16 * 16, dtype=f).reshape(16, 16) % 5
c, d = np.arange(20 * 24).reshape(20, 24) % 3, np.arange(18 * 24).reshape(18, 24) % 4
PUBLISHED = {
    "persistent<float, 32, 16, 16, false, 1, 2, 4>": (
        [a.ravel(), b.ravel(), empty(32 * 16), 16, 0],
        1,
        [None, None, (a @ b).ravel()],
    ),
    "persistent<__half, 20, 18, 24, true, 1, 1, 0>": (
        [c.astype(h).ravel(), d.astype(h).ravel(), empty(20 * 18), 24, 0],
        3,
        [None, None, (c @ d.T).ravel()],
    ),
    "activate<float, 4, 0>": ([given([-2, 4, 6]), empty(4), 3, 0.5, True], 1, [None, [1, -4, -6, 77]]),
    "activate<float, 4, 1>": ([given([5, 5]), empty(4), 2, 0.0, False], 1, [None, [0.5, 0.5, 77, 77]]),
    "activate<__half, 4, 2>": ([given([-2, 4], h), empty(3, h), 2, 0.0, False], 1, [None, [0, 8, 77]]),
    "unqualified::copy": ([x8, empty(8), 7], 1, [None, [1, 2, 3, 4, 5, 6, 7, 77]]),
}
ALL = {"kernels_patterns": PATTERNS, "kernels_templates": TEMPLATES, "kernels_published": PUBLISHED}
