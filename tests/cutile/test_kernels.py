"""Kernels as users of cuTile Python write them, built for the cpu and interpreted, against NumPy."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cuda.tile", reason="needs NVIDIA's cuda-tile package")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module("cutile_python")


@pytest.fixture
def kernels(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module("cutile_kernels")


@pytest.fixture(params=["interpret", "cpu"])
def run(request):
    """run(kernel, grid, *arguments)"""
    import cuda.tile as ct

    import pycuda_tile.cutile

    def launch(kernel, grid, *arguments) -> None:
        with pycuda_tile.cutile.options(interpret=request.param == "interpret"):
            ct.launch(None, grid, kernel, arguments)

    return launch


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


def test_vector_add(run, example) -> None:
    a, b = random(1000), random(1000) + 1
    out = np.empty_like(a)
    run(example.add, (16,), a, b, out, 64)
    assert np.array_equal(out, a + b)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_matmul(run, example, dtype) -> None:
    a, b = random(40, 50).astype(dtype), random(50, 30).astype(dtype)
    out = np.empty((40, 30), np.float32)
    run(example.matmul, (3, 2), a, b, out, 16, 16, 32)
    np.testing.assert_allclose(out, a.astype(np.float64) @ b.astype(np.float64), atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_transpose(run, kernels, dtype) -> None:
    a = (10 * random(50, 70)).astype(dtype)
    out = np.empty((70, 50), dtype)
    run(kernels.transpose, (4, 3), a, out, 16, 32)
    assert np.array_equal(out, a.T)


def test_layer_norm(run, kernels) -> None:
    x, weight, bias = random(3, 100), random(100), random(100) + 1
    out = np.empty_like(x)
    run(kernels.layer_norm, (3,), x, weight, bias, out, 32, 100, 1e-5)
    x = x.astype(np.float64)
    scale = 1 / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    expected = (x - x.mean(axis=1, keepdims=True)) * scale * weight + bias
    np.testing.assert_allclose(out, expected, atol=1e-5)


def test_softmax(run, kernels) -> None:
    x = random(5, 100)
    out = np.empty_like(x)
    run(kernels.softmax, (5,), x, out, 128)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, powers / powers.sum(axis=1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_maximum(run, kernels, dtype) -> None:
    """The identity is minus infinity, which cuda-tile writes in 65 bits for float64."""
    x = (-1 - abs(random(12))).astype(dtype)
    largest, place = np.zeros(1, dtype), np.zeros(1, np.int32)
    run(kernels.maximum, (1,), x, largest, place, 16)
    assert largest[0] == x.max() and place[0] == x.argmax()


def test_fft(run, kernels) -> None:
    n1, n2 = 16, 32
    real, imag = random(2, n1 * n2), random(2, n1 * n2) + 1
    p, q, r = np.arange(n1), np.arange(n2), np.arange(n1)

    def factors(x, y, n):
        angles = -2 * np.pi * np.outer(x, y) / n
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    matrices = [*factors(p, r, n1), *factors(p, q, n1 * n2), *factors(q, q, n2)]
    out = np.empty_like(real), np.empty_like(real)
    run(kernels.fft, (2,), real, imag, *matrices, *out, n1, n2)
    np.testing.assert_allclose(
        out[0] + 1j * out[1], np.fft.fft(real + 1j * imag.astype(np.float64)), atol=1e-3
    )


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_attention(run, kernels, dtype, causal: bool) -> None:
    q, k, v = (random(2, 40 + i, 16)[:, :40].astype(dtype).copy() for i in range(3))
    out = np.empty_like(q)
    run(kernels.attention, (2, 3), q, k, v, out, 16, 16, 16, 0.25, causal)
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = 0.25 * q @ k.swapaxes(1, 2)
    if causal:
        scores = np.where(np.tri(40, dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=2, keepdims=True))
    expected = powers / powers.sum(axis=2, keepdims=True) @ v
    np.testing.assert_allclose(out, expected, atol=1e-5 if dtype is np.float32 else 4e-3)


def test_example_runs(example, capsys) -> None:
    assert example.main() == 0
    assert capsys.readouterr().out.count("agrees with NumPy") == 2


def test_linear_recurrence(run, kernels) -> None:
    """The function of a scan gets what came before first."""
    a, b = random(64) / 2, random(64) + 1
    out, expected, last = np.empty_like(a), [], 0.0
    run(kernels.recurrence, (1,), a, b, out, 64)
    for factor, term in zip(a.astype(float), b.astype(float), strict=True):
        expected.append(last := factor * last + term)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)  # 64 products and sums in float
