"""The versions of clang that the open front end is tested with besides the one that the tests bring: those of
ziglang packages, which pip fetches."""

from __future__ import annotations

import fcntl
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ZIGLANG = {"19": "0.14.1", "20": "0.15.2", "21": "0.16.0"}  # by their versions of clang


def command(clang: str, folder: Path) -> str:
    """What PYCUDA_TILE_CXX is for this clang, which is kept in `folder`; skips the test if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    root = folder / ZIGLANG[clang]
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # only one of the test processes that run at once fetches
        if not root.exists():
            _fetch(f"ziglang=={ZIGLANG[clang]}", folder / "unfinished")
            (folder / "unfinished").rename(root)
    return shlex.join([str(root / "ziglang" / "zig"), "c++"])


def _fetch(package: str, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # left over from an interrupted test run
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "--target", folder, package], capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        pytest.skip(f"needs {package}, which cannot be fetched: {reason}")
