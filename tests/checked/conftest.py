"""The kernels of violations.cu in a checked build."""

from pathlib import Path

import pytest

import pycuda_tile as pct

SOURCE = Path(__file__).parent / "violations.cu"


@pytest.fixture(scope="session")
def violations():
    kernels = tuple(f"short_extent<{extent}>" for extent in (8, 65535, 65536))
    return pct.build(SOURCE, target="cpu", checked=True, options=("-O1",), kernels=kernels)
