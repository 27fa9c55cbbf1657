"""The process that times a bundle's kernels on the GPU, and NVIDIA's, PyTorch's and Triton's where they are.
It says line by line what it does, so that session.py knows what broke if the process does, and goes on with
another.

    python times.py '{"bundle": FOLDER, ...}'

Each line is a JSON object with "event": "start" (of a candidate, before anything can break), "note" (what did
not work, in words), "about" (the device), "result" (of one work), "end".
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import device
import numpy as np
from bundle import NVIDIAS, OURS, Bundle, Kernel
from launches import emit, first_line, start
from timing import CACHE, Timer
from work import Array, Given, Launch, Work, works

Call = Callable[[int], object]
FRAMEWORKS = {"torch": "torch_peers", "triton": "triton_peers"}


class Broken(Exception):
    """The device accepts no more work from this process."""


class Sets:
    """Some sets of the arguments of a work, on the device."""

    def __init__(self, work: Work, count: int, seed: int = 0):
        self.work = work
        self.drawn = [work.draw(np.random.default_rng(seed + i)) for i in range(count)]
        self.memory = [
            [device.Memory(x.tobytes()) if isinstance(x, np.ndarray) else None for x in one]
            for one in self.drawn
        ]

    def __len__(self) -> int:
        return len(self.drawn)

    def words(self, i: int) -> list[bytes]:
        """The arguments of set `i` as kernels get them."""
        pairs = zip(self.drawn[i], self.memory[i], strict=True)
        return [as_bytes(x if memory is None else memory.address, memory is None) for x, memory in pairs]

    def tensors(self, i: int) -> tuple:
        """The arguments of set `i` as PyTorch has them."""
        import torch_peers

        pairs = zip(self.work.arguments, self.memory[i], self.drawn[i], strict=True)
        return tuple(
            torch_peers.tensor(memory.address, x.kind, x.shape) if isinstance(x, Array) else number
            for x, memory, number in pairs
        )

    def prepare(self) -> None:
        """Fills the results of the first set, also those between, with what is no result."""
        for x, memory in zip(self.work.arguments, self.memory[0], strict=True):
            if isinstance(x, Array) and x.fill == "":
                memory.fill(self.work.begin)
        device.synchronize()

    def result(self) -> np.ndarray:
        content, untouched = self.memory[0][self.work.out].read()
        if not untouched:
            raise ValueError("it wrote before or behind the result")
        return np.frombuffer(content, self.drawn[0][self.work.out].dtype)

    def free(self) -> None:
        for memory in (part for one in self.memory for part in one if part is not None):
            memory.free()


def as_bytes(value: int | float, is_number: bool) -> bytes:
    """C's int or float, or an address."""
    if not is_number:
        return bytes(ctypes.c_uint64(value))
    return bytes(ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int(value))


class Worker:
    """Compares works. `skip` holds the names of candidates that broke earlier processes, `without` who is
    left out."""

    def __init__(self, bundle: Bundle, options: dict[str, Any]):
        self.bundle = bundle
        self.timer = Timer(once=options["small"])
        self.block = options.get("block", "one")
        self.skip = set(options["skip"])
        # A dry run has none of the others, which need a GPU.
        self.without = {*options["without"], *((*NVIDIAS, *FRAMEWORKS) if options["small"] else ())}
        self.kernels: dict[tuple[str, str], list[Kernel]] = {}
        for kernel in bundle.kernels:
            self.kernels.setdefault((kernel.who, kernel.kernel), []).append(kernel)

    # --- who computes: the candidates of a work, by the name of who and by a label

    def candidates(self, work: Work, sets: Sets) -> Iterator[tuple[str, str, Callable[[], Call]]]:
        for who in (OURS, *NVIDIAS):
            if who in self.without:
                continue
            for label, launches in work.candidates.items():
                for variant in self.variants(who, launches):
                    name = f"{label}, {variant}" if variant else label
                    yield who, name, lambda w=who, v=variant, ls=launches: self.call(w, v, ls, sets)
        for who, module in FRAMEWORKS.items():
            if who not in self.without:
                yield from self.framework(work, sets, who, module)

    def variants(self, who: str, launches: tuple[Launch, ...]) -> list[str]:
        """Those that one of the launches has: the others have only what is the same in all of them."""
        return list(
            dict.fromkeys(
                kernel.variant for x in launches for kernel in self.kernels.get((who, x.kernel), [])
            )
        )

    def framework(
        self, work: Work, sets: Sets, who: str, module: str
    ) -> Iterator[tuple[str, str, Callable[[], Call]]]:
        try:
            calls = importlib.import_module(module).calls(work.title)
        except ImportError as problem:
            self.without.add(who)
            emit("note", title="all", who=who, text=f"left out: {first_line(problem)}")
            return
        if calls:
            given = [sets.tensors(i) for i in range(len(sets))]
            for label, call in calls.items():
                yield who, label, lambda call=call: lambda i: call(given[i])

    def call(self, who: str, variant: str, launches: tuple[Launch, ...], sets: Sets) -> Call:
        started = []
        for launch in launches:
            kernels = {kernel.variant: kernel for kernel in self.kernels[who, launch.kernel]}
            kernel = kernels.get(variant) or next(iter(kernels.values()))
            loaded = device.Loaded(self.bundle.blobs[kernel.code], kernel.symbol, kernel.shared)
            threads = 1 if who in NVIDIAS and self.block == "one" else kernel.threads
            started.append(
                [
                    loaded.launcher(launch.grid, threads, list(launch.arguments(tuple(sets.words(i)))))
                    for i in range(len(sets))
                ]
            )

        def call(i: int) -> None:
            for by_set in started:
                by_set[i]()

        return call

    # --- one work

    def compare(self, work: Work) -> dict[str, Any]:
        """Seconds of who computes, at its best configuration; what cannot run leaves a note."""
        sets = Sets(work, 1 + min(7, CACHE // max(work.bytes, 1 << 22)) if not self.timer.once else 1)
        try:
            return self.compare_on(work, sets)
        finally:
            sets.free()

    def compare_on(self, work: Work, sets: Sets) -> dict[str, Any]:
        rows = work.sample(np.random.default_rng(1))
        exact = work.exact(Given(work.arguments, sets.drawn[0]), rows)
        best: dict[str, tuple[float, str, Call]] = {}
        tried: dict[str, dict[str, float]] = {}
        for who, label, make in self.candidates(work, sets):
            name = f"{work.title} / {who} / {label}"
            if name in self.skip or who in self.without:
                continue
            emit("start", name=name)
            try:
                call = make()
                wrong = self.error(work, who, call, sets, rows, exact)
                if not wrong <= work.tolerance:
                    raise ValueError(f"wrong by {wrong:.2g}, at most {work.tolerance:.2g} is expected")
                seconds = self.timer.roughly(call, len(sets))
            except Exception as problem:  # a candidate that fails must not end the run of the others
                self.note(work, who, label, problem)
                continue
            tried.setdefault(who, {})[label] = seconds
            if who not in best or seconds < best[who][0]:
                best[who] = seconds, label, call
        emit("start", name=f"{work.title} / all / rounds")
        times = self.timer.compare({who: call for who, (_, _, call) in best.items()}, len(sets))
        return {
            **line_of(work),
            "seconds": {who: median(found) for who, found in times.items()},
            "rounds": times,
            "configurations": {who: label for who, (_, label, _) in best.items()},
            "candidates": tried,
        }

    def error(
        self, work: Work, who: str, call: Call, sets: Sets, rows: np.ndarray, exact: np.ndarray
    ) -> float:
        sets.prepare()
        returned = call(0)
        device.synchronize()
        if who == "torch":
            importlib.import_module("torch_peers").put(returned, sets.tensors(0)[work.out])
            device.synchronize()
        return work.error(sets.result(), rows, exact)

    def note(self, work: Work, who: str, label: str, problem: Exception) -> None:
        text = f"{label}: {type(problem).__name__}: {first_line(problem)}"
        emit("note", title=work.title, who=who, text=text)
        try:
            device.Memory(bytes(64)).free()
            device.synchronize()
        except Exception as error:  # after an illegal access, for example, every call fails
            raise Broken(first_line(error)) from problem


def line_of(work: Work) -> dict[str, Any]:
    return {"title": work.title, "bytes": work.bytes, "flops": work.flops, "wanted": work.wanted,
            "like_a_copy": work.like_a_copy}  # fmt: skip


def main(options: dict[str, Any]) -> None:
    """options:

    bundle:   its folder
    small:    small odd sizes, each call once: for dry runs
    only:     work whose title contains this
    skip, without, done:  candidates that broke earlier processes, who is left out, titles that are done
    block:    "one" or "all": see launches.py
    until:    the time when to stop
    pretend:  whether the driver is that of pretend.py
    """
    emit("start", name="about / the device / copies")
    worker = Worker(start(options), options)
    emit("about", **device.about(), copy=worker.timer.copy_bandwidth())
    for work in works(options["small"]):
        if work.title in options["done"] or options["only"] not in work.title:
            continue
        if time.time() > options["until"]:
            emit("note", title=work.title, who="all", text="no time was left")
            continue
        emit("start", name=f"{work.title} / all / arguments")
        try:
            emit("result", **worker.compare(work))
        except Broken:
            raise
        except Exception as problem:
            worker.note(work, "all", "the work itself", problem)
            emit("result", **line_of(work), seconds={}, configurations={})
    emit("end")


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except Broken as problem:
        print(problem, file=sys.stderr, flush=True)
        os._exit(3)  # a normal exit might hang on a broken device
