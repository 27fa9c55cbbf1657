"""The driver calls of a launch on a GPU, recorded by a fake driver: none that a capture into a CUDA graph
forbids, and only the launch itself from the second time on."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import fake_driver
import pytest

import pycuda_tile as pct

pytest.importorskip("cuda.bindings.driver", reason="needs cuda-python")
FOLDER = str(Path(__file__).parent)
SOURCE = """
#include "cuda_tile.h"
__tile_global__ void copy(const float* a, float* out, int n) { out[n] = a[n]; }
"""
PROGRAM = """
import pycuda_tile as pct
class Array:
    def __init__(self, address):
        self.__cuda_array_interface__ = {
            "shape": (4,), "typestr": "<f4", "data": (address, False), "version": 3, "stream": 7
        }
kernel = pct.build(SOURCE, target="simt", arch="sm_90").kernel("copy")
a, out = Array(0x1000), Array(0x2000)
def begin_of_launches():
    from cuda.bindings import driver
    driver.cuCtxSynchronize()  # marks the place in the list of calls
"""


@pytest.fixture(scope="module")
def driver_folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    fake_driver.build(folder)
    return folder


@pytest.fixture(scope="module")
def driver(driver_folder):
    """A function that runs code with the driver and returns its calls from the first launch on."""
    try:
        pct.build(SOURCE, target="simt", arch="sm_90")
    except pct.TargetUnavailable as missing:
        pytest.skip(str(missing))

    def run(code: str, **environment: str) -> list[str]:
        program = f"SOURCE, FOLDER = {SOURCE!r}, {FOLDER!r}\n{PROGRAM}\nbegin_of_launches()\n{code}"
        _, calls = fake_driver.run(driver_folder, program, **environment)
        return calls[calls.index("cuCtxSynchronize") + 1 :]

    return run


def _launch(grid: int, stream: int | str) -> str:
    return f"cuLaunchKernel ce grid {grid} 1 1 block 128 1 1 shared 0 stream {stream} first 1000"


def test_the_first_launch_loads_and_the_next_only_launch(driver):
    calls = driver("for grid in (1, 2, 3): kernel[grid](a, out, 1)")
    assert calls[-3:] == [_launch(1, 7), _launch(2, 7), _launch(3, 7)]
    assert [call for call in calls[:-3] if "Launch" in call] == []
    assert calls.count("cuLibraryLoadData") == 1


def test_kernels_of_a_module_are_loaded_together(driver):
    """So they share its variables."""
    calls = driver("""
other = "__tile_global__ void other(const float* a, float* out, int n) { out[n] = -a[n]; }"
module = pct.build(SOURCE + other, target="simt", arch="sm_90")
for name in ("copy", "other", "copy"):
    module[name][1](a, out, 1)
""")
    assert [call for call in calls if call.startswith("cuLaunchKernel")] == [_launch(1, 7)] * 3
    assert (calls.count("cuLibraryLoadData"), calls.count("cuLibraryGetKernel")) == (1, 2)


def test_loading_is_allowed_while_a_stream_is_captured(driver):
    """All code is loaded in the relaxed mode of captures, and the thread's own mode is restored."""
    calls = driver("kernel[1](a, out, 1)")
    relaxed, restored = (i for i, call in enumerate(calls) if call.startswith("cuThreadExchange"))
    assert calls[relaxed].endswith(" 2") and calls[restored].endswith(" 0")
    loading = ["cuLibraryLoadData", "cuLibraryGetKernel", "cuKernelGetFunction"]
    assert [call for call in calls[relaxed:restored] if call in loading] == loading
    assert calls[restored + 1 :] == [_launch(1, 7)]


def test_a_thread_without_a_context_gets_one(driver):
    calls = driver("kernel[1](a, out, 1)", FAKE_CUDA_NO_CONTEXT="1")
    assert "cuDevicePrimaryCtxRetain" in calls and calls[-1] == _launch(1, 7)


def test_a_graph_builder_of_cuda_core_is_a_stream(driver):
    if importlib.util.find_spec("cuda.core") is None:
        pytest.skip("needs cuda-core")
    calls = driver("""
class Builder:  # as cuda.core's are
    def __cuda_stream__(self):
        return 0, 9
kernel.launch(2, a, out, 1, stream=Builder())
""")
    assert calls[-1] == _launch(2, 9)


def test_tensors_are_launched_without_python(driver):
    pytest.importorskip("torch", reason="needs PyTorch")
    calls = driver("""
import sys
sys.path.append(FOLDER)
import fake_tensors
try:
    a, out = fake_tensors.make(0x1000, (4,), device=1), fake_tensors.make(0x2000, (4,))
except (RuntimeError, AssertionError):  # a PyTorch without CUDA
    sys.exit()
fake_tensors.give_streams()
one, two = kernel[1], kernel[2]
one(a, out, 1)  # loads it
kernel._executable.launcher._start = None
one(a, out, 1)
two(a, out, 1)
kernel[3](a, out, 1)
kernel.launch(4, a, out, 1, stream=5)
""")
    if not calls:
        pytest.skip("this PyTorch has no CUDA tensors")
    streams = [(1, 0x71), (1, 0x71), (2, 0x71), (3, 0x71), (4, 5)]
    assert calls[-5:] == [_launch(grid, f"{stream:x}") for grid, stream in streams]


def test_the_benchmark_runs_without_a_gpu(driver, driver_folder, tmp_path):
    pytest.importorskip("cuda.core", reason="needs cuda-core")
    if pytest.importorskip("torch", reason="needs PyTorch").version.cuda is None:
        pytest.skip("this PyTorch has no CUDA tensors")
    script = Path(__file__).parents[2] / "benchmarks" / "launch_gpu.py"
    command = [sys.executable, script, "--python-only", driver_folder, "--json", tmp_path / "results"]
    environment = {**os.environ, "PYTHONPATH": str(script.parents[1])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results").read_text())["results"]
    assert len(results) == 8 and all(result["ours"] > 0 < result["cuda.core"] for result in results)


def test_autotune_takes_times_with_events(driver, tmp_path):
    """The driver's launches take one millisecond per thread of a block, so 64 is the fastest."""
    calls = driver(
        """
make = lambda c: pct.build(SOURCE, target="simt", arch="sm_90", num_threads=c["num_threads"])["copy"][5]
configs = [{"num_threads": n} for n in (128, 64, 256)]
chosen = pct.autotune(make, configs, args=(a, out, 1), key="copy")
assert chosen == configs[1], chosen
assert pct.autotune(make, configs, args=(a, out, 1), key="copy") == chosen  # remembered
""",
        PYCUDA_TILE_CACHE_DIR=str(tmp_path / "cache"),
    )
    records = [call for call in calls if call.startswith("cuEventRecord")]
    assert set(records) == {"cuEventRecord stream 7"} and len(records) % 2 == 0
    launched = [call for call in calls if call.startswith("cuLaunchKernel")]
    assert {call.partition(" block ")[2].split()[0] for call in launched} == {"64", "128", "256"}
    assert calls.count("cuEventDestroy") == 2


# --- where a GPU is -----------------------------------------------------------------------------------------


@pytest.fixture
def torch():
    from pycuda_tile.launching import gpu

    if not gpu.is_usable():
        pytest.skip("no GPU is here")
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch uses no GPU")
    return torch


ADD_ONE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void add_one(float* x, int n) {
  ct::partition_view view{ct::tensor_span{x, ct::extents{n}}, ct::shape<128>{}};
  view.store_masked(view.load_masked(ct::bid().x) + 1.0f, ct::bid().x);
}
"""


@pytest.mark.parametrize("warm", [True, False], ids=["launched before", "first launch"])
def test_launches_are_captured_by_torch(torch, warm):
    kernel = pct.build(ADD_ONE, target="simt").kernel("add_one")
    x = torch.zeros(1000, device="cuda")
    if warm:
        kernel[8](x, 1000)
        x.zero_()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(3):
            kernel[8](x, 1000)
    torch.cuda.synchronize()
    assert (x == 0).all()  # captured, not run
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    assert (x == 15).all()


def test_launches_are_captured_by_cuda_core(torch):
    core = pytest.importorskip("cuda.core", reason="needs cuda-core")
    if not hasattr(core, "Device"):
        pytest.skip("this cuda-core is older than 0.5")
    kernel = pct.build(ADD_ONE, target="simt").kernel("add_one")
    x = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    device = core.Device()
    device.set_current()
    stream = device.create_stream()
    builder = stream.create_graph_builder().begin_building()
    for _ in range(3):
        kernel.launch(8, x, 1000, stream=builder)
    graph = builder.end_building().complete()
    for _ in range(5):
        graph.launch(stream)
    stream.sync()
    assert (x == 15).all()


def test_launches_follow_the_order_of_their_stream(torch):
    kernel = pct.build(ADD_ONE, target="simt").kernel("add_one")
    x = torch.zeros(1 << 22, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(50):
            kernel[1 << 15](x, 1 << 22)
            x.mul_(2.0).sub_(1.0)  # 2 (x + 1) - 1 = 2 x + 1
            x.clamp_(max=100.0)
    torch.cuda.current_stream().wait_stream(stream)
    assert (x == 100).all()
