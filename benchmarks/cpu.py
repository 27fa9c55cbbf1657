"""Our kernels on the CPU compared with PyTorch and NumPy: one table, one process, in turn on all cores.

speed = peer's time / our time, the median of the rounds' ratios, with their quartiles.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from compile_time import SOURCES, build_for_host, instances
from interleaved import ROUNDS, SPREAD, Comparison, compare, seconds
from overhead import ROOT, features, machine

try:
    import torch
except ImportError:
    sys.exit("benchmarks/cpu.py compares with PyTorch: pip install torch")

from cpu_products import attention, matmul_bfloat16, matmul_float, matmul_int8, matmul_numpy
from cpu_work import (
    MI,
    Kernels,
    Work,
    bias_gelu,
    gather,
    histogram,
    layer_norm,
    partial_sum,
    softmax,
    sum_of_all,
    ten_steps,
    transpose,
    vector_add,
    vector_add_numpy,
)

RESULTS = ROOT / "benchmarks" / "results"
README = ROOT / "README.md"
WHOLE_TABLE = ROOT / "docs" / "speed.md"
# First words of the rows for the README, which show what tiles are for.
IN_README = (
    "layer norm",
    "fused bias",
    "ten element-wise steps",
    "partial sums",
    "transpose",
    "matmul float, n = 2048",
    "causal attention 1x8x1024x64 float",
    "atomic histogram",
)
BEGIN, END = "<!-- begin: made by benchmarks/cpu.py -->", "<!-- end -->"
LOADED = 0.3  # of the cores busy with other work before the run


def all_work(arch: str) -> Iterator[Work]:
    """What is wanted of products depends on what multiplies: libraries are at the limit of wide units."""
    known = features() if arch == "native" else ""
    of_floats, of_bfloat16 = 0.95 if "avx512f" in known else 1.0, 0.8 if "amx_bf16" in known else 0.9
    floats = 4 * 16 * MI
    rows = 4 * 4 * MI
    yield Work("vector add, 16 Mi float", "torch.add(out=)", 1.0, vector_add, 3 * floats)
    yield Work("row softmax, 4096x1024 float", "torch.softmax", 1.0, softmax, 2 * rows)
    yield Work("layer norm, 4096x1024 float", "torch layer_norm", 1.0, layer_norm, 2 * rows)
    yield Work("fused bias + GELU (tanh), 4096x4096 float", "torch add_, gelu", 1.5, bias_gelu, 2 * floats)
    yield Work("ten element-wise steps, 16 Mi float", "torch, ten calls in place", 4.0, ten_steps, 2 * floats)
    yield Work("sum, 16 Mi float", "torch.sum", 1.0, sum_of_all, floats)
    yield Work("partial sums of rows, 4096x1024 float", "torch.cumsum", 1.0, partial_sum, 2 * rows)
    yield Work("transpose, 4096x4096 float", "torch copy_ of t()", 1.0, transpose, 2 * floats)
    for n in (512, 1024, 2048):
        yield Work(f"matmul float, n = {n}", "torch.mm", of_floats, matmul_float(n))
    for n in (1024, 2048):
        yield Work(f"matmul bf16, float sums, n = {n}", "torch.mm", of_bfloat16, matmul_bfloat16(n))
    yield Work("matmul int8 to int32, n = 1024", "torch._int_mm", 1.0, matmul_int8)
    sdpa = "torch scaled_dot_product_attention"
    yield Work("causal attention 1x8x1024x64 float", sdpa, 1.0, attention("float", torch.float32, 1e-5))
    yield Work(
        "causal attention 1x8x1024x64 bf16", sdpa, 1.0, attention("__nv_bfloat16", torch.bfloat16, 1e-2)
    )
    yield Work("gather, 4 Mi rows of 64 B", "torch.index_select", 1.0, gather, 2 * 64 * 4 * MI)
    yield Work("atomic histogram, 16 Mi int, 256 bins", "torch.bincount", 1.0, histogram, floats)
    yield Work("vector add, 16 Mi float", "np.add(out=)", None, vector_add_numpy, 3 * floats)
    yield Work("matmul float, n = 1024", "np.matmul(out=)", None, matmul_numpy(1024))


class Row(NamedTuple):
    work: Work
    result: Comparison
    config: object

    @property
    def verdict(self) -> str:
        notes = []
        if self.work.target is not None and self.result.speed < self.work.target:
            notes.append("below target")
        if not self.result.is_conclusive:
            notes.append("inconclusive")
        if self.result.rounds < ROUNDS:
            notes.append(f"rounds: {self.result.rounds}")
        return ", ".join(notes)


def measure(work: Work, kernels: Kernels) -> Row:
    pair = work.prepare(kernels)
    pair.ours()
    pair.check()
    return Row(work, compare(pair.ours, pair.peer), pair.config)


def copy_bandwidth() -> float:
    """Bytes read and written per second by all cores."""
    source, to = torch.ones(1 << 24), torch.empty(1 << 24)
    return 2 * 4 * source.numel() / median(seconds(lambda: to.copy_(source), 3) for _ in range(ROUNDS))


def build_seconds() -> tuple[float, float, str]:
    """Seconds of cold builds of the examples: the median, the longest, and which example that is."""
    taken = {}
    for path in SOURCES:
        instances(path)  # imports the example
        start = time.perf_counter()
        build_for_host(path)
        taken[path.stem] = time.perf_counter() - start
    slowest = max(taken, key=taken.get)
    return median(taken.values()), taken[slowest], slowest


# ---- what is shown -----------------------------------------------------------------------------------


#: What keeps the peers to the instructions of an architecture, so that they are those of such a machine.
#: torch.compile keeps its code by a key that does not hold ATEN_CPU_CAPABILITY.
LIKEWISE = {
    "x86-64-v3": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
        "TORCHINDUCTOR_CACHE_DIR": f"{tempfile.gettempdir()}/torchinductor_x86-64-v3",
    }
}


def describe(arch: str, load: float) -> str:
    busy = load > LOADED * len(os.sched_getaffinity(0))
    state = f"loaded machine ({load:.1f} other processes): figures are rough" if busy else "quiet machine"
    march = f"-march={arch}{', the peers likewise' * (arch in LIKEWISE)}"
    return f"{machine()}; {features()}; PyTorch {torch.__version__}; {march}; {state}"


def text_line(row: Row) -> str:
    work, result = row.work, row.result
    target = "" if work.target is None else f"{work.target:g}"
    rate = f"{work.moved / result.ours / 1e9:.1f}" if work.moved else ""
    figures = f"{target:>6} {result.speed:6.2f} {result.low:6.2f} {result.high:6.2f}"
    times = f"{result.ours * 1e3:8.2f} {result.peers * 1e3:8.2f} {rate:>6}"
    return f"{work.name:<43} {work.peer:<35} {figures} {times}  {row.config!s:<16} {row.verdict}".rstrip()


TEXT_HEAD = (
    f"{'work':<43} {'peer':<35} {'target':>6} {'speed':>6} {'q1':>6} {'q3':>6} {'ours ms':>8} {'peer ms':>8} "
    f"{'GB/s':>6}  tile"
)


def markdown(rows: list[Row], description: str, footer: list[str], goals: bool) -> str:
    """A table, with a column of the project's own goals if `goals`."""
    lines = [
        "Speed = the peer's time / ours (2: twice as fast), median of interleaved rounds, and quartiles.",
        "",
        f"| work | peer | {'wanted | ' * goals}speed | ours, ms |",
        f"|---|---|{'---|' * goals}---|---|",
    ]
    for row in rows:
        target = "" if row.work.target is None else f"{row.work.target:g}"
        speed = f"{row.result.speed:.2f} ({row.result.low:.2f} to {row.result.high:.2f})"
        if not row.result.is_conclusive:
            speed += ", inconclusive"
        lines.append(
            f"| {row.work.name} | {row.work.peer} | {f'{target} | ' * goals}{speed} | "
            f"{row.result.ours * 1e3:.2f} |"
        )
    lines += ["", *(f"- {line}." for line in footer), f"- {description}."]
    return "\n".join(lines)


def replace_between_markers(path: Path, text: str) -> None:
    old = path.read_text(encoding="utf-8")
    if BEGIN not in old or END not in old:
        sys.exit(f"{path}: the markers {BEGIN} and {END} are missing")
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    path.write_text(
        re.sub(pattern, lambda _: f"{BEGIN}\n\n{text}\n\n{END}", old, flags=re.S), encoding="utf-8"
    )


def run(kernels: Kernels, only: str, write: bool) -> None:
    arch = kernels.arch
    description = describe(arch, os.getloadavg()[0])
    lines = [description, f"{ROUNDS} rounds; inconclusive: quartiles more than {SPREAD:.0%} apart", TEXT_HEAD]
    print("\n".join(lines))
    rows = []
    for work in all_work(arch):
        if only not in f"{work.name} {work.peer}":
            continue
        rows.append(measure(work, kernels))
        print(text_line(rows[-1]), flush=True)
    footer = []
    if not only:
        middle, longest, slowest = build_seconds()
        footer = [
            f"Copy bandwidth of this machine, all cores: {copy_bandwidth() / 1e9:.1f} GB/s read and written",
            f"Cold build of an example kernel: median {middle:.2f} s (wanted: under 2), "
            f"longest {longest:.2f} s ({slowest}; wanted: under 5)",
        ]
        print("\n".join(footer))
    if write:
        name = "cpu.txt" if arch == "native" else f"cpu_{arch}.txt"
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / name).write_text("\n".join([*lines, *map(text_line, rows), *footer]) + "\n")
        if arch == "native":
            replace_between_markers(WHOLE_TABLE, markdown(rows, description, footer, goals=True))
            shown = [row for row in rows if row.work.name.startswith(IN_README)]
            replace_between_markers(README, markdown(shown, description, [], goals=False))


def run_tiles(arch: str, only: str, write: bool) -> None:
    """The second table."""
    import cpu_tiles

    description = describe(arch, os.getloadavg()[0])
    print(description)
    lines = cpu_tiles.run(arch, only)
    if write:
        RESULTS.mkdir(exist_ok=True)
        name = "cpu_tiles.txt" if arch == "native" else f"cpu_tiles_{arch}.txt"
        (RESULTS / name).write_text("\n".join([description, *lines]) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name or peer holds TEXT")
    parser.add_argument("--march", default="native", help="as the compiler's -march (default: native)")
    parser.add_argument(
        "--tune", action="store_true", help="choose tile sizes anew, not as an earlier run did"
    )
    parser.add_argument(
        "--write", action="store_true", help="keep the table: benchmarks/results, docs/speed.md, README.md"
    )
    parser.add_argument("--growth", action="store_true", help="time against size, as pictures in docs/")
    parser.add_argument(
        "--tiles",
        action="store_true",
        help="the second table: tile sizes of code for GPUs, beside torch.compile",
    )
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write keeps the whole table: leave out --only")
    limits = LIKEWISE.get(options.march, {})
    if not limits.items() <= os.environ.items():  # libraries read these when they are loaded
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **limits})
    if options.tiles:
        run_tiles(options.march, options.only, options.write)
        return
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    np.random.seed(0)
    kernels = Kernels(options.march, tuning=str(time.time()) if options.tune else "")
    if options.growth:
        from cpu_growth import draw

        draw(kernels, describe(kernels.arch, os.getloadavg()[0]))
    else:
        run(kernels, options.only, options.write)


if __name__ == "__main__":
    main()
