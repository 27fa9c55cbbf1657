"""Times of kernels on a GPU: our header, beside NVIDIA's tile compiler on the same source, PyTorch, Triton,
and what copying takes. One run makes one table and results/gpu.json, in less than 8 minutes.

    python benchmarks/gpu.py                                  on a machine with a GPU
    python benchmarks/gpu.py --make-peers DIR --arch sm_90    before, where NVIDIA's tile compiler is: no GPU
    python benchmarks/gpu.py --peers DIR                      then uses those cubins

Needs PyTorch and pycuda-tile[gpu]. Triton's kernels are those that torch.compile makes of PyTorch's calls."""

from __future__ import annotations

import argparse
import ctypes
import importlib.metadata
import importlib.util
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pycuda_tile as pct
from pycuda_tile import gpu

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "gpu.json"
ROUNDS, SECONDS = 7, 0.02  # timings of each, and how long one takes at least
CACHE = 256 << 20  # bytes that calls go round in: more than a GPU's cache holds
BUDGET = 7 * 60  # seconds after which no further work is begun

Call = Callable[[tuple], object]


def requirements() -> str | None:
    """What is missing for a run on this machine, for people."""
    if gpu.compute_capability() is None:
        return "there is no CUDA GPU that a driver shows here; --make-peers needs none"
    if not gpu.has_cuda_python():
        return f"cuda-python is missing: {gpu.INSTALL}"
    if importlib.util.find_spec("torch") is None:
        return "PyTorch is missing: pip install torch"
    return None


# --- timing


def measure(call: Call, sets: list[tuple]) -> float:
    """Seconds of a call on the device: the median of rounds, each going round the sets of arguments."""
    import torch

    def run(repeats: int) -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for i in range(repeats):
            call(sets[i % len(sets)])
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    run(2)
    repeats = max(3, min(1000, int(SECONDS / max(run(5) / 5, 1e-7))))
    return median(run(repeats) / repeats for _ in range(ROUNDS))


def copy_bandwidth() -> float:
    """Bytes a second that a copy within the device reads and writes."""
    import torch

    arrays = [torch.empty(CACHE, dtype=torch.uint8, device="cuda") for _ in range(2)]
    return 2 * CACHE / measure(lambda pair: pair[1].copy_(pair[0]), [(arrays[0], arrays[1])])


# --- who computes


def source(work) -> Path:
    return HERE / "kernels" / f"{work.source}.cu"


def our_call(work) -> tuple[Call, dict]:
    kernel = pct.build(source(work), target="simt").kernel(work.kernel)
    stream = CurrentStream()
    return lambda arguments: kernel.launch(work.grid, *arguments, stream=stream), kernel.attributes


class CurrentStream:
    """PyTorch's, as CUDA's Python packages exchange streams."""

    def __cuda_stream__(self) -> tuple[int, int]:
        import torch

        return 0, torch.cuda.current_stream().cuda_stream


def peer_file(folder: Path, title: str) -> Path:
    return folder / (re.sub(r"\W+", "_", title) + ".cubin")


def nvidias_call(work, folder: Path) -> Call:
    """A kernel of NVIDIA's tile compiler, of the same source. Its launches name blocks of one thread."""
    import torch

    try:
        from cuda.core import Device, LaunchConfig, ObjectCode, launch
    except ImportError:  # before 0.5
        from cuda.core.experimental import Device, LaunchConfig, ObjectCode, launch

    cubin = peer_file(folder, work.title).read_bytes()
    symbol = re.search(rb"\.text\.(\w+)", cubin)[1].decode()
    device = Device()
    device.set_current()
    kernel = ObjectCode.from_cubin(cubin).get_kernel(symbol)
    config = LaunchConfig(grid=work.grid, block=1)
    stream = device.create_stream(CurrentStream())

    def passed(value: object) -> object:
        if isinstance(value, torch.Tensor):
            return value.data_ptr()
        return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int(value)

    return lambda arguments: launch(stream, config, kernel, *map(passed, arguments))


def torch_call(work) -> Call:
    return lambda arguments: work.torch(*arguments)


def triton_call(work) -> Call:
    import torch

    if work.flops:
        raise NotImplementedError("torch.compile leaves products to cuBLAS")
    compiled = torch.compile(work.torch, dynamic=False)
    return lambda arguments: compiled(*arguments)


# --- one run


def error(work, arguments: tuple) -> float:
    """Greatest difference of the result from the exact one, in units of that one's greatest element."""
    exact = work.exact(*arguments)
    return float((arguments[work.out].double() - exact).abs().max() / exact.abs().max())


def compare(work, folder: Path | None) -> dict:
    """Times in seconds by name, and how wrong results are. What cannot run leaves a line that says why."""
    import torch

    arguments = work.make()
    sets = [arguments, *(work.make() for _ in range(min(7, CACHE // work.bytes)))]
    result: dict = {"title": work.title, "bytes": work.bytes, "flops": work.flops, "seconds": {}, "notes": {}}

    def own() -> Call:
        call, result["attributes"] = our_call(work)
        return call

    calls = {"ours": own, "torch": lambda: torch_call(work), "triton": lambda: triton_call(work)}
    if folder is not None:
        calls["nvidia"] = lambda: nvidias_call(work, folder)
    for name, make in calls.items():
        try:
            call = make()
            if name in ("ours", "nvidia"):
                arguments[work.out].fill_(float("nan"))
                call(arguments)
                torch.cuda.synchronize()
                result.setdefault("errors", {})[name] = wrong = error(work, arguments)
                if not wrong <= work.tolerance:
                    result["notes"][name] = f"wrong by {wrong:.2g}, at most {work.tolerance:.2g} is expected"
                    continue
            result["seconds"][name] = measure(call, sets)
        except Exception as problem:  # a peer that cannot run must not end the run of the others
            result["notes"][name] = f"{type(problem).__name__}: {problem}".splitlines()[0][:200]
    return result


def row(result: dict, bandwidth: float) -> str:
    seconds = result["seconds"]
    cells = [f"{seconds[name] * 1e6:.1f}" if name in seconds else "-" for name in PEERS]
    speed = "-"
    if ours := seconds.get("ours"):
        speed = f"{result['flops'] / ours / 1e12:.1f} TFLOP/s"
        if not result["flops"]:
            speed = f"{result['bytes'] / ours / bandwidth:.2f} of copying"
    return "| " + " | ".join([result["title"], *cells, speed]) + " |"


PEERS = ("ours", "nvidia", "torch", "triton")


def run(folder: Path | None, only: str) -> None:
    import torch
    from gpu_work import works

    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    begin, bandwidth = time.monotonic(), copy_bandwidth()
    packages = ("torch", "triton", "cuda-core", "cuda-bindings", "nvidia-cuda-nvrtc", "pycuda-tile")
    versions = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
    report = {
        "device": gpu.device_name(),
        "driver": gpu.driver_version(),
        "versions": {name: versions[name] for name in packages if name in versions},
        "copy_bytes_per_second": bandwidth,
        "results": [],
    }
    print(f"{report['device']}, driver {report['driver']}, copies {bandwidth / 1e9:.0f} GB/s; microseconds\n")
    print("| work | " + " | ".join(PEERS) + " | ours |\n| --- |" + " ---: |" * (len(PEERS) + 1))
    for work in works():
        if only not in work.title:
            continue
        if time.monotonic() - begin > BUDGET:
            report["results"].append({"title": work.title, "seconds": {}, "notes": {"all": "no time left"}})
            print(f"| {work.title} | no time left |", flush=True)
            continue
        report["results"].append(compare(work, folder))
        print(row(report["results"][-1], bandwidth), flush=True)
    for result in report["results"]:
        for name, note in result["notes"].items():
            print(f"{result['title']}, {name}: {note}")
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")


def make_peers(folder: Path, arch: str, kernels: list[tuple[str, Path, str]]) -> None:
    """Cubins of NVIDIA's tile compiler, of (title, source, kernel) each."""
    folder.mkdir(parents=True, exist_ok=True)
    for title, path, kernel in kernels:
        module = pct.build(path, target="tile", arch=arch, kernels=(kernel,))
        peer_file(folder, title).write_bytes(module.kernel(kernel).binary)
        print(peer_file(folder, title))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="work whose title contains this")
    parser.add_argument("--peers", type=Path, metavar="DIR", help="cubins that --make-peers made")
    parser.add_argument("--make-peers", type=Path, metavar="DIR", help="only make cubins; needs no GPU")
    parser.add_argument("--arch", default="sm_90", help="of --make-peers")
    arguments = parser.parse_args()
    if arguments.make_peers:
        from gpu_work import works

        chosen = [(work.title, source(work), work.kernel) for work in works() if arguments.only in work.title]
        make_peers(arguments.make_peers, arguments.arch, chosen)
    elif missing := requirements():
        sys.exit(f"gpu.py cannot run here: {missing}")
    else:
        run(arguments.peers, arguments.only)


if __name__ == "__main__":
    main()
