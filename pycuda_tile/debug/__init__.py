"""Ordinary tools on kernels of the host: gdb, AddressSanitizer and UndefinedBehaviorSanitizer.

PYCUDA_TILE_DEBUG=1               kernels are built with -g -O0
PYCUDA_TILE_SANITIZE=address,...  kernels are built with -fsanitize=address,... -g

`pycuda-tile run --debug` and `--sanitize` set them (tools.py). gdb_printers.py is for gdb.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import BuildValueError

GDB_PRINTERS = Path(__file__).with_name("gdb_printers.py")


def environment_flags() -> list[str]:
    """What the environment adds to a compiler's flags."""
    flags = ["-g", "-O0"] if os.environ.get("PYCUDA_TILE_DEBUG") else []
    if sanitizers := os.environ.get("PYCUDA_TILE_SANITIZE"):
        flags += [f"-fsanitize={sanitizers}", "-g", "-fno-omit-frame-pointer"]
    return flags


def check_sanitizers(flags: Sequence[str]) -> None:
    """BuildValueError for sanitizers whose runtime this process lacks: loading the kernel would end it."""
    asked = {
        name for flag in flags if flag.startswith("-fsanitize=") for name in flag.partition("=")[2].split(",")
    }
    if "thread" in asked:
        raise BuildValueError(
            "-fsanitize=thread does not know the launcher's threads; races between blocks are found by"
            " checked=True"
        )
    if "address" in asked and not hasattr(ctypes.CDLL(None), "__asan_init"):
        raise BuildValueError(
            "-fsanitize=address needs its runtime in the process from the start: run the script with"
            " `pycuda-tile run --sanitize SCRIPT.py`, or with LD_PRELOAD=$(g++ -print-file-name=libasan.so)"
        )
