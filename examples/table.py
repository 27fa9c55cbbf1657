"""Seven tile kernels on the best available target, checked against NumPy and timed against it."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Sequence

import bias_gelu
import histogram
import layer_norm
import matmul
import softmax
import transpose
import vector_add
from _common import Problem, Run, add_target, build, median_seconds, progress

HEADER = ("kernel", "size", "target", "largest error", "time", "speed", "NumPy")
WHY = "it does such work in one pass, too, or other programs used the cores: `run.py table` measures again"


def problems(small: bool) -> Iterator[tuple[str, Problem]]:
    """Each kernel's input with its size in words: of a size that takes some time, or small, for tests."""
    n = 10_000 if small else 16_000_000
    rows, columns = (50, 300) if small else (8000, 1000)
    m = 100 if small else 1000
    yield f"{n:,}", vector_add.problem(n)
    yield f"{rows:,} x {columns:,}", bias_gelu.problem(rows, columns, "float32")
    yield f"{rows:,} x {columns:,}", softmax.problem(rows, columns)
    yield f"{rows:,} x {columns:,}", layer_norm.problem(rows, columns)
    yield f"{m:,} x {m:,} x {m:,}", matmul.problem(m, m, m)
    yield f"{rows:,} x {columns:,}", transpose.problem(rows, columns)
    yield f"{n:,}", histogram.problem(n, 256)


def measure(size: str, problem: Problem, target: str) -> tuple[list[str], bool, bool]:
    """Check and time one kernel: its row of the table, if it is right, and if NumPy is faster."""
    name = problem.kernel.partition("<")[0]
    module = build(name, target, problem.kernels)
    with progress(f"running {name}"):
        run = Run(module, problem)
        run.launch()
        error = run.error()
        seconds = median_seconds(run.launch)
    with progress(f"running {name} with NumPy"):
        *inputs, out = problem.arrays
        problem.numpy(*inputs, out=out)
        numpy_seconds = median_seconds(lambda: problem.numpy(*inputs, out=out))
    right = error <= problem.tolerance
    row = [name, size, module.target, f"{error:.1e}" if right else f"{error:.1e} WRONG"]
    row += [milliseconds(seconds), speed(problem, seconds), milliseconds(numpy_seconds)]
    return row, right, numpy_seconds < seconds


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.2f} ms"


def speed(problem: Problem, seconds: float) -> str:
    if problem.flops:
        return f"{problem.flops / seconds / 1e9:.1f} GFLOP/s"
    return f"{problem.traffic / seconds / 1e9:.1f} GB/s"


def machine() -> str:
    """The processor's name and the number of cores that this process may use."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            name = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass  # not Linux, or a processor that has no name there
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name}, {cores} cores"


def show(row: Sequence[str]) -> None:
    """One row of the table: words to the left, numbers to the right."""
    print("{:<11}  {:<21}  {:<8}  {:>13}  {:>10}  {:>13}  {:>10}".format(*row))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_target(parser)
    parser.add_argument("--small", action="store_true", help="small inputs, for tests")
    options = parser.parse_args(argv)

    print(f"Host: {machine()}")
    show(HEADER)
    wrong, slower = [], []
    for size, problem in problems(options.small):
        row, right, is_slower = measure(size, problem, options.target)
        show(row)
        wrong += [] if right else [problem.kernel]
        slower += [row[0]] if is_slower else []
    print(
        "largest error: largest difference from NumPy in double precision / largest magnitude of the result"
    )
    print("time: median of five; speed: bytes that must be moved, or floating-point operations, a second")
    if slower and not options.small:
        print(f"NumPy was faster for {', '.join(slower)}: {WHY}")
    if wrong:
        print(f"wrong results: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
