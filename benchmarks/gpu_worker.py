"""The process of gpu.py that uses the GPU: it compares the work's candidates and writes what it does, line by
line, so that gpu.py knows what broke if the process does, and goes on with another one.

Each line is a JSON object with "event": "start" (of a candidate, before anything can break), "note" (what did
not work, in words), "about" (the device), "result" (of one work), "end".
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

import gpu_peers
import torch
from gpu_timing import CACHE, Call, Device
from gpu_work import Launch, Work, works

import pycuda_tile as pct

Made = Callable[[], Call]


def emit(event: str, **fields: object) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)


class Broken(Exception):
    """The device accepts no more work from this process."""


class Worker:
    """Compares works. `skip` holds the names of candidates that broke earlier processes, `without` who is
    left out."""

    def __init__(
        self,
        device: Device,
        target: str,
        peers: gpu_peers.Peers | None,
        skip: set[str],
        without: Sequence[str] = (),
    ):
        self.device = device
        self.target = target
        self.peers = peers
        self.skip = skip
        self.without = without

    # --- who computes: the candidates of a work, by the name of who and by a label

    def candidates(self, work: Work) -> Iterator[tuple[str, str, Made]]:
        yield from (("ours", label, made) for label, made in self._ours(work))
        if self.peers is not None:
            for label, launches in work.candidates.items():
                for variant in self.peers.variants(launch.kernel for launch in launches):
                    name = f"{label} {variant}".strip()
                    yield "nvidia", name, lambda ls=launches, v=variant: self.peers.call(ls, v)
        for label, call in work.torch.items():
            yield "torch", label, lambda call=call: call
        try:
            import gpu_triton
        except ImportError as problem:
            emit("note", title=work.title, who="triton", text=gpu_peers.first_line(problem))
            return
        if gpu_triton.is_here():
            for label, call in gpu_triton.calls(work.title).items():
                yield "triton", label, lambda call=call: call

    def _ours(self, work: Work) -> Iterator[tuple[str, Made]]:
        for label, launches in work.candidates.items():
            for threads in work.threads if self.target == "simt" else (None,):
                name = label if threads is None else f"{label}, T = {threads}"
                yield name, lambda ls=launches, t=threads: our_call(work.path, ls, self.target, t)

    # --- one work

    def compare(self, work: Work) -> dict:
        """Seconds of who computes, at its best configuration; what cannot run leaves a note."""
        arguments = work.make()
        exact = work.exact(arguments)
        sets = [arguments, *(work.make() for _ in range(min(7, CACHE // max(work.bytes, 1 << 22))))]
        best: dict[str, tuple[float, str, Call]] = {}
        tried: dict[str, dict[str, float]] = {}
        for who, label, make in self.candidates(work):
            name = f"{work.title} / {who} / {label}"
            if name in self.skip or who in self.without:
                continue
            emit("start", name=name)
            try:
                call = make()
                wrong = self.error(work, who, call, arguments, exact)
                if not wrong <= work.tolerance:
                    raise ValueError(f"wrong by {wrong:.2g}, at most {work.tolerance:.2g} is expected")
                seconds = self.device.roughly(call, sets)
            except Exception as problem:  # a candidate that fails must not end the run of the others
                self.note(work, who, label, problem)
                continue
            tried.setdefault(who, {})[label] = seconds
            if who not in best or seconds < best[who][0]:
                best[who] = seconds, label, call
        emit("start", name=f"{work.title} / all / rounds")
        times = self.device.compare({who: call for who, (_, _, call) in best.items()}, sets)
        return {
            "title": work.title, "bytes": work.bytes, "flops": work.flops, "wanted": work.wanted,
            "like_a_copy": work.like_a_copy,
            "seconds": {who: median(found) for who, found in times.items()},
            "rounds": times,
            "configurations": {who: label for who, (_, label, _) in best.items()},
            "candidates": tried,
        }  # fmt: skip

    def error(self, work: Work, who: str, call: Call, arguments: tuple, exact: torch.Tensor) -> float:
        work.prepare(arguments)
        result = call(arguments)
        if who != "torch":
            result = arguments[work.out]
        self.device.synchronize()
        wrong = work.error(result, exact)
        return wrong if wrong == wrong else math.inf

    def note(self, work: Work, who: str, label: str, problem: Exception) -> None:
        text = f"{label}: {type(problem).__name__}: {gpu_peers.first_line(problem)}"
        emit("note", title=work.title, who=who, text=text)
        torch.backends.cuda.matmul.allow_tf32 = False
        try:
            torch.ones(1, device=self.device.name).add_(1).cpu()
        except Exception as error:  # after an illegal access, for example, every call fails
            raise Broken(gpu_peers.first_line(error)) from problem


def our_call(path: Path, launches: tuple[Launch, ...], target: str, threads: int | None) -> Call:
    kernels = [launch.kernel for launch in launches]
    module = pct.build(path, target=target, kernels=kernels, num_threads=threads)
    bound = [(launch, module.kernel(launch.kernel)[launch.grid]) for launch in launches]

    def call(arguments: tuple) -> None:
        for launch, start in bound:
            start(*launch.arguments(arguments))

    return call


# --- the first thing: do the peer's cubins run on this driver ----------------------------------------------


def probe(folder: Path, device: Device, skip: set[str]) -> gpu_peers.Peers | None:
    """NVIDIA's cubins, launched in the way that works here; None if none does. Says what was seen."""
    try:
        peers = gpu_peers.Peers(folder)
    except (OSError, ValueError, KeyError) as problem:
        emit("note", title="peers", who="nvidia", text=f"no cubins in {folder}: {problem}")
        return None
    if peers.about.get("sources") != gpu_peers.sources():
        text = "the cubins are of other sources than these: make them again with --make-peers"
        emit("note", title="peers", who="nvidia", text=text)
    for block in ("one", "all"):
        peers.block = block
        name = f"peers / nvidia / block {block}"
        if name in skip:
            continue
        emit("start", name=name)
        seen = _probe(peers, device)
        words = {"one": "one thread a block", "all": "the threads it was compiled for"}[block]
        text = f"a cubin of NVIDIA's tile compiler, launched with {words}: {seen or 'runs, and is right'}"
        emit("note", title="peers", who="nvidia", text=text)
        if not seen:
            return peers
        try:
            torch.ones(1, device=device.name).add_(1).cpu()
        except Exception as problem:
            raise Broken(str(problem)) from None
    return None


def _probe(peers: gpu_peers.Peers, device: Device) -> str:
    """What is wrong with a vector addition, "" if nothing is."""
    n = 100_000
    a, b = (torch.randn(n, device=device.name) for _ in range(2))
    out = torch.full((n,), math.nan, device=device.name)
    try:
        peers.launcher("vector_add<1024>", "", (-(-n // 1024), 1, 1))((a, b, out, n))
        device.synchronize()
        return "" if torch.equal(out, a + b) else "it runs, but the result is wrong"
    except Exception as problem:
        return f"{type(problem).__name__}: {gpu_peers.first_line(problem)}"


def about(device: Device) -> dict:
    if device.name != "cuda":
        return {"device": "none: small sizes on the processor, no time means anything", "copy": 0.0}
    properties = torch.cuda.get_device_properties(0)
    return {
        "device": properties.name,
        "multiprocessors": properties.multi_processor_count,
        "cache_bytes": getattr(properties, "L2_cache_size", None),
        "memory_bytes": properties.total_memory,
        "copy": device.copy_bandwidth(),
    }


def main(options: dict) -> None:
    device = Device(options["device"])
    small = device.name != "cuda"
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    skip = set(options["skip"])
    emit("start", name="about / the device / copies")
    emit("about", **about(device))
    peers = probe(Path(options["peers"]), device, skip) if options["peers"] else None
    target = "cpu" if small else "simt"
    worker = Worker(device, target, peers, skip, options["without"])
    for work in works(device.name, small):
        if work.title in options["done"] or options["only"] not in work.title:
            continue
        if time.time() > options["deadline"]:
            emit("note", title=work.title, who="all", text="no time was left")
            continue
        emit("start", name=f"{work.title} / all / arguments")
        try:
            emit("result", **worker.compare(work))
        except Broken:
            raise
        except Exception as problem:
            worker.note(work, "all", "the work itself", problem)
            emit("result", title=work.title, seconds={}, bytes=work.bytes, flops=work.flops,
                 wanted=work.wanted, like_a_copy=work.like_a_copy, configurations={})  # fmt: skip
        if device.name == "cuda":
            torch.cuda.empty_cache()
    emit("end")


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except Broken as problem:
        print(problem, file=sys.stderr, flush=True)
        os._exit(3)  # a normal exit might hang on a broken device
