"""A loop over any math function of the host becomes vector code, according to the compilers' reports."""

from __future__ import annotations

import platform
import re

import pytest

from pycuda_tile.compilers import toolchain
from pycuda_tile.system import resources

UNARY = [
    "ceil", "floor", "exp2", "exp", "log2", "log", "sqrt", "rsqrt", "cosh", "sinh", "tanh",
    "cos_of_moderate", "sin_of_moderate", "tan_of_moderate",
]  # fmt: skip
BINARY = ["pow", "atan2"]
FLAGS = ["-std=c++20", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-c"]
_CLANG = ["-Rpass=loop-vectorize", "-Rpass-missed=loop-vectorize"]
REPORT = {"gcc": ["-fopt-info-vec-optimized"], "clang": _CLANG, "zig": _CLANG}
VECTORIZED = r"(?:optimized|remark): (?:loop )?vectorized"
# Two doubles at once: clang++ 23 could vectorise all loops but considers some unprofitable.
JUDGED = {"x86-64-v2": r"remark: the cost-model indicates that vectorization is not beneficial"}


def _loops() -> list[str]:
    lines = []
    for type in ("float", "double"):
        for name in [*UNARY, *BINARY]:
            parameters = f"{type}* __restrict out, const {type}* x, const {type}* y"
            call = f"{name}(x[i]{', y[i]' if name in BINARY else ''})"
            loop = f"for (int i = 0; i < 4096; ++i) out[i] = cuda::tiles::platform::{call};"
            lines.append(f"void {name}_{type}({parameters}) {{ {loop} }}")
    return lines


@pytest.mark.parametrize("arch", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_every_loop_is_vectorized(arch: str, tmp_path) -> None:
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("the compiler makes code for another processor than x86-64")
    loops = _loops()
    source = tmp_path / "loops.cpp"
    source.write_text('#include "cuda_tile/platform/math.h"\n' + "\n".join(loops) + "\n")
    compiler = toolchain.find_compiler()
    command = [*FLAGS, f"-march={arch}", f"-I{resources.include_dir()}", *REPORT[compiler.kind], str(source)]
    done = compiler.run([*compiler.flags, *command, "-o", str(tmp_path / "loops.o")])
    assert done.returncode == 0, done.stdout
    accepted = "|".join([VECTORIZED, *([JUDGED[arch]] if arch in JUDGED else [])])
    said = re.findall(rf"loops\.cpp:(\d+):\d+: (?:{accepted})", done.stdout)
    missing = [loop for line, loop in enumerate(loops, start=2) if str(line) not in said]
    assert not missing, f"{compiler} leaves these loops as they are:\n" + "\n".join(missing)
