"""A CUDA driver without a GPU (fake_driver.cpp). It shows which functions Python calls, in which order, and
how long that takes. No kernel runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from pycuda_tile.compilers import toolchain

HERE = Path(__file__).resolve().parent


def build(folder: Path) -> None:
    """Compiles the library, libcuda.so.1, into `folder`."""
    from cuda.bindings import driver

    source = HERE / "fake_driver.cpp"
    written = set(re.findall(r"^int (cu\w+)\(.*\{", source.read_text(), re.MULTILINE)) | {"cuLaunchKernel"}
    names = {name for name in dir(driver) if re.match(r"cu[A-Z]", name) and callable(getattr(driver, name))}
    rest = names - written - {"cuGetProcAddress"}
    lines = [f"FUNCTION({name})\n" for name in sorted(rest)]
    lines += [f"WRITTEN({name})\n" for name in sorted(written - {"cuGetProcAddress_v2"})]
    (folder / "functions.inc").write_text("".join(lines))
    compiler = toolchain.find_compiler()
    arguments = ["-std=c++20", "-O1", "-w", "-shared", "-fPIC", f"-I{folder}", str(source)]
    done = compiler.run([*arguments, "-o", str(folder / "libcuda.so.1")])
    assert done.returncode == 0, done.stdout


def run(folder: Path, code: str, **environment: str) -> tuple[str, list[str]]:
    """Runs Python code in a process with this driver; returns its output and the driver's calls."""
    log = folder / "calls"
    variables = {
        **os.environ,
        "LD_LIBRARY_PATH": str(folder),
        "FAKE_CUDA_LOG": str(log),
        "PYTHONPATH": str(HERE.parents[1]),
        **environment,
    }
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, log.read_text().splitlines()
