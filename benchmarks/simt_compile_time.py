"""Seconds that NVRTC takes for each benchmark kernel of target simt, and the lines of its PTX. A build tries
several widths of a block if the first spills. One table, which `--write` keeps in docs/simt.md; needs NVRTC,
but no GPU."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import NamedTuple

from simt_evidence import KERNELS, ROOT, Example, compute_capability, keep_table, line

import pycuda_tile as pct
from pycuda_tile.targets.simt import compiling as simt

WANTED = 0.6
PHASES = ("Frontend", "Optimizer", "Translation")  # as NVRTC names them; the last one is ptxas
TITLES = ("kernel", "arch", "T", "tried", "front end", "optimizer", "ptxas", "seconds", "PTX lines")


class Times(NamedTuple):
    """Seconds of one build, of all its tries together."""

    threads: int
    tries: int
    phases: tuple[float, ...]
    ptx_lines: int

    @property
    def total(self) -> float:
        return sum(self.phases)


def build(example: Example, arch: str) -> Times:
    path = ROOT / "benchmarks" / "kernels" / f"{example.source}.cu"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "times.csv"
        options = (f"--time={file}",)
        module = pct.build(
            path, target="simt", arch=arch, kernels=(example.kernel,), cache=False, options=options
        )
        rows = [line.split(",") for line in file.read_text().splitlines() if line.rstrip().endswith("ms")]
    of_phase = [[float(row[2]) / 1000 for row in rows if row[1].endswith(phase)] for phase in PHASES]
    kernel = module.kernel(example.kernel)
    return Times(
        kernel.attributes["threads"], len(of_phase[0]), tuple(map(sum, of_phase)), kernel.ptx.count("\n")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", nargs="+", default=("sm_80", "sm_90a"), help="such as sm_80")
    parser.add_argument("--only", default="", help="kernels whose title contains this")
    parser.add_argument("--runs", type=int, default=3, help="the fastest of so many counts")
    parser.add_argument("--write", action="store_true", help="keep the table in docs/simt.md")
    arguments = parser.parse_args()
    examples = [example for example in KERNELS if arguments.only in example.title]
    if not examples:
        parser.error(f"no kernel has {arguments.only!r} in its title")
    build(examples[0], arguments.arch[0])  # loads the library
    lines = [line(TITLES), line(["---"] * 2 + ["---:"] * (len(TITLES) - 2))]
    print(*lines, sep="\n")
    above = 0
    for example in examples:
        for arch in arguments.arch:
            if compute_capability(arch) < example.since or not simt.compiles_for(arch):
                continue
            best = min((build(example, arch) for _ in range(arguments.runs)), key=lambda times: times.total)
            seconds = [f"{x:.2f}" for x in (*best.phases, best.total)]
            figures = [best.threads, best.tries, *seconds, best.ptx_lines]
            lines.append(line([example.title, arch, *map(str, figures)]))
            print(lines[-1], flush=True)
            above += best.total > WANTED
    print(f"\nmore than {WANTED} s: {above}")
    if arguments.write:
        keep_table("benchmarks/simt_compile_time.py", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
