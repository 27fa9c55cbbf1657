"""What the examples share: problems with their NumPy answers, launch and check, timing, progress lines."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import ml_dtypes
import numpy as np

import pycuda_tile as pct
from pycuda_tile.launching import gpu

# The element types for kernels with a type parameter: NumPy's name and the C++ name.
CPP_NAMES = {"float32": "float", "float16": "__half", "bfloat16": "__nv_bfloat16"}

HERE = Path(__file__).resolve().parent


@dataclass
class Problem:
    """One kernel on one input, and NumPy's answer to the same question.

    `arrays` are the kernel's arrays, the outputs last. `launch(kernel, *arrays)` launches the kernel on them;
    on a GPU it gets their copies there; with `more_kernels`, it gets these after the first. `numpy(*inputs,
    out=None)` computes the same with NumPy, in the type of its inputs; it yields as many arrays as there are
    `outputs`. `tolerance` bounds the largest error: the largest difference from NumPy's answer in double
    precision, divided by that answer's largest magnitude. `traffic` counts the bytes that must be read and
    written at least, `flops` the floating-point operations where those are the better measure of speed.
    """

    kernel: str
    arrays: tuple[np.ndarray, ...]
    launch: Callable[..., None]
    numpy: Callable[..., np.ndarray]
    tolerance: float
    traffic: int = 0
    flops: int = 0
    outputs: int = 1
    more_kernels: tuple[str, ...] = ()

    @property
    def kernels(self) -> tuple[str, ...]:
        """The name expressions of all its kernels."""
        return (self.kernel, *self.more_kernels)

    def expected(self) -> np.ndarray | tuple[np.ndarray, ...]:
        """NumPy's answer, in double precision where the inputs are floats."""
        inputs = self.arrays[: -self.outputs]
        return self.numpy(*(a.astype(np.float64) if a.dtype.name in CPP_NAMES else a for a in inputs))


class Run:
    """A problem on a module, with its arrays on the target's device, so that launches can be repeated."""

    def __init__(self, module: pct.Module, problem: Problem):
        self.problem = problem
        self.kernels = [module.kernel(name) for name in problem.kernels]
        self.arrays = [on_target(module, array) for array in problem.arrays]

    def launch(self) -> None:
        """One launch, finished when this returns."""
        self.problem.launch(*self.kernels, *self.arrays)
        wait(self.arrays[-1])

    def result(self) -> np.ndarray:
        """The output array, or the last of them, on the host."""
        return to_numpy(self.arrays[-1])

    def error(self) -> float:
        """The largest error of any output."""
        expected = self.problem.expected()
        wanted = (expected,) if self.problem.outputs == 1 else expected
        got = map(to_numpy, self.arrays[-self.problem.outputs :])
        return max(largest_error(*pair) for pair in zip(got, wanted, strict=True))


def on_target(module: pct.Module, array: np.ndarray) -> Any:
    """The array as the module's kernels take it: the array itself on the host, a copy on a GPU."""
    if module.target not in ("simt", "tile"):
        return array
    gpu.check_available("the example", module.target)
    from _device import DeviceArray

    return DeviceArray(array)


def to_numpy(array: Any) -> np.ndarray:
    """The content of an array that `on_target` returned, on the host."""
    return array if isinstance(array, np.ndarray) else array.to_numpy()


def wait(array: Any) -> None:
    """Wait for all launches on this array's device; on the host, launches are finished when they return."""
    if not isinstance(array, np.ndarray):
        array.wait()


def largest_error(got: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, divided by the largest magnitude expected; infinite where `got` has a NaN."""
    if got.shape != expected.shape:
        raise ValueError(f"result has shape {got.shape}, expected {expected.shape}")
    difference = np.abs(got.astype(np.float64) - expected.astype(np.float64)).max()
    largest = np.abs(expected).max()
    return float("inf") if np.isnan(difference) else float(difference / largest if largest else difference)


def build(name: str, target: str, kernels: tuple[str, ...] = ()) -> pct.Module:
    """The module of examples/`name`.cu; `kernels` are the instances of its templates to build."""
    with progress(f"building {name}.cu"):
        return pct.build(HERE / f"{name}.cu", target=target, kernels=kernels)


def build_and_run(name: str, target: str, problem: Problem) -> int:
    """`run` on examples/`name`.cu, whose kernels are templates."""
    return run(build(name, target, problem.kernels), problem)


def run(module: pct.Module, problem: Problem) -> int:
    """Launch once, compare with NumPy, print one line. Returns 0 if the result is right, else 1."""
    task = Run(module, problem)
    task.launch()
    error = task.error()
    verdict = "agrees with NumPy" if error <= problem.tolerance else "DIFFERS FROM NUMPY"
    shapes = ", ".join("x".join(map(str, a.shape)) for a in problem.arrays)
    print(f"{problem.kernel} on {module.target}, arrays of {shapes}: {verdict}, largest error {error:.1e}")
    return 0 if error <= problem.tolerance else 1


def median_seconds(function: Callable[[], object], repeats: int = 5) -> float:
    """The median time of `repeats` calls, in seconds. The caller has called it once before, to warm up."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return median(times)


def random(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Normally distributed numbers of the element type called `dtype`."""
    return rng.standard_normal(shape, np.float32).astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))


def rounding(dtype: str) -> float:
    """The largest relative error of one rounding to the element type."""
    return float(ml_dtypes.finfo(getattr(ml_dtypes, dtype, dtype)).eps) / 2


def ceildiv(a: int, b: int) -> int:
    """a / b, rounded up: the number of tiles of length b that cover a."""
    return -(-a // b)


@contextmanager
def progress(step: str) -> Iterator[None]:
    """Report on stderr what is going on, if it takes more than a second."""
    timer = threading.Timer(1.0, lambda: print(f"{step} ...", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def parse(
    argv: list[str], description: str, limits: dict[str, int] | None = None, *, dtype: str = "", **sizes: int
) -> argparse.Namespace:
    """The options of an example: --target, --NAME SIZE for each size, with its default and limit, and --dtype
    for kernels with a type parameter, where a default is given."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add_target(parser)
    if dtype:
        parser.add_argument("--dtype", default=dtype, choices=list(CPP_NAMES), help="element type")
    for name, default in sizes.items():
        limit = (limits or {}).get(name, 2**31 - 1)
        option = "--" + name.replace("_", "-")
        parser.add_argument(option, type=size_up_to(limit), default=default, help="a size", metavar="SIZE")
    return parser.parse_args(argv)


def add_target(parser: argparse.ArgumentParser) -> None:
    """The option --target."""
    choices = ["auto", "cpu", "emulated", "simt", "tile"]
    parser.add_argument("--target", default="auto", choices=choices, help="where to run")


def size_up_to(limit: int) -> Callable[[str], int]:
    """A converter of command line text to a size of at least 1 and at most `limit`."""

    def size(text: str) -> int:
        value = int(text)
        if not 1 <= value <= limit:
            raise argparse.ArgumentTypeError(f"{value} is not from 1 to {limit}")
        return value

    return size
