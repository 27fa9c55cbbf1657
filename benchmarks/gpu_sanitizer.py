"""NVIDIA's compute-sanitizer over the benchmarks' kernels and some of the examples, on a GPU. One table.

    python benchmarks/gpu_sanitizer.py [--only TEXT] [--tools memcheck racecheck] [--output FILE]

memcheck finds out-of-bounds accesses, racecheck hazards in shared memory, initcheck reads of uninitialised
memory, synccheck wrong barriers. Needs a GPU, PyTorch (for the benchmarks' kernels), pycuda-tile[gpu], and
compute-sanitizer: of the CUDA toolkit, or pip install nvidia-cuda-sanitizer-api. Sizes are small: programs
take 10 to 100 times as long. The exit status is 1 if something was found."""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from pycuda_tile.launching import gpu

HERE = Path(__file__).resolve().parent
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
EXAMPLES = ("vector_add", "softmax", "layer_norm", "matmul", "transpose", "histogram", "gather", "attention",
            "int8_matmul", "split_k_matmul", "top_k", "segmented_scan", "cross_entropy", "mixed")  # fmt: skip
FOUND = 86  # the exit status that the sanitizer is to return if it finds something
OPTIONS = {"memcheck": ["--report-api-errors", "no"], "racecheck": ["--racecheck-report", "all"]}


class Program(NamedTuple):
    """A program to run under the sanitizer: a line of the table."""

    title: str
    command: list[str]


def find() -> str | None:
    """compute-sanitizer of the path, the CUDA toolkit, or NVIDIA's wheels beside this Python's packages."""
    if found := shutil.which("compute-sanitizer"):
        return found
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    places = [Path(root) / "bin" / "compute-sanitizer" for root in roots if root]
    for folder in map(Path, sys.path):
        places += sorted(folder.glob("nvidia/*/bin/compute-sanitizer"))
    return next((str(place) for place in places if place.is_file()), None)


def requirements() -> str | None:
    """A message that says what is missing on this machine."""
    if gpu.compute_capability() is None:
        return "there is no CUDA GPU that a driver shows here"
    if find() is None:
        return "compute-sanitizer is missing: pip install nvidia-cuda-sanitizer-api, or the CUDA toolkit's"
    return None


def programs(only: str) -> list[Program]:
    found = [
        Program(f"example {name}", [sys.executable, "-m", "pycuda_tile", "run", name, "--target", "simt"])
        for name in EXAMPLES
    ]
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is missing, with which the benchmarks' kernels are run: only the examples are watched")
    else:
        from gpu_work import works

        script = str(HERE / "gpu_sanitizer.py")
        found = [
            *(
                Program(work.title, [sys.executable, script, "--run", work.title])
                for work in works("cpu", small=True)
            ),
            *found,
        ]
    return [program for program in found if only in program.title]


def watch(program: Program, tool: str, seconds: float) -> tuple[str, str]:
    """What the sanitizer says of a program, in a word or two, and the first lines of what it found."""
    if seconds <= 0:
        return "no time", ""
    command = [
        find(), "--tool", tool, "--error-exitcode", str(FOUND), *OPTIONS.get(tool, []),
        "--kernel-name-exclude", "kns=2at6native", *program.command,
    ]  # fmt: skip
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")]),
        "PYTORCH_NO_CUDA_MEMORY_CACHING": "1",  # each tensor has its own allocation, with known bounds
    }
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return "no time", ""
    return judge(done.returncode, done.stdout + done.stderr)


def judge(status: int, output: str) -> tuple[str, str]:
    lines = [line for line in output.splitlines() if line.startswith("=========")]
    counts = [int(count) for line in lines for count in re.findall(r"SUMMARY: (\d+) (?:error|hazard)", line)]
    said = [line for line in lines[1:] if "SUMMARY" not in line and line.strip("= ")][:8]
    if status == 0 and counts and not any(counts):
        return "clean", ""
    if any(counts):
        return f"{max(counts)} found", "\n".join(said)
    return f"failed ({status})", "\n".join((said or output.splitlines())[-8:])


def run_kernels(title: str) -> int:
    """One work's kernels with each number of threads, at small odd sizes; 1 if a result is wrong."""
    import torch
    from gpu_work import works
    from gpu_worker import our_call

    (work,) = (work for work in works("cuda", small=True) if work.title == title)
    arguments = work.make()
    exact = work.exact(arguments)
    wrong = 0
    label, launches = next(iter(work.candidates.items()))
    for threads in work.threads:
        work.prepare(arguments)
        our_call(work.path, launches, "simt", threads)(arguments)
        torch.cuda.synchronize()
        error = work.error(arguments[work.out], exact)
        if not error <= work.tolerance:
            print(f"{title}, {label}, T = {threads}: wrong by {error:.2g}")
            wrong = 1
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="what contains this")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=TOOLS)
    parser.add_argument("--minutes", type=float, default=9, help="after which nothing more is begun")
    parser.add_argument("--jobs", type=int, default=4, help="programs at once")
    parser.add_argument("--output", type=Path, help="where to write the table, too")
    parser.add_argument(
        "--run", metavar="TITLE", help=argparse.SUPPRESS
    )  # what the sanitizer is started with
    given = parser.parse_args()
    if given.run:
        return run_kernels(given.run)
    if missing := requirements():
        print(f"gpu_sanitizer.py cannot run here: {missing}", file=sys.stderr)
        return 1
    end = time.monotonic() + 60 * given.minutes
    listed = programs(given.only)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        tasks = [
            [pool.submit(lambda p=p, t=t: watch(p, t, end - time.monotonic())) for t in given.tools]
            for p in listed
        ]
        rows = [[task.result() for task in row] for row in tasks]
    text = table(listed, given.tools, rows)
    print(text)
    if given.output:
        given.output.write_text(f"{gpu.device_name()}, CUDA {gpu.driver_version()}\n\n{text}")
    return int(any(said not in ("clean", "no time") for row in rows for said, _ in row))


def table(listed: list[Program], tools: list[str], rows: list[list[tuple[str, str]]]) -> str:
    lines = ["| program | " + " | ".join(tools) + " |", "|" + " --- |" * (len(tools) + 1)]
    details = []
    for program, row in zip(listed, rows, strict=True):
        lines.append("| " + " | ".join([program.title, *(said for said, _ in row)]) + " |")
        details += [
            f"{program.title}, {tool}:\n{text}" for tool, (_, text) in zip(tools, row, strict=True) if text
        ]
    return "\n".join([*lines, "", *details]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
