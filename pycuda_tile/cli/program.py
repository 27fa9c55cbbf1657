"""`pycuda-tile run PROGRAM.cu -- ARGUMENTS`: builds a CUDA program for the CPU and runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence

_SANITIZE = "-Xcompiler=-fsanitize=address,-fsanitize=undefined,-fno-omit-frame-pointer"


def run(words: Sequence[str]) -> int:
    """Returns the program's exit code, or 1 if it cannot be built."""
    from ..programs import driver

    end = words.index("--") if "--" in words else len(words)
    building, arguments = list(words[:end]), list(words[end + 1 :])
    tool = next((word for word in building if word in ("--debug", "--sanitize")), None)
    if tool:
        building.remove(tool)
        building += ["-g", "-G", "-O0"] if tool == "--debug" else ["-g", _SANITIZE]
    with tempfile.TemporaryDirectory(prefix="cuda_tile_run_") as folder:
        program = os.path.join(folder, os.path.splitext(os.path.basename(words[0]))[0])
        if code := driver.main([*building, "-o", program]):
            return code
        command = [program, *arguments]
        if tool == "--debug":
            if not (gdb := shutil.which("gdb")):
                print("pycuda-tile: --debug needs gdb, which is not installed", file=sys.stderr)
                return 1
            command = [gdb, "-q", "-ex", "start", "--args", *command]
        sys.stdout.flush()
        code = subprocess.run(command).returncode
    return code if code >= 0 else 128 - code
