"""python -m pycuda_tile.cutile SCRIPT [ARGUMENT ...]: runs a script of cuTile Python on the CPU."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from . import options
from .cupy_numpy import cupy_is_numpy
from .torch_cuda import cuda_is_cpu


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m pycuda_tile.cutile", description=__doc__)
    parser.add_argument("--checked", action="store_true", help="find undefined behaviour")
    parser.add_argument("--interpret", action="store_true", help="interpret kernels: exact and slow")
    parser.add_argument("script", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own")
    chosen = parser.parse_args()
    if not Path(chosen.script).exists():
        parser.error(f"{chosen.script}: there is no such file")
    sys.argv = [chosen.script, *chosen.arguments]
    sys.path.insert(0, str(Path(chosen.script).resolve().parent))
    with options(checked=chosen.checked, interpret=chosen.interpret), cuda_is_cpu(), cupy_is_numpy():
        runpy.run_path(chosen.script, run_name="__main__")


if __name__ == "__main__":
    main()
