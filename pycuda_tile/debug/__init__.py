"""Debugging kernels on the host with gdb, AddressSanitizer and UndefinedBehaviorSanitizer.

PYCUDA_TILE_DEBUG=1               kernels are built with -g -O0, and blocks run one at a time
PYCUDA_TILE_SANITIZE=address,...  kernels are built with -fsanitize=address,... -g

`pycuda-tile run --debug` and `--sanitize` set them (tools.py). gdb_printers.py is for gdb.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..compilers.toolchain import Compiler
from ..errors import BuildValueError, TargetUnavailable

GDB_PRINTERS = Path(__file__).with_name("gdb_printers.py")


def environment_flags() -> list[str]:
    """The compiler flags that the environment variables add."""
    flags = ["-g", "-O0"] if os.environ.get("PYCUDA_TILE_DEBUG") else []
    if sanitizers := os.environ.get("PYCUDA_TILE_SANITIZE"):
        flags += [f"-fsanitize={sanitizers}", "-g", "-fno-omit-frame-pointer"]
    return flags


def sanitizer_flags(flags: Sequence[str], compiler: Compiler) -> list[str]:
    """Additional compiler flags if the given ones enable sanitizers. Raises BuildValueError if loading
    kernels with these sanitizers would end this process."""
    asked = {
        name for flag in flags if flag.startswith("-fsanitize=") for name in flag.partition("=")[2].split(",")
    }
    if "thread" in asked:
        raise BuildValueError(
            "-fsanitize=thread does not understand the launcher's threads; checked=True finds races between "
            "blocks"
        )
    if "memory" in asked:
        raise BuildValueError(
            "-fsanitize=memory would have to instrument Python as well; checked=True finds "
            "uninitialised tiles"
        )
    if "address" in asked and compiler.kind == "zig":
        raise BuildValueError("zig has no -fsanitize=address: install g++ or clang++ for it")
    if "address" in asked and not hasattr(ctypes.CDLL(None), "__asan_init"):
        raise BuildValueError(
            "-fsanitize=address needs its runtime in the process from the start: run the script with"
            " `pycuda-tile run --sanitize SCRIPT.py`, or with LD_PRELOAD=$(g++ -print-file-name=libasan.so)"
        )
    if not asked or compiler.kind != "clang":
        return []
    runtime = find_runtime(compiler, "ubsan_standalone")  # clang expects it in the program, which is Python
    return ["-shared-libsan", f"-Wl,-rpath,{runtime.parent}"]


def find_runtime(compiler: Compiler, name: str) -> Path:
    """The compiler's shared library of a sanitizer runtime; raises TargetUnavailable if there is none."""
    names = [f"libclang_rt.{name}-{os.uname().machine}.so", f"libclang_rt.{name}.so"]
    for library in [f"lib{name}.so"] if compiler.kind == "gcc" else names:
        asked = [*compiler.command, f"-print-file-name={library}"]
        found = Path(subprocess.run(asked, capture_output=True, text=True).stdout.strip())
        if found.is_absolute() and found.exists():
            return found
    raise TargetUnavailable(
        f"{compiler.command[0]} has no shared library for its sanitizers: g++ has one; for clang, install "
        "libclang-rt-VERSION-dev"
    )
