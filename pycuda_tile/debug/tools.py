"""`pycuda-tile run` in gdb or with sanitizers, in a child process configured by environment variables."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..compilers import toolchain
from ..errors import TargetUnavailable
from . import GDB_PRINTERS, find_runtime

_RUN = [sys.executable, "-m", "pycuda_tile", "run"]
_SANITIZERS = "address,undefined"


def run_in_gdb(words: Sequence[str], kernels: Sequence[str]) -> int:
    """Runs `pycuda-tile run WORDS` in gdb, which stops in the given kernels; returns gdb's exit code. Without
    kernels, gdb starts nothing: the user sets breakpoints first, and types `run`."""
    gdb = shutil.which("gdb")
    if gdb is None:
        raise TargetUnavailable("--debug needs gdb: install it, on Debian with `apt install gdb`")
    commands = ["set breakpoint pending on", *(f"break {kernel}" for kernel in kernels)]
    if kernels:
        commands.append("run")
    arguments = [word for command in commands for word in ("-ex", command)]
    command = [gdb, "-q", "-x", str(GDB_PRINTERS), *arguments, "--args", *_RUN, *words]
    return _run(command, PYCUDA_TILE_DEBUG="1")


def run_sanitized(words: Sequence[str]) -> int:
    """Runs `pycuda-tile run WORDS` with AddressSanitizer and UBSan in kernels; returns its exit code."""
    runtime = asan_runtime()
    options = ":".join(filter(None, ["detect_leaks=0", os.environ.get("ASAN_OPTIONS")]))
    return _run(
        [*_RUN, *words],
        PYCUDA_TILE_SANITIZE=_SANITIZERS,
        LD_PRELOAD=str(runtime),
        ASAN_OPTIONS=options,  # Python frees little at exit, so leaks are not reported
    )


def asan_runtime() -> Path:
    """The shared library of the AddressSanitizer runtime of the compiler that builds kernels."""
    return find_runtime(toolchain.find_compiler(), "asan")


def _run(command: Sequence[str], **environment: str) -> int:
    try:
        return subprocess.run(command, env={**os.environ, **environment}, check=False).returncode
    except KeyboardInterrupt:
        return 130
