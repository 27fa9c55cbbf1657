"""NVIDIA's Tile IR tools; tests that need one are skipped if it is not installed."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.targets.tile.assembling import find_tileiras


@functools.cache
def folder() -> Path:
    """The folder of tileiras and the disassembler."""
    try:
        return Path(find_tileiras()).parent
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))


def disassembler() -> Path:
    """The disassembler, which verifies every module that it reads."""
    tool = folder() / "tileirdisasm"
    if not tool.exists():
        pytest.skip(f"there is no disassembler beside tileiras: {tool}")
    return tool


def disassembled(data: bytes, where: Path, *options: str) -> str:
    """The text of a module in the binary form; `where` is a folder for a temporary file."""
    path = where / "m.tileir"
    path.write_bytes(data)
    done = subprocess.run([disassembler(), *options, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
