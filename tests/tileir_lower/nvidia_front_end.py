"""Compiles sources with NVIDIA's front end."""

from __future__ import annotations

from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile import tileir


def tile_ir(source: str | Path, *kernels: str) -> tileir.Module:
    """The Tile IR of the source's kernels, or of these instances of its templates."""
    try:
        built = pct.build(source, target="tile", arch="sm_90", kernels=kernels, options=("--fmad=false",))
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))  # it names the package that is not installed
    return tileir.read_bytecode(built.kernel(kernels[0] if kernels else built.kernels[0].name).tileir)
