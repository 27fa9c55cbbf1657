"""Launches of the kernels that results/fused_kernels.md lists, with the arguments of their examples, tests or
programs."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from example_problems import PROBLEMS

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests" / "simt"), str(ROOT / "tests" / "programs")]
_LEAST_BYTES = 4 << 20  # of the arrays of a kernel whose problem can be of any size
F16, F32, F64, I32 = np.float16, np.float32, np.float64, np.int32


class Launch(NamedTuple):
    kernel: str
    grid: int | tuple[int, ...]
    arguments: tuple


class Recorder:
    """In the place of a module: keeps launches in the place of making them."""

    target = "cpu"

    def __init__(self) -> None:
        self.launches: list[Launch] = []

    def kernel(self, name: str) -> RecordedKernel:
        return RecordedKernel(name, self.launches)


class RecordedKernel(NamedTuple):
    name: str
    launches: list[Launch]

    def __getitem__(self, grid: int | tuple[int, ...]) -> Callable[..., None]:
        return lambda *arguments: self.launches.append(Launch(self.name, grid, arguments))


def launches(source: str, kernels: list[str]) -> list[Launch]:
    """At least one of each of these kernels of a source."""
    path = Path(source)
    if source in of_programs():
        return [launch for launch in of_programs()[source] if launch.kernel in kernels]
    if path.parts[0] == "benchmarks":
        return [_of_problem(kernel) for kernel in kernels]
    if path.parts[0] == "examples":
        return _of_example(path.stem, kernels)
    return [_of_test(path.stem, kernel) for kernel in kernels]


def _of_problem(kernel: str) -> Launch:
    """Of benchmarks/kernels."""
    problem, scale = importlib.import_module("kernel_problems").problem, 1
    while True:
        found = problem(kernel, scale=scale)
        if sum(x.nbytes for x in found.arguments if isinstance(x, np.ndarray)) >= _LEAST_BYTES:
            return Launch(kernel, found.grid, tuple(found.arguments))
        scale *= 2


def _of_example(name: str, kernels: list[str]) -> list[Launch]:
    recorder, example = Recorder(), importlib.import_module(name)
    if name == "blur":
        example.TileBlur(recorder, _random(3, 480, 640)).run()
    elif name == "digits":
        images, _ = example.load_digits()
        network = [(_random(n, m), _random(m)) for n, m in pairwise(example.LAYERS)]
        example.TileNetwork(recorder, network, len(images)).classify(images)
    else:
        common = importlib.import_module("_common")
        types = {spelling: dtype for dtype, spelling in common.CPP_NAMES.items()}
        dtype = types.get(kernels[0].partition("<")[2].partition(",")[0].rstrip(">"), "float32")
        arguments = [dtype if each == "float32" else each for each in PROBLEMS[name]]
        common.Run(recorder, example.problem(*arguments)).launch()
    return recorder.launches


def _of_test(name: str, kernel: str) -> Launch:
    """Of tests/programs."""
    if kernel.startswith("ex_"):
        run = importlib.import_module("manual_runs").RUNS[kernel.replace("_", "-")]
        given = (getattr(each, "before", each) for each in run.arguments)
        arrays = (np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x for x in given)
        return Launch(kernel, run.grid, tuple(arrays))
    arguments, grid, _ = importlib.import_module("kernel_runs").ALL[name][kernel]
    return Launch(kernel, grid, tuple(arguments))


@functools.cache
def of_programs() -> dict[str, list[Launch]]:
    """Of the whole programs in examples/, by the source: with the sizes that are there."""
    text = np.frombuffer(b"the quick brown fox jumps over the lazy dog. " * 74, np.uint8)
    halves, square = (_random(3, 50, 45).astype(F16), _random(3, 45, 70).astype(F16)), _random(16, 16)
    n, piece, parts = 3721, 100_007, 100_001
    found: dict[str, list[tuple]] = {
        "batched_matmul": [
            ("batched_matmul<32, 32, 16>", (3, 2, 3), *halves, _random(3, 50, 70), 3, 50, 70, 45)
        ],
        "conjugate_gradient": [
            ("dot", 4, *_random(2, n).astype(F64), np.empty(4), n),
            ("combine", 4, 0.5, _random(n).astype(F64), 0.5, _random(n).astype(F64), n),
        ],
        "error_handling": [("fill", 1, np.empty(16, I32))],
        "functor": [("for_each<Axpy>", 8, _axpy(1000), 1000)],
        "histogram": [("count_letters", ceildiv(text.size, 256), text, np.zeros(26, np.uint32), text.size)],
        "layer_norm": [
            ("layer_norm", 77, _random(77, 500), *_random(2, 500), _random(77, 500), 77, 500, 1e-5)
        ],
        "managed_memory": [("normalise", 1, np.ones(200, F32), 200)],
        "matrix_power": [(f"chain::{name}", 1, square, square.copy()) for name in ("square<float>", "copy")],
        "scan": [
            ("scan_parts", ceildiv(parts, 256), *np.ones((2, parts), I32), np.empty(391, I32), parts),
            ("add_to_parts", ceildiv(parts, 256), np.ones(parts, I32), np.ones(391, I32), parts),
        ],
        "softmax": [
            (f"softmax<{width}>", rows, *_random(2, rows, columns), rows, columns)
            for width, rows, columns in [(64, 7, 64), (256, 5, 65), (1024, 3, 1000)]
        ],
        "stencil": [("spread", (4, 8), *_random(2, 60, 100))],
        "streams_and_events": [("axpy", ceildiv(piece, 1024), 2.0, *_random(2, piece), piece)],
        "transpose": [
            ("transpose<float, 32, 32>", (25, 32), _random(1000, 777), _random(777, 1000), 1000, 777)
        ],
        "vector_add": [("vector_add", 98, *_random(3, 100_000), 100_000)],
    }
    return {
        f"examples/programs/{name}.cu": [Launch(kernel, grid, tuple(rest)) for kernel, grid, *rest in each]
        for name, each in found.items()
    }


def _axpy(n: int) -> np.ndarray:
    """A functor in front of its arrays."""
    memory = np.ones(6 + 2 * n, F32)
    memory[2:6].view(np.int64)[:] = memory.ctypes.data + 24, memory.ctypes.data + 24 + 4 * n
    return memory[:6].view("V24")


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).random(shape, F32)


def ceildiv(a: int, b: int) -> int:
    return -(-a // b)
