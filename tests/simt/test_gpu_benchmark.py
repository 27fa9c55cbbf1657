"""benchmarks/gpu.py where there is no GPU: it says so, and makes cubins of the peer all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pycuda_tile import gpu

ROOT = Path(__file__).parents[2]


def _run(*arguments: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    script = str(ROOT / "benchmarks" / "gpu.py")
    return subprocess.run(
        [sys.executable, script, *arguments], env=environment, capture_output=True, text=True, timeout=300
    )


def test_without_a_gpu_it_says_what_is_missing():
    if gpu.compute_capability() is not None:
        pytest.skip("this machine has a GPU")
    done = _run()
    assert done.returncode == 1
    assert done.stderr.startswith("gpu.py cannot run here: there is no CUDA GPU")
    assert "Traceback" not in done.stderr


def test_it_explains_itself():
    done = _run("--help")
    assert done.returncode == 0 and "--make-peers" in done.stdout


def test_every_work_names_a_kernel_that_compiles(monkeypatch):
    pytest.importorskip("torch", reason="the work is described with PyTorch")
    pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import gpu_work

    import pycuda_tile as pct

    works = gpu_work.works()
    assert len({work.title for work in works}) == len(works)
    for work in works:
        path = ROOT / "benchmarks" / "kernels" / f"{work.source}.cu"
        kernel = pct.build(path, target="simt", arch="sm_90", kernels=(work.kernel,)).kernel(work.kernel)
        assert kernel.attributes["threads"] in (128, 256), work.title
