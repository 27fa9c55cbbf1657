"""NVRTC's code for the benchmark kernels, examined without a GPU: registers and spills from ptxas, and counts
of machine instructions in the main loop. One table; `--write` keeps it in docs/simt.md.

Needs NVRTC and nvdisasm (in the wheel nvidia-cuda-nvdisasm, or the CUDA toolkit's), but no GPU."""

from __future__ import annotations

import argparse
import functools
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pycuda_tile as pct

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "simt.md"
ARCHS = ("sm_75", "sm_80", "sm_90a")


class Example(NamedTuple):
    """A kernel of benchmarks/kernels, as a table names it and as a module does."""

    title: str
    source: str
    kernel: str
    loops: bool = False  # over tiles; else the whole kernel is counted
    since: int = 70  # compute capability
    warps: int = 8  # wanted at the same time on a multiprocessor


# Half of what a multiprocessor can hold, where memory takes the time and threads have little of it under way.
STREAMING = {"warps": 32}
FP8 = "__nv_fp8_e4m3"
KERNELS = (
    Example("copy", "elementwise", "copy<1024>", **STREAMING),
    Example("vector add", "elementwise", "vector_add<1024>", **STREAMING),
    Example("bias + GELU", "elementwise", "bias_gelu<1024>", **STREAMING),
    Example("softmax", "rows", "softmax<1024>", **STREAMING),
    Example("layer norm", "rows", "layer_norm<1024>", **STREAMING),
    Example("partial sums", "rows", "partial_sum<1024>", **STREAMING),
    Example("sum", "rows", "sum<4096, 1>", **STREAMING),
    Example("sums of rows", "rows", "row_sum<16, 256>", True, warps=16),
    Example("sums of columns", "rows", "column_sum<32, 128>", True, warps=16),
    Example("transpose", "movement", "transpose<64>", warps=16),
    Example("gather", "movement", "gather<16, 64>", **STREAMING),
    Example("histogram", "movement", "histogram<1024>", **STREAMING),
    Example("matmul f32", "matmul", "matmul<float, float, float, 64, 64, 32>", True, warps=16),
    Example("matmul bf16", "matmul", "matmul<__nv_bfloat16, float, __nv_bfloat16, 128, 128, 64>", True, 80),
    Example("matmul f16", "matmul", "matmul<__half, float, __half, 128, 128, 64>", True),
    Example("matmul s8", "matmul", "matmul<signed char, int, int, 128, 128, 64>", True),
    Example("matmul f64", "matmul", "matmul<double, double, double, 64, 64, 16>", True),
    Example(
        "a b^T s8", "products", "matmul_transposed<signed char, signed char, int, int, 128, 128, 64>", True
    ),
    Example("a b^T tf32", "products", "matmul_transposed<float, __nv_tf32, float, float, 128, 64, 32>", True),
    Example("a b^T fp8", "products", f"matmul_transposed<{FP8}, {FP8}, float, float, 128, 128, 64>", True),
    Example("ab tf32", "products", "matmul_converted<float, __nv_tf32, float, float, 128, 64, 32>", True, 90),
    Example("ab fp8", "products", f"matmul_converted<{FP8}, {FP8}, float, float, 128, 128, 64>", True, 90),
    Example("batched f16", "products", "matmul_batched<__half, float, 4, 32, 64, 32>", True),
    Example("attention bf16", "attention", "attention<__nv_bfloat16, 64, 64, 64>", True, 80),
)

# Columns: which instructions of the main loop are counted in each.
COUNTED = {
    "barriers": r"BAR\.SYNC",
    "LDG.128": r"LDG\.\S*\.128",
    "LDG.64": r"LDG\.\S*\.64",
    "LDG other": r"LDG\.(?!\S*\.(128|64))",
    "STG.128": r"STG\.\S*\.128",
    "STG other": r"STG\.(?!\S*\.128)",
    "LDS": r"LDS(?!M)",
    "LDSM": r"LDSM",
    "STS": r"STS",
    "shuffles": r"SHFL",
    "matrix": r"(HMMA|QMMA|OMMA|HGMMA|IMMA|IGMMA|QGMMA|DMMA)\b",
    "FMA": r"(FFMA|DFMA|IMAD)\b",
}


class Multiprocessor(NamedTuple):
    """What one can hold: "Technical Specifications per Compute Capability" of the CUDA programming guide."""

    warps: int
    blocks: int
    shared_bytes: int
    reserved_bytes: int  # reserved in each block's shared memory


MULTIPROCESSORS = {
    75: Multiprocessor(32, 16, 64 * 1024, 0),
    80: Multiprocessor(64, 32, 164 * 1024, 1024),
    90: Multiprocessor(64, 32, 228 * 1024, 1024),
}
# For other threads, for matrix instructions, for copies.
WAIT = r"BAR\.SYNC|WARPGROUP\.DEPBAR|DEPBAR|SYNCS"


class Evidence(NamedTuple):
    """Of one kernel on one architecture."""

    threads: int
    registers: int
    shared_bytes: int
    spilled_bytes: int
    warnings: int  # of ptxas that it serialised matrix instructions (C75xx)
    instructions: int
    counts: dict[str, int]
    early_loads: float  # share of the main loop's global loads that precede its last wait; 1 without loads

    def blocks(self, arch: str) -> int:
        """How many blocks a multiprocessor holds at the same time."""
        has = MULTIPROCESSORS[compute_capability(arch)]
        warps = self.threads // 32
        # Each quarter has 16384 registers, which are given to warps by 256.
        by_registers = 4 * (16384 // (32 * -(-self.registers // 8) * 8)) // warps
        by_memory = has.shared_bytes // (self.shared_bytes + has.reserved_bytes or 1)
        return min(by_registers, by_memory, has.warps // warps, has.blocks)


def compute_capability(arch: str) -> int:
    return int(re.sub(r"\D", "", arch))


def find_nvdisasm() -> str | None:
    """The disassembler of the CUDA toolkit, or of NVIDIA's wheels beside this Python's packages."""
    if found := shutil.which("nvdisasm"):
        return found
    for folder in map(Path, sys.path):
        for path in sorted(folder.glob("nvidia/*/bin/nvdisasm")):
            return str(path)
    return None


@functools.cache
def _nvdisasm() -> str:
    if found := find_nvdisasm():
        return found
    sys.exit("nvdisasm is missing: install the wheel nvidia-cuda-nvdisasm or the CUDA toolkit")


def disassemble(cubin: bytes, symbol: str) -> list[str]:
    """The lines of one kernel: instructions, and labels that end in a colon."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = subprocess.run(
            [_nvdisasm(), "-c", file.name], capture_output=True, text=True, check=True
        ).stdout
    _, _, section = text.partition(f".section\t.text.{symbol},")
    section = re.split(r"\n\s*\.section\b", section)[0]  # the next one
    lines = (re.sub(r"/\*.*?\*/", "", line).strip() for line in section.split("\n"))
    return [line for line in lines if line.startswith(".L_") or line.endswith(";")]


def main_loop(lines: list[str]) -> list[str]:
    """The loop of most instructions, by its back edge; [] if there is none."""
    labels = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
    longest: list[str] = []
    for i, line in enumerate(lines):
        target = re.search(r"\bBRA\S*\s.*?\(?(\.L_\w+)", line)
        begin = labels.get(target[1], i) if target else i
        if begin < i and i - begin > len(longest):
            longest = lines[begin : i + 1]
    return longest


def count(lines: list[str]) -> dict[str, int]:
    opcodes = Counter(match[1] for line in lines if (match := re.match(r"(?:@\S+\s+)?(\S+)", line)))
    return {
        name: sum(n for opcode, n in opcodes.items() if re.match(pattern, opcode))
        for name, pattern in COUNTED.items()
    }


def early_loads(loop: list[str]) -> float:
    """The share of a loop's global loads that precede its last wait, so that they overlap with it."""
    opcodes = [match[1] if (match := re.match(r"(?:@\S+\s+)?(\S+)", line)) else "" for line in loop]
    loads = [i for i, opcode in enumerate(opcodes) if opcode.startswith("LDG")]
    waits = [i for i, opcode in enumerate(opcodes) if re.match(WAIT, opcode)]
    return sum(i < waits[-1] for i in loads) / len(loads) if loads and waits else 1.0


def examine(kernel: pct.Kernel, log: str, loops: bool) -> Evidence:
    """Of a kernel of target simt, counted in its main loop or in all of it. `log` is its module's."""
    symbol = re.search(r"Compiling entry function '(\w+)'", log)[1]
    lines = disassemble(kernel.binary, symbol)
    counted = main_loop(lines) if loops else lines
    spilled = sum(map(int, re.findall(r"(\d+) bytes spill stores", log)))
    return Evidence(
        kernel.attributes["threads"],
        kernel.attributes["registers"],
        kernel.attributes["shared_bytes"],
        spilled,
        len(re.findall(r"\bC75\d\d\b", log)),
        sum(line.endswith(";") for line in counted),
        count(counted),
        early_loads(counted) if loops else 1.0,
    )


def build(example: Example, arch: str, num_threads: int | None = None) -> Evidence:
    path = ROOT / "benchmarks" / "kernels" / f"{example.source}.cu"
    module = pct.build(path, target="simt", arch=arch, kernels=(example.kernel,), num_threads=num_threads)
    return examine(module.kernel(example.kernel), module.log, example.loops)


def table(archs: tuple[str, ...], only: str = "") -> str:
    titles = ["kernel", "arch", "T", "registers", "spilled", "shared", "blocks/SM", "instructions", *COUNTED]
    titles.append("early loads")
    rows = [titles, ["---"] * 2 + ["---:"] * (len(titles) - 2)]
    for example in KERNELS:
        for arch in archs:
            if only not in example.title or compute_capability(arch) < example.since:
                continue
            seen = build(example, arch)
            figures = [seen.threads, seen.registers, seen.spilled_bytes, seen.shared_bytes, seen.blocks(arch)]
            figures += [seen.instructions, *seen.counts.values()]
            early = f"{seen.early_loads:.0%}" if example.loops else "-"
            rows.append([example.title, arch, *map(str, figures), early])
    return "\n".join(map(line, rows)) + "\n"


def line(row: Iterable[str]) -> str:
    return "| " + " | ".join(row) + " |"


def keep_table(script: str, text: str) -> None:
    """In docs/simt.md, in place of the script's last one."""
    begin, end = f"<!-- made by {script} -->", "<!-- end -->"
    before, _, rest = DOCUMENT.read_text().partition(begin)
    DOCUMENT.write_text(f"{before}{begin}\n{text}{end}{rest.partition(end)[2]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", nargs="+", default=ARCHS, help="such as sm_80")
    parser.add_argument("--only", default="", help="kernels whose title contains this")
    parser.add_argument("--write", action="store_true", help="keep the table in docs/simt.md")
    arguments = parser.parse_args()
    text = table(tuple(arguments.arch), arguments.only)
    print(text)
    if arguments.write:
        keep_table("benchmarks/simt_evidence.py", text)


if __name__ == "__main__":
    main()
