"""Random kernels: NVIDIA's front end, then the interpreter or tileir.build, against the cpu target."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from nvidia_front_end import tile_ir
from random_kernels import COUNT, SIZE, sources

import pycuda_tile as pct
from pycuda_tile import tileir

NUMBERS = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 65504.0, 6e-8, 1e30, 1e-42]


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    info = np.iinfo(np.int32)
    whole = rng.integers(info.min, info.max, SIZE, np.int32, endpoint=True)
    whole[:4] = info.min, info.max, 0, -1
    real = rng.standard_normal(SIZE) * 10.0 ** rng.integers(-3, 4, SIZE)
    real[:: SIZE // len(NUMBERS)][: len(NUMBERS)] = NUMBERS
    with np.errstate(over="ignore"):
        return [whole, real.astype(np.float32), real[::-1].copy(), np.roll(real, 5).astype(np.float16)]


def same(got: np.ndarray, expected: np.ndarray) -> bool:
    """The same bits, or both NaN."""
    return bool(((got.view("i8") == expected.view("i8")) | (np.isnan(got) & np.isnan(expected))).all())


@pytest.mark.wide
def test_random_kernels() -> None:
    @settings(
        max_examples=8,
        derandomize=True,
        database=None,
        phases=[Phase.generate],  # shrinking would compile hundreds of times; the whole source is reported
        suppress_health_check=list(HealthCheck),
    )
    @given(sources())
    def check_them(source: str) -> None:
        check(source)

    check_them()


def check(source: str) -> None:
    module = tile_ir(source)
    ours = pct.build(source, target="cpu", options=("-O1",), cache=False)
    built = tileir.build(module, options=("-O1",), cache=False)
    for entry in module.entries:
        for n in (0, 7):
            results = []
            for run in (
                ours.kernel(entry.name)[1],
                built.kernel(entry.name)[1],
                lambda *a, name=entry.name: tileir.interpret(module, name, 1, *a),
            ):
                out = np.zeros(COUNT * SIZE, np.int64), np.zeros(COUNT * SIZE)
                run(*inputs(), *out, n)
                results.append(out)
            for name, result in zip(("tileir.build", "interpret"), results[1:], strict=True):
                for got, expected in zip(result, results[0], strict=True):
                    assert same(got, expected), f"{name} of {entry.name} with n = {n} in\n{source}"
