"""What a launch from Python costs on a GPU, beside cuda.core's own launch of the same cubin with the same
arguments. One table, one run; wanted is at most 1.2 times as long.

    python benchmarks/launch_gpu.py [--json FILE]
    python benchmarks/launch_gpu.py --python-only DRIVER      where there is no GPU: what Python does of it

Times are of the host: launches are queued, and the queue is emptied outside of what is timed. PyTorch's
tensors are checked by ours; cuda.core is given their addresses. --python-only takes the folder of a
libcuda.so.1 whose functions do nothing, as tests/simt/fake_driver.py builds it, and starts itself again; the
tensors are of that GPU that is not there."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from overhead import machine

import pycuda_tile as pct
from pycuda_tile.launching import gpu

SOURCE = """
#include "cuda_tile.h"
__tile_global__ void nothing() {}
__tile_global__ void numbers(int a, float b, int c, float d) {}
__tile_global__ void four_arrays(const float* a, const float* b, const float* c, float* out) {
  if (a == nullptr) out[0] = b[0] + c[0];
}
__tile_global__ void mixed(const float* a, const float* b, float* out, int n, float factor) {
  if (n < 0) out[0] = a[0] + factor * b[0];
}
"""
LAUNCHES = 200  # in a row: fewer than a stream's queue takes without waiting
ROUNDS = 101
WANTED = 1.2


def tensors(are_real: bool) -> list:
    if are_real:
        import torch

        return [torch.zeros(16, device="cuda") for _ in range(4)]
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "simt"))
    import fake_tensors

    fake_tensors.give_streams()
    return [fake_tensors.make(0x1000 * i, (16,)) for i in range(1, 5)]


def core():
    """The module of cuda.core that has Device, LaunchConfig, ObjectCode and launch."""
    try:
        import cuda.core as module

        module.launch  # noqa: B018
    except (ImportError, AttributeError):  # before 0.5
        import cuda.core.experimental as module
    return module


def compare(one: Callable, other: Callable, wait: Callable) -> dict[str, float]:
    """Median seconds of a launch by each, in turn, and the median ratio of the rounds."""

    def seconds(launch: Callable) -> float:
        begin = time.perf_counter()
        for _ in range(LAUNCHES):
            launch()
        taken = (time.perf_counter() - begin) / LAUNCHES
        wait()
        return taken

    seconds(one), seconds(other)
    rounds = [(seconds(one), seconds(other)) for _ in range(ROUNDS)]
    ours, theirs = ([pair[i] for pair in rounds] for i in (0, 1))
    return {
        "ours": median(ours),
        "cuda.core": median(theirs),
        "ratio": median(a / b for a, b in rounds),
    }


def measure(on_gpu: bool) -> list[dict]:
    cuda = core()
    module = pct.build(SOURCE, target="simt")
    device = cuda.Device()
    device.set_current()
    stream = device.create_stream()
    a, b, c, out = tensors(on_gpu)
    number, real = ctypes.c_int, ctypes.c_float
    cases = [  # as a user writes them: to kernel[1], to the kernel with a stream, to cuda.core
        ("no arguments", "nothing", lambda launch: lambda: launch(),
         lambda kernel: lambda: kernel.launch(1, stream=stream),
         lambda config, function: lambda: cuda.launch(stream, config, function)),
        ("four numbers", "numbers", lambda launch: lambda: launch(1, 2.0, 3, 4.0),
         lambda kernel: lambda: kernel.launch(1, 1, 2.0, 3, 4.0, stream=stream),
         lambda config, function: lambda: cuda.launch(
             stream, config, function, number(1), real(2.0), number(3), real(4.0))),
        ("four arrays", "four_arrays", lambda launch: lambda: launch(a, b, c, out),
         lambda kernel: lambda: kernel.launch(1, a, b, c, out, stream=stream),
         lambda config, function: lambda: cuda.launch(
             stream, config, function, a.data_ptr(), b.data_ptr(), c.data_ptr(), out.data_ptr())),
        ("three arrays, two numbers", "mixed", lambda launch: lambda: launch(a, b, out, 16, 2.0),
         lambda kernel: lambda: kernel.launch(1, a, b, out, 16, 2.0, stream=stream),
         lambda config, function: lambda: cuda.launch(
             stream, config, function, a.data_ptr(), b.data_ptr(), out.data_ptr(), number(16), real(2.0))),
    ]  # fmt: skip
    results = []
    for title, name, ours, ours_on_stream, theirs in cases:
        kernel = module.kernel(name)
        function = cuda.ObjectCode.from_cubin(kernel.binary).get_kernel(_symbol(kernel.ptx, name))
        config = cuda.LaunchConfig(
            grid=1, block=kernel.attributes["threads"], shmem_size=kernel.attributes["dynamic_shared_bytes"]
        )
        peer = theirs(config, function)
        for way, launch in (("", ours(kernel[1])), (", stream given", ours_on_stream(kernel))):
            results.append({"launch": title + way, **compare(launch, peer, device.sync)})
    return results


def _symbol(ptx: str, name: str) -> str:
    begin = ptx.index(f".entry _Z{len(name)}{name}") + len(".entry ")
    return ptx[begin : ptx.index("(", begin)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the numbers, too")
    parser.add_argument("--python-only", metavar="DRIVER", help="the folder of a driver that does nothing")
    given = parser.parse_args()
    if given.python_only and os.environ.get("LD_LIBRARY_PATH") != given.python_only:
        os.environ["LD_LIBRARY_PATH"] = given.python_only  # read when a process starts
        os.execv(sys.executable, [sys.executable, *sys.argv])
    if gpu.compute_capability() is None:
        sys.exit("launch_gpu.py cannot run here: there is no CUDA GPU that a driver shows; see --python-only")
    try:
        results = measure(on_gpu=not given.python_only)
    except ImportError as missing:
        sys.exit(f"launch_gpu.py cannot run here: {missing}: pip install cuda-core torch")
    device = f"{gpu.device_name()}, CUDA {gpu.driver_version()}"
    if given.python_only:
        device = f"No GPU, a driver that does nothing; {machine()}"
    print(f"{device}\nMicroseconds of the host, wanted {WANTED}\n")
    print("| launch | ours | cuda.core | ratio |\n| --- | ---: | ---: | ---: |")
    for result in results:
        times = f"{result['ours'] * 1e6:.2f} | {result['cuda.core'] * 1e6:.2f}"
        print(f"| {result['launch']} | {times} | {result['ratio']:.2f} |")
    if given.json:
        given.json.write_text(json.dumps({"device": device, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
