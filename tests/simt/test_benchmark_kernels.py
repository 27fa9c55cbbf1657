"""The kernels of the benchmarks, at sizes that are no multiples of their tiles, against NumPy; and that
those of gpu.py build for every target."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.errors import TargetUnavailable

KERNELS = Path(__file__).parents[2] / "benchmarks" / "kernels"
ON_EVERY_TARGET = (
    ("elementwise", "copy<256>"),
    ("rows", "row_sum<4, 64>"),
    ("rows", "column_sum<16, 32>"),
    ("products", "matmul_transposed<float, __nv_tf32, float, float, 32, 32, 32>"),
    ("products", "matmul_transposed<__nv_fp8_e4m3, __nv_fp8_e4m3, float, __nv_bfloat16, 32, 32, 32>"),
    ("products", "matmul_transposed<signed char, signed char, int, int, 32, 32, 32>"),
)


@pytest.fixture(params=["cpu", "emulated"])
def kernel(request):
    """A function from a source and a kernel's name to the kernel."""
    options = {"num_threads": 32} if request.param == "emulated" else {}
    return lambda source, name: pct.build(
        KERNELS / f"{source}.cu", target=request.param, kernels=(name,), **options
    ).kernel(name)


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def _poisoned(*shape: int, dtype=np.float32) -> np.ndarray:
    """Elements that no result has, so that one which is not written shows."""
    return np.full(shape, 77, dtype)


def test_copy_and_sum_of_arrays(kernel):
    a, b, out = _random(1000), _random(1000)[::-1].copy(), _poisoned(1003)
    kernel("elementwise", "copy<256>")[4](a, out, 1000)
    assert np.array_equal(out[:1000], a) and (out[1000:] == 77).all()
    kernel("elementwise", "vector_add<256>")[4](a, b, out, 1000)
    assert np.array_equal(out[:1000], a + b) and (out[1000:] == 77).all()


def test_sums(kernel):
    x = _random(37, 77)
    exact = x.astype(np.float64)
    rows, columns, total = _poisoned(37), _poisoned(2, 77), _poisoned(3)
    kernel("rows", "row_sum<4, 64>")[10](x, rows, 37, 77)
    np.testing.assert_allclose(rows, exact.sum(1), atol=1e-4)
    kernel("rows", "column_sum<16, 32>")[3, 2](x, columns, 37, 77, 2)  # 32 rows, then 5
    np.testing.assert_allclose(columns, [exact[:32].sum(0), exact[32:].sum(0)], atol=1e-4)
    kernel("rows", "sum<256, 4>")[3](x, total, x.size)
    flat = exact.ravel()
    parts = [flat[:1024].sum(), flat[1024:2048].sum(), flat[2048:].sum()]
    np.testing.assert_allclose(total, parts, atol=1e-4)
    kernel("rows", "sum_of_four<64, 4>")[3](x, total, x.size)
    np.testing.assert_allclose(total, parts, atol=1e-4)


def test_rows(kernel):
    x, weight, bias = _random(5, 77), _random(77), _random(78)[1:]
    exact = x.astype(np.float64)
    out = _poisoned(5, 77)
    kernel("rows", "softmax<128>")[5](x, out, 5, 77)
    powers = np.exp(exact - exact.max(1, keepdims=True))
    np.testing.assert_allclose(out, powers / powers.sum(1, keepdims=True), rtol=1e-4)
    kernel("rows", "layer_norm<128>")[5](x, weight, bias, out, 5, 77, 1e-5)
    normal = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out, normal * weight + bias, atol=1e-4)
    for tile in (32, 128):  # 77 = 2 x 32 + 13, and less than one tile
        out = _poisoned(5, 77)
        kernel("rows", f"layer_norm_by_parts<{tile}>")[5](x, weight, bias, out, 5, 77, 1e-5)
        np.testing.assert_allclose(out, normal * weight + bias, atol=1e-4)
    kernel("rows", "partial_sum<128>")[5](x, out, 5, 77)
    np.testing.assert_allclose(out, exact.cumsum(1), atol=1e-4)


def test_movement(kernel):
    x, out = _random(37, 77), _poisoned(77, 37)
    kernel("movement", "transpose<32>")[3, 2](x, out, 37, 77)
    assert np.array_equal(out, x.T)
    index = np.random.default_rng(1).integers(0, 37, 21, np.int32)
    rows = _poisoned(21, 77)
    kernel("movement", "gather<8, 128>")[3](x, index, rows, 21, 77)
    assert np.array_equal(rows, x[index])
    values = np.random.default_rng(2).integers(-3, 53, 1000, np.int32)
    counts = np.zeros(50, np.int32)
    kernel("movement", "histogram<256>")[4](values, counts, 1000, 50)
    assert np.array_equal(counts, np.bincount(values[(values >= 0) & (values < 50)], minlength=50))


@pytest.mark.parametrize(
    "names, dtype, result, tolerance",
    [
        ("float, __nv_tf32, float, float", np.float32, np.float32, 2e-2),  # tf32 keeps 10 bits
        ("__nv_fp8_e4m3, __nv_fp8_e4m3, float, float", ml_dtypes.float8_e4m3fn, np.float32, 1e-4),
        ("signed char, signed char, int, int", np.int8, np.int32, 0),
    ],
    ids=["tf32", "fp8", "int8"],
)
def test_products_with_the_right_side_transposed(kernel, names, dtype, result, tolerance):
    a, b = ((8 * _random(rows, 45)).astype(dtype) for rows in (37, 41))
    c = _poisoned(37, 41, dtype=result)
    kernel("products", f"matmul_transposed<{names}, 32, 32, 32>")[2, 2](a, b, c, 37, 41, 45)
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    assert np.abs(c - exact).max() <= tolerance * np.abs(exact).max()


@pytest.mark.parametrize("cxx, dtype", [("__nv_bfloat16", ml_dtypes.bfloat16), ("__half", np.float16)])
def test_attention_at_a_length_that_is_no_multiple_of_the_tiles(kernel, cxx, dtype):
    heads, length, dim = 2, 45, 16
    q, k, v = (_random(heads, length, dim + n)[:, :, :dim].astype(dtype).copy() for n in range(3))
    out = _poisoned(heads, length, dim, dtype=dtype)
    name = f"attention<{cxx}, 16, 32, {dim}>"
    kernel("attention", name)[3, heads](q, k, v, out, heads, length, dim**-0.5)
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(1, 2) * dim**-0.5
    scores[:, np.triu(np.ones((length, length), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(2, keepdims=True))
    exact = weights / weights.sum(2, keepdims=True) @ v.astype(np.float64)
    assert np.abs(out.astype(np.float64) - exact).max() <= 2e-2 * np.abs(exact).max()


@pytest.mark.skipif(importlib.util.find_spec("cuda") is None, reason="needs cuda-python and NVRTC")
@pytest.mark.parametrize("target", ["simt", "tile"])
def test_they_build_for_gpus(target):
    try:
        for source, name in ON_EVERY_TARGET:
            module = pct.build(KERNELS / f"{source}.cu", target=target, arch="sm_90", kernels=(name,))
            assert module.kernel(name).binary, name
    except TargetUnavailable as missing:
        pytest.skip(str(missing))
