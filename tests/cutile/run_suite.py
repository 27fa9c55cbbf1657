#!/usr/bin/env python3
"""Runs a checkout of cuTile Python's own pytest suite on the CPU.

python tests/cutile/run_suite.py --suite DIR [PYTEST_ARGUMENT ...]

DIR is the suite's folder `test`; `--cases 4` runs at most four cases of each test, `--checked` and
`--interpret` launch in these ways. PyTorch's device "cuda" is the CPU, and cuda.tile.launch is
pycuda_tile.cutile's. A test whose subject is the GPU itself (streams, graphs, its compiler's versions and
caches) fails or is skipped here.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True, help="the suite's folder")
    chosen, arguments = parser.parse_known_args()
    if not (chosen.suite / "conftest.py").exists():
        parser.error(f"{chosen.suite}: there is no conftest.py, so it is not the suite's folder")
    os.chdir(chosen.suite)
    sys.path[:0] = [str(Path(__file__).resolve().parent), str(chosen.suite.resolve())]
    import pytest

    options = ["-p", "suite_plugin", "-p", "no:cacheprovider"]
    if importlib.util.find_spec("pytest_benchmark") is None:  # the suite's settings name its options
        options += ["-o", "addopts=", "-o", "python_files=test_*.py"]
    return pytest.main([*options, *arguments])


if __name__ == "__main__":
    sys.exit(main())
