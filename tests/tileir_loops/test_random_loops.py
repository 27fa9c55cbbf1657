"""Random kernels, by the open front end and of Tile IR: fused code has the bits of op-by-op code and of the
interpreter."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from open_front_end import module
from random_control import Controlled
from random_draft import HEAD
from random_kernels import COUNT, SIZE, sources
from random_nests import Kernel
from random_programs import Program
from test_random_kernels import inputs, same

import pycuda_tile as pct
from pycuda_tile import tileir

ROUNDS = [0, *(pytest.param(i, marks=pytest.mark.wide) for i in range(1, 8))]
OPTIONS = ("-O2",)


@pytest.mark.parametrize("round", ROUNDS)
def test_bits(round: int):
    """With infinities, NaN, both zeros and subnormals, masks, and rows that end early."""

    @seed(round)
    @settings(
        max_examples=2 if round else 1,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(sources(kernels=6))
    def run(source: str) -> None:
        made = module(source)
        ways = [tileir.build(made, optimize=way, options=OPTIONS) for way in ("auto", False)]
        for entry in made.entries:
            check_reason(ways[0].kernel(entry.name))
            for n in (0, 7):
                results = []
                for launch in (
                    *(way.kernel(entry.name)[1] for way in ways),
                    lambda *given, name=entry.name: tileir.interpret(made, name, 1, *given),
                ):
                    out = np.zeros(COUNT * SIZE, np.int64), np.zeros(COUNT * SIZE)
                    launch(*inputs(), *out, n)
                    results.append(out)
                for fused, others in zip(results[0], zip(*results[1:], strict=True), strict=True):
                    assert all(same(fused, other) for other in others), f"{entry.name}, n = {n} in\n{source}"

    run()


@pytest.mark.parametrize("round", ROUNDS)
def test_exact_programs(round: int):
    """Shapes, moved elements and values that loops carry, against NumPy."""
    programs = [Program(number) for number in range(2 * round, 2 * round + 2)]
    made = module(HEAD + "".join(map(str, programs)))
    built = tileir.build(made, optimize="auto", options=OPTIONS)
    for program in programs:
        check_reason(built.kernel(f"program_{program.seed}"))
        program.launch(built.kernel(f"program_{program.seed}"))


@pytest.mark.parametrize("round", ROUNDS)
def test_nests(round: int):
    """Every element type, ranks to 5, views and tiles of pointers, of which not all exists; every other
    kernel has ifs and loops, and arrays overlap in every other launch."""
    count = 12 if round else 2
    numbers = range(round * count, round * count + count)
    kernels = [Controlled(number) if number % 2 else Kernel(number) for number in numbers]
    made = tileir.parse("".join(map(str, kernels)))
    ways = [tileir.build(made, optimize=way, options=OPTIONS) for way in ("auto", False)]
    for kernel in kernels:
        check_reason(ways[0].kernel(kernel.name))
        for number in range(6):
            launch = kernel.launch(np.random.default_rng(number), overlap=number % 2 == 1)
            fused, by_operation = (launch.run(way.kernel(kernel.name)[launch.blocks]) for way in ways)
            case = f"launch {number} of\n{kernel}"
            assert all(map(alike, fused, by_operation)), case
            if kernel.exact and number < 2:
                interpreted = launch.run(partial(tileir.interpret, made, kernel.name, launch.blocks))
                assert all(map(alike, fused, interpreted)), case


def check_reason(kernel: pct.Kernel) -> None:
    """No pass fails, and its loops compile: if not, the kernel runs operation by operation."""
    reason = str(kernel.attributes.get("reason", ""))
    assert "a fault" not in reason and "compiler" not in reason, reason


def alike(some: np.ndarray, others: np.ndarray) -> bool:
    """The same bits, or both NaN."""
    bits = f"u{some.dtype.itemsize}"
    same = some.view(bits) == others.view(bits)
    if some.dtype.kind != "i":
        same |= np.isnan(some.astype(float)) & np.isnan(others.astype(float))
    return bool(same.all())
