"""python -m pycuda_tile.cutile SCRIPT [ARGUMENT ...]: runs a script of cuTile Python on the CPU.

-m MODULE [ARGUMENT ...] in its place runs a module, such as pytest.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from . import options
from .cupy_numpy import cupy_is_numpy
from .torch_cuda import cuda_is_cpu


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m pycuda_tile.cutile",
        usage="%(prog)s [-h] [--checked] [--interpret] (SCRIPT | -m MODULE) [ARGUMENT ...]",
        description=__doc__.partition(": ")[2],
    )
    parser.add_argument("--checked", action="store_true", help="find undefined behaviour")
    parser.add_argument("--interpret", action="store_true", help="interpret kernels: exact and slow")
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="a module, and its own arguments")
    parser.add_argument("script", nargs="?", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own")
    chosen = parser.parse_args()
    if not chosen.module and chosen.script is None:
        parser.error("expected a script, or -m and a module")
    if not chosen.module and not Path(chosen.script).exists():
        parser.error(f"{chosen.script}: there is no such file")
    with options(checked=chosen.checked, interpret=chosen.interpret), cuda_is_cpu(), cupy_is_numpy():
        if chosen.module:
            sys.argv = chosen.module  # whose first item runpy replaces
            runpy.run_module(chosen.module[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = [chosen.script, *chosen.arguments]
            sys.path.insert(0, str(Path(chosen.script).resolve().parent))
            runpy.run_path(chosen.script, run_name="__main__")


if __name__ == "__main__":
    main()
