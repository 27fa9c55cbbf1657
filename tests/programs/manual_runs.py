"""The arguments of the kernels of manual/*.cu and their expected results, which the manual shows."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass
class Run:
    """A launch of one example; array arguments say what they must contain afterwards."""

    arguments: tuple
    grid: int | tuple[int, ...] = 1


@dataclass
class Array:
    """An array argument; `after` is None if it must not change, and a list if any of its entries will do."""

    before: np.ndarray
    after: np.ndarray | list[np.ndarray] | None = None


def array(values, dtype=np.int32) -> np.ndarray:
    return np.array(values, dtype)


def given(values, dtype=np.int32) -> Array:
    return Array(array(values, dtype))


def yields(values, dtype=np.int32) -> Array:
    """An array that a kernel fills. Its initial contents differ, so that a missing store is noticed."""
    after = array(values, dtype)
    return Array(np.where(after == 1, 0, 1).astype(dtype), after)


def run(*arguments, grid: int | tuple[int, ...] = 1) -> Run:
    return Run(arguments, grid)


inf, nan = np.inf, np.nan
f32, f64, b = np.float32, np.float64, np.bool_
x_2x8 = [[32, 33, 34, 0, 1, 2, 16, 17], [64, 65, 66, -16, -15, -14, 0, 1]]
bounded_2x8 = [[-10, -9, 0, 1, 2, 3, 99, 100], [5, 6, 7, 8, 9, 10, 11, 12]]
blocked_8x8 = [
    [42, 42, 5, 5, 1, 1, -2, -2],
    [42, 42, 5, 5, 1, 1, -2, -2],
    [42, 42, 5, 5, 1, 1, -2, -2],
    [3, 3, 2, 2, 4, 4, -5, -5],
    [3, 3, 2, 2, 4, 4, -5, -5],
    [3, 3, 2, 2, 4, 4, -5, -5],
    [7, 7, 8, 8, 3, 3, -6, -6],
    [7, 7, 8, 8, 3, 3, -6, -6],
]
special = [inf, -inf, nan, 1.0]
n = 1500  # of 2 blocks of 1024 elements
a, c = np.arange(2048, dtype=f32), np.linspace(-1, 1, 2048, dtype=f32)
sums = np.where(np.arange(2048) < n, a + c, f32(-7))
sixteen = np.arange(512 * 128, dtype=np.int32).reshape(512, 128)
rows_of_4 = np.arange(512, dtype=np.int32).reshape(128, 4)
bf16 = np.array([1.0, 3.140625, 1.5 * 2.0**-24, 2.5 * 2.0**-24], ml_dtypes.bfloat16)  # two ties
half = array([1.0, 3.140625, 2.0**-23, 2.0**-23], np.float16)
doubles_4x8 = np.arange(32, dtype=f64).reshape(4, 8)

RUNS = {
    "ex-001": run(Array(a), Array(c), Array(np.full(2048, -7, f32), sums), np.uint64(n), grid=2),
    "ex-002": run(given([1, 2, 3]), given([10, 20, 30]), yields([11, 22, 33]), grid=3),
    "ex-007": run(yields([True], b)),
    "ex-008": run(yields([3, 2, 4, 5], np.uint64)),
    "ex-011": run(yields([True], b)),
    "ex-014": run(yields([True], b)),
    "ex-015": run(yields([0, 1, 2, 10, 11, 12], np.uint32)),
    "ex-023": run(given([[0, 1], [2, 3], [4, 5], [6, 7]]), yields([0, 1, 2, 3, 4, 5, 6, 7])),
    "ex-028": run(Array(bf16), yields(half, np.float16)),
    "ex-031": run(yields([[1] * 8, [2] * 8, [3] * 8, [4] * 8])),
    "ex-032": run(yields([[1, 2]] * 4)),
    "ex-036": run(yields([[1, 2, 3, 4], [1, 2, 3, 4]]), yields([[5, 5, 5, 5], [6, 6, 6, 6]])),
    "ex-038": run(yields([[-2, 2], [1, 5]], f64)),
    "ex-039": run(yields([False] * 8, b)),
    "ex-044": run(yields([[0, 1, 2, 3], [4, 5, 6, 7]], f32)),
    "ex-045": run(yields([8.0], f32)),
    "ex-046": run(yields([0.0], f32)),
    "ex-047": run(Array(array([9]), [array([k]) for k in range(4)])),
    "ex-048": run(Array(np.arange(128, dtype=np.int32)), yields(np.arange(128)), grid=(4, 4, 1)),
    "ex-049": run(yields([[5.0, 6.5], [8.0, 8.5]], f32)),
    "ex-050": run(yields([8.0], f32)),
    "ex-051": run(yields([[0, 1], [2, 3]])),
    "ex-052": run(yields([0.0], f32)),
    "ex-053": run(yields([[42, 42], [42, 42]])),
    "ex-054": run(yields([[0, 1, 2, 3], [4, 5, 6, 7]])),
    "ex-055": run(yields([[1, 1], [1, 1]])),
    "ex-056": run(yields([[0.0, 0.0], [0.0, 0.0]], f64)),
    "ex-057": run(given(special, f32), yields([True, True, False, False], b)),
    "ex-058": run(given(special, f32), yields([False, False, True, False], b)),
    "ex-059": run(yields([[0, 1], [2, 3], [4, 5], [6, 7]])),
    "ex-063": run(yields(np.arange(16).reshape(4, 2, 2).transpose(2, 0, 1))),
    "ex-067": run(yields(np.ones((2, 4, 2)), b)),
    "ex-068": run(yields([[[0, 1], [4, 5], [8, 9], [12, 13]], [[2, 3], [6, 7], [10, 11], [14, 15]]])),
    "ex-072": run(yields([[0, 0, 1, 1]] * 4)),
    "ex-073": run(yields([0, -1, 2, -3])),
    "ex-077": run(yields([[2, 3], [6, 7]])),
    "ex-078": run(yields([[0] * 4, [1] * 4, [2] * 4, [3] * 4])),
    "ex-079": run(yields([[0.0], [1.0], [2.0], [3.0]], f64)),
    "ex-080": run(yields([[-1]] * 4, np.int8)),
    "ex-081": run(yields([1.0], f64)),
    "ex-082": run(yields([[28, 35], [78, 101]], f32)),
    "ex-083": run(yields([[[28, 35], [78, 101]], [[-28, -35], [-78, -101]]], f32)),
    "ex-084": run(yields([[28, 34], [76, 98]], f32)),
    "ex-085": run(yields([[[28, 34], [76, 98]], [[-28, -34], [-76, -98]]], f32)),
    "ex-086": run(yields([[10], [22]], f32), yields([[10], [22]], f32)),
    "ex-087": run(yields([[-3, 2, 2, 5]], f32), yields([[-3, 2, 2, 5]], f32)),
    "ex-088": run(yields([[True, False, False, False]], b)),
    "ex-089": run(yields([[True, True, True, False]], b)),
    "ex-090": run(yields([[10], [5]], f32), yields([[10], [5]], f32)),
    "ex-091": run(yields([[24], [-30]], f32), yields([[24], [-30]], f32)),
    "ex-092": run(yields([[0b00000101, 0b10100000, 0, 0]], np.uint8)),
    "ex-093": run(yields([[0b01011111, 0b11111010, 0, 0]], np.uint8)),
    "ex-094": run(yields([[0b01011010, 0b01011010, 0, 0]], np.uint8)),
    "ex-095": run(*[yields([[3, 5, 6, 10], [-3, -1, 0, 5]], f32)] * 2),
    "ex-096": run(*[yields([[3, 6, 6, 24], [-3, -6, -6, -30]], f32)] * 2),
    "ex-097": run(yields([[2, 11], [4, 13]])),
    "ex-098": run(given([2, 7, 5, 8]), yields([2, -3, -22, 8]), yields([2, -3, -22, 8])),
    "ex-099": run(Array(array([0, 1, 2, 3]), array([-1, 1, 2, -1]))),
    "ex-100": run(yields([4, 7, 7, 33, 0], np.uint32)),
    "ex-101": run(yields([8, 42, 3])),
    "ex-102": run(yields([8, 42, 3])),
    "ex-104": run(yields([[0, 1], [2, 3]]), yields([[0, 1], [2, 3]])),
    "ex-105": run(yields([2]), yields(np.full((4, 4), 2), f32)),
    "ex-106": run(yields([2.0], f64)),
    "ex-107": run(yields([2])),
    "ex-108": run(*[yields([[0, 1, 2, -1], [3, 4, 5, -1]])] * 2),
    "ex-109": run(*[yields([[0, 2, 4, -1], [1, 3, 5, -1]])] * 2),
    "ex-110": run(*[yields([[0, 1, 2, -1], [4, 5, 6, -1]])] * 2),
    "ex-111": run(*[yields([[0, 6], [1, 7], [2, 8], [3, 9]])] * 2),
    "ex-112": run(yields([[0, 2, 4, -1], [6, 8, 10, -1]])),
    "ex-113": run(yields([[0, 1, 2, 3], [4, 5, 6, 7]])),
    "ex-114": run(yields([[20, 21], [28, 29]])),
    "ex-115": run(yields([[8, 9, 10, nan], [19, 20, 21, nan]], f32)),
    "ex-116": run(
        Array(
            np.arange(32, dtype=np.int32).reshape(4, 8),
            array(
                [
                    [0, 1, 2, 3, 4, 5, 6, 7],
                    [8, 9, 10, 11, 12, 13, 14, 15],
                    [16, 17, 18, 19, 20, 21, 0, 100],
                    [24, 25, 26, 27, 28, 29, 200, 300],
                ]
            ),
        )
    ),
    "ex-119": run(yields([1.0, 1.0], f64)),
    "ex-120": run(given([2.5], f64), yields([2.5, 2.5], f64)),
    "ex-121": run(Array(doubles_4x8), *[yields([[2, 3], [10, 11]], f64)] * 2),
    "ex-124": run(yields([3.5], f64)),
    "ex-125": run(yields([3.5], f64)),
    "ex-126": run(yields([3.5], f32)),
    "ex-127": run(yields([3.5], f32)),
    "ex-128": run(yields([2.5], f64)),
    "ex-129": run(yields([0])),
    "ex-130": run(given([5]), yields([5])),
    "ex-131": run(given([5]), yields([5])),
    "ex-132": run(yields([5, 7, 9, 11])),
    "ex-133": run(yields([-10, -9, -8, -7])),
    "ex-134": run(yields([True, True], b)),
    "ex-135": run(np.int32(5), yields([5, 5])),
    "ex-136": run(given(blocked_8x8), yields(blocked_8x8)),
    "ex-137": run(given(bounded_2x8), yields(bounded_2x8)),
    "ex-138": run(given(bounded_2x8), yields(bounded_2x8)),
    "ex-139": run(given(bounded_2x8), yields(bounded_2x8)),
    "ex-140": run(given(16 * array(x_2x8)), yields(16 * array(x_2x8))),
    "ex-141": run(given(x_2x8), yields(x_2x8)),
    "ex-142": run(given([0] * 64), yields(np.ones((2, 8)), b)),
    "ex-143": run(
        given([0] * 128),
        given([[0, 1, 2, 8, 9, 10, 16, 17], [64, 65, 66, -16, -15, -14, 0, 1]]),
        yields(np.ones((2, 8)), b),
    ),
    "ex-144": run(Array(sixteen), yields(sixteen[:32, 64:128])),
    "ex-145": run(given([5]), yields([5])),
    "ex-146": run(yields([2])),
    "ex-147": run(given([5]), yields([5, 5, 5])),
    "ex-148": run(given([5]), yields([5])),
    "ex-149": run(given([5]), yields([5])),
    "ex-150": run(given([5]), yields([5])),
    "ex-151": run(yields([1])),
    "ex-152": run(given([5]), yields([1])),
    "ex-153": run(yields([1])),
    "ex-154": run(yields([1])),
    "ex-155": run(given([5]), given([6]), yields([11])),
    "ex-156": run(yields([0, 1, 2, 3])),
    "ex-157": run(Array(rows_of_4, np.vstack([rows_of_4[:4] + 1, rows_of_4[4:]]))),
    "ex-158": run(Array(rows_of_4, np.vstack([rows_of_4[:4] + 1, rows_of_4[4:]]))),
}
