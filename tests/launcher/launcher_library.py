"""The CPU launcher built alone, with the kernels of kernels.cpp, and called through its C interface."""

from __future__ import annotations

import ctypes
import resource
import subprocess
import sys
import textwrap
from pathlib import Path

from pycuda_tile.compilers.toolchain import find_compiler

ROOT = Path(__file__).resolve().parents[2]
SUCCESS, INTERRUPTED, OUT_OF_RESOURCES, DIVERGENCE, INVALID = range(5)
POLL = ctypes.CFUNCTYPE(ctypes.c_int)


class Launcher:
    """Launches the kernels of kernels.cpp by name."""

    def __init__(self, folder: Path):
        self.library = ctypes.CDLL(str(folder / "launcher.so"))
        self.kernels = ctypes.CDLL(str(folder / "kernels.so"))

    def __call__(self, name, grid, *arrays, seed=0, poll=None):
        """Returns (status, message). The kernel's parameters point to `arrays`."""
        addresses = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        arguments = (ctypes.c_void_p * max(1, len(arrays)))(*map(ctypes.addressof, addresses))
        blocks = (ctypes.c_uint * 3)(*grid, *[1] * (3 - len(grid)))
        message = ctypes.create_string_buffer(512)
        kernel = ctypes.byref(ctypes.c_char.in_dll(self.kernels, f"kernel_{name}"))
        callback = POLL(poll) if poll else None
        status = self.library.cuda_tile_launch(
            kernel,
            arguments,
            blocks,
            ctypes.c_ulonglong(seed),
            callback,
            message,
            ctypes.c_uint(len(message)),
        )
        return status, message.value.decode()

    @property
    def workers(self):
        return self.library.cuda_tile_num_workers()

    @workers.setter
    def workers(self, count):
        self.library.cuda_tile_set_num_workers(ctypes.c_uint(count))


def build(folder: Path, *options: str) -> Path:
    """Compiles the launcher and the kernels into `folder`."""
    compiler = find_compiler()
    common = [
        "-std=c++20",
        "-O1",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-pthread",
        "-I",
        str(ROOT / "include"),
    ]
    together = folder / "together.cpp"
    files = sorted((ROOT / "lib").glob("*.cpp"))
    together.write_text("".join(f'#include "{file}"\n' for file in files))
    for name, sources in [
        ("launcher", [together]),
        ("kernels", [ROOT / "tests/launcher/kernels.cpp"]),
    ]:
        output = ["-o", str(folder / f"{name}.so")]
        result = compiler.run([*compiler.flags, *common, *options, *map(str, sources), *output])
        assert result.returncode == 0, result.stdout
    return folder


def run_alone(built, body: str) -> str:
    """Runs `body` in a fresh process, where `launch` is a Launcher; returns what it prints."""
    script = f"""
        import os, sys, numpy as np
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from launcher_library import Launcher
        launch = Launcher(Path({str(built)!r}))
    """
    program = textwrap.dedent(script) + textwrap.dedent(body)
    result = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120, cwd=ROOT
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
