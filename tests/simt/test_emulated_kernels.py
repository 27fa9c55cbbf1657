"""Every kernel of benchmarks/kernels, with several threads a block in several orders, against NumPy: at odd
sizes, which tiles do not divide."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct

FOLDER = Path(__file__).parents[2] / "benchmarks" / "kernels"
SEEDS = (None, 1, 2)
F32, F64, I32 = np.float32, np.float64, np.int32
BF16 = ml_dtypes.bfloat16


class Problem(NamedTuple):
    """A launch and what becomes of its array `out`."""

    grid: object
    arguments: list
    out: np.ndarray
    expected: np.ndarray
    tolerance: float = 0


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape).astype(F32)


def _integers(dtype, *shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape) + shape[0]).integers(-4, 5, shape).astype(dtype)


def _blank(dtype, *shape: int) -> np.ndarray:
    return np.full(shape, 99, dtype)


def copy():
    x, out = _random(1003), _blank(F32, 1003)
    return Problem(4, [x, out, 1003], out, x)


def vector_add():
    a, b, out = _random(1001), _random(2002)[::2].copy(), _blank(F32, 1001)
    return Problem(4, [a, b, out, 1001], out, a + b)


def bias_gelu():
    x, bias, out = _random(3, 300), _random(300), _blank(F32, 3, 300)
    y = (x + bias).astype(F64)
    expected = 0.5 * y * (1 + np.tanh(0.7978845608 * (y + 0.044715 * y**3)))
    return Problem((2, 3), [x, bias, out, 3, 300], out, expected, 1e-5)


def ten_steps():
    x = _random(1003)
    y = x.astype(F64)
    for factor, term in [(0.5, 1), (0.75, 2), (0.5, 3), (0.25, 4), (0.5, 5)]:
        y = y * factor + term
    return Problem(4, [x, 1003], x, y, 1e-5)


def softmax():
    x, out = _random(3, 201), _blank(F32, 3, 201)
    e = np.exp(x.astype(F64))
    return Problem(3, [x, out, 3, 201], out, e / e.sum(1, keepdims=True), 1e-5)


def layer_norm():
    x, weight, bias, out = _random(3, 201), _random(201), _random(402)[::2].copy(), _blank(F32, 3, 201)
    normal = (x - x.mean(1, keepdims=True, dtype=F64)) / np.sqrt(x.var(1, keepdims=True, dtype=F64) + 1e-5)
    return Problem(3, [x, weight, bias, out, 3, 201, 1e-5], out, normal * weight + bias, 1e-4)


def partial_sum():
    x, out = _integers(F32, 3, 201), _blank(F32, 3, 201)
    return Problem(3, [x, out, 3, 201], out, x.cumsum(1))


def sum():
    x, out = _integers(F32, 1003), _blank(F32, 2)
    return Problem(2, [x, out, 1003], out, [x[:512].sum(), x[512:].sum()])


def row_sum():
    x, out = _integers(F32, 37, 70), _blank(F32, 37)
    return Problem(3, [x, out, 37, 70], out, x.sum(1))


def column_sum():
    x, out = _integers(F32, 37, 70), _blank(F32, 2, 70)
    return Problem((3, 2), [x, out, 37, 70, 2], out, [x[:32].sum(0), x[32:].sum(0)])


def transpose():
    x, out = _random(37, 70), _blank(F32, 70, 37)
    return Problem((3, 2), [x, out, 37, 70], out, x.T)


def gather():
    table, index = _random(50, 31), np.random.default_rng(5).integers(0, 50, 21).astype(I32)
    out = _blank(F32, 21, 31)
    return Problem(2, [table, index, out, 21, 31], out, table[index])


def histogram():
    values, counts = np.random.default_rng(6).integers(-3, 40, 1003).astype(I32), np.zeros(37, I32)
    expected = np.bincount(values[(values >= 0) & (values < 37)], minlength=37)
    return Problem(4, [values, counts, 1003, 37], counts, expected)


def _product(element, result, m_tile: int, n_tile: int, transposed: bool = False) -> Problem:
    m, n, k = m_tile + 5, n_tile + 3, 71
    a, b, out = _integers(element, m, k), _integers(element, k, n), _blank(result, m, n)
    given = np.ascontiguousarray(b.T) if transposed else b
    return Problem((2, 2), [a, given, out, m, n, k], out, (a.astype(F64) @ b.astype(F64)).astype(result))


def _batched() -> Problem:
    batches, m, n, k = 3, 16, 35, 41
    a, b, out = _integers(np.float16, batches, m, k), _integers(np.float16, k, n), _blank(F32, batches, m, n)
    return Problem((2, 2), [a, b, out, batches, n, k], out, a.astype(F32) @ b.astype(F32))


def _attention() -> Problem:
    heads, length, dim = 2, 75, 32
    q, k, v = (x.astype(BF16) for x in _random(3, heads, length, dim))
    out = _blank(BF16, heads, length, dim)
    scores = q.astype(F64) @ k.astype(F64).transpose(0, 2, 1) * 0.25
    scores[:, np.arange(length)[:, None] < np.arange(length)] = -np.inf
    weights = np.exp(scores - scores.max(2, keepdims=True))
    expected = weights / weights.sum(2, keepdims=True) @ v.astype(F64)
    arguments = [q, k, v, out, heads, length, 0.25]
    return Problem((3, heads), arguments, out, expected, 0.02)


SMALL = (4, 32)
KERNELS = {
    "copy<256>": (copy, SMALL),
    "vector_add<256>": (vector_add, SMALL),
    "bias_gelu<256>": (bias_gelu, SMALL),
    "ten_steps<256>": (ten_steps, SMALL),
    "softmax<256>": (softmax, SMALL),
    "layer_norm<256>": (layer_norm, SMALL),
    "layer_norm_by_parts<64>": (layer_norm, SMALL),
    "partial_sum<256>": (partial_sum, SMALL),
    "sum<256, 2>": (sum, SMALL),
    "sum_of_four<128, 1>": (sum, SMALL),
    "row_sum<16, 32>": (row_sum, SMALL),
    "column_sum<16, 32>": (column_sum, SMALL),
    "transpose<32>": (transpose, SMALL),
    "gather<16, 32>": (gather, SMALL),
    "histogram<256>": (histogram, SMALL),
}
for _name, _element, _result in [
    ("float, float, float", F32, F32),
    ("double, double, double", F64, F64),
    ("signed char, int, int", np.int8, I32),
    ("__nv_bfloat16, float, float", BF16, F32),
    ("__half, float, __half", np.float16, np.float16),
]:
    KERNELS[f"matmul<{_name}, 16, 16, 32>"] = functools.partial(_product, _element, _result, 16, 16), SMALL
    KERNELS[f"matmul<{_name}, 64, 32, 32>"] = functools.partial(_product, _element, _result, 64, 32), (128,)
_halves = functools.partial(_product, np.float16, F32, 32, 16, True)
KERNELS["matmul_transposed<__half, __half, float, float, 32, 16, 32>"] = _halves, (32, 128)
_floats = functools.partial(_product, F32, F32, 32, 16)
KERNELS["matmul_converted<float, __nv_tf32, float, float, 32, 16, 32>"] = _floats, (4, 32, 128)
KERNELS["matmul_batched<__half, float, 2, 16, 32, 16>"] = _batched, (32, 128)
KERNELS["attention<__nv_bfloat16, 32, 32, 32>"] = _attention, (4, 32, 128)


def _source_of(kernel: str) -> Path:
    """The file that defines a kernel."""
    definition = re.compile(rf"__tile_global__ void {kernel.split('<')[0]}\(")
    (path,) = (path for path in FOLDER.glob("*.cu") if definition.search(path.read_text()))
    return path


@functools.cache
def _module(path: Path, threads: int) -> pct.Module:
    """All of a file's kernels, which compile at once."""
    names = [name for name, (_, counts) in KERNELS.items() if threads in counts and _source_of(name) == path]
    return pct.build(path, target="emulated", num_threads=threads, kernels=names)


CASES = [(name, threads) for name, (_, counts) in KERNELS.items() for threads in counts]


@pytest.mark.parametrize(("name", "threads"), sorted(CASES, key=lambda case: case[1]))
def test_kernel(name, threads):
    kernel = _module(_source_of(name), threads).kernel(name)
    for seed in SEEDS:
        grid, arguments, out, expected, tolerance = KERNELS[name][0]()
        kernel.launch(grid, *arguments, schedule_seed=seed)
        np.testing.assert_allclose(
            out.astype(F64), np.asarray(expected, F64), rtol=tolerance, atol=tolerance, err_msg=f"seed {seed}"
        )


def test_every_kernel_is_tested():
    defined = {
        name
        for path in FOLDER.glob("*.cu")
        for name in re.findall(r"__tile_global__ void (\w+)\(", path.read_text())
    }
    assert defined == {name.split("<")[0] for name in KERNELS}
