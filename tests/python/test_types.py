"""Type checkers find wrong uses of the package in a user's file, and nothing in right ones."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
import pycuda_tile as pct
from pycuda_tile import pictures, tileir

module = pct.build("text", target="cpu", kernels=["k"])
kernel = module.kernel("k")
x = np.zeros(4, np.float32)
kernel[1](x, 4)
kernel[1, 2](x, None, pct.ptr(x, 1))
kernel[np.int32(2), 2, 3](x)
kernel.launch(1, x, stream=None)
launch = kernel[4]
print(launch.kernel.name, launch.grid, kernel.parameters[0].dtype, module.kernels[0].params)
print(pct.bench(launch, x, bytes=x.nbytes).bytes_per_second, tileir.parse("").entries)
pct.show(pictures.partition_view(x, 2, 1)).save("a.svg")
pct.show((4, 4))
try:
    pct.reference.add(x, x)
except pct.CompileError as error:
    print(error.diagnostics[0].line + 1)

pct.biuld("text")  # wrong
kernel["a"]  # wrong
kernel[1, 2, 3, 4]  # wrong
kernel[1.5]  # wrong
kernel.launch("a", x)  # wrong
pct.build(3)  # wrong
pct.build("text", targt="cpu")  # wrong
module.kernels[0].nmae  # wrong
launch.gird  # wrong
pictures.partition_view(x, 2, 1, maksed=True)  # wrong
"""
WRONG = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")]

pytestmark = pytest.mark.wide


def output_of(*command: object) -> str:
    """What a checker printed; it is itself at fault if it ends by anything but 0 or 1."""
    done = subprocess.run([sys.executable, "-m", *map(str, command)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        pytest.skip(f"{command[0]} does not run here: {(done.stderr or done.stdout)[-300:]}")
    return done.stdout


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_mypy(program: Path, tmp_path: Path):
    pytest.importorskip("mypy", reason="needs mypy: the extra dev")
    options = ("--config-file=", f"--cache-dir={tmp_path / 'cache'}", "--follow-imports=silent", "-O=json")
    found = [json.loads(line) for line in output_of("mypy", *options, program).splitlines()]
    assert sorted({one["line"] for one in found if one["severity"] == "error"}) == WRONG, found


def test_pyright(program: Path):
    if find_spec("pyright") is None:
        pytest.skip("needs pyright: pip install pyright, which downloads node if there is none")
    text = output_of("pyright", "--outputjson", "--pythonpath", sys.executable, program)
    found = json.loads(text)["generalDiagnostics"]
    errors = {one["range"]["start"]["line"] + 1 for one in found if one["severity"] == "error"}
    assert sorted(errors) == WRONG, found
