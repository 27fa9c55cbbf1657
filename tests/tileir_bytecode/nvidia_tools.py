"""NVIDIA's tools of Tile IR, where they are installed; tests that need one are skipped elsewhere."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.targets.tile.compiling import find_tileiras


@functools.cache
def folder() -> Path:
    """Where tileiras and the disassembler are."""
    try:
        return Path(find_tileiras()).parent
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))


def disassembler() -> Path:
    """Verifies a module that it reads."""
    tool = folder() / "tileirdisasm"
    if not tool.exists():
        pytest.skip(f"there is no disassembler beside tileiras: {tool}")
    return tool


def disassembled(data: bytes, where: Path, *options: str) -> str:
    """The text of a module in the binary form; `where` is a folder for a file."""
    path = where / "m.tileir"
    path.write_bytes(data)
    done = subprocess.run([disassembler(), *options, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
