"""The process that makes a bundle's launches, one after the other, and says line by line what it does, so
that session.py knows what broke if the process does, and goes on behind it with another one.

    python launches.py '{"bundle": FOLDER, "stage": "models", ...}'

Each line is a JSON object with "event": "start" (of a launch, by its name), "result", "end".
"""

from __future__ import annotations

import contextlib
import json
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import device
from bundle import Bundle, Kernel, Launch, blob_name


def emit(event: str, **fields: object) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)


def first_line(problem: BaseException) -> str:
    return " ".join(str(problem).split())[:200]


def start(options: dict[str, Any]) -> Bundle:
    """Opens the device of a process with such options, and its bundle."""
    folder = Path(options["bundle"])
    if options["pretend"]:
        import pretend

        pretend.install(folder)
    device.open_device()
    return Bundle(folder)


class Launches:
    """Makes launches, with our code or with NVIDIA's, and keeps what differs in a folder."""

    def __init__(self, bundle: Bundle, options: dict[str, Any]):
        self.bundle = bundle
        self.differences = Path(options["differences"])
        self.exact, self.fresh = options.get("exact", False), options.get("fresh", False)
        self._loaded: tuple[str, Any] = ("", None)

    def load(self, code: str, symbol: str, shared: int) -> Any:
        """A kernel: launches of one follow each other."""
        key = f"{code} {symbol}"
        if self._loaded[0] != key:
            self.unload()
            self._loaded = key, device.Loaded(self.bundle.blobs[code], symbol, shared)
        return self._loaded[1]

    def unload(self) -> None:
        if self._loaded[1] is not None:
            self._loaded[1].unload()
        self._loaded = "", None

    def make(self, launch: Launch, code: str, symbol: str, threads: int, shared: int) -> dict[str, Any]:
        """What came of it: "same", "differs" or "wrote around"; `contents` are blobs if not the same."""
        blobs = self.bundle.blobs
        memory: list[Any] = []
        try:
            kernel = self.load(code, symbol, shared)
            for b in launch.buffers:
                given = b.is_read or not self.fresh
                memory.append(device.Memory(blobs[b.before], b.misaligned, self.exact, given))
            return self.launch_on(memory, launch, kernel, threads)
        except device.DeviceError as problem:
            # Ends the process unless the device still works.
            device.synchronize()
            self.unload()
            return {"said": "refused", "why": str(problem)}
        finally:
            with contextlib.suppress(device.DeviceError):
                for part in memory:
                    part.free()

    def launch_on(self, memory: list[Any], launch: Launch, kernel: Any, threads: int) -> dict[str, Any]:
        blobs = self.bundle.blobs
        words = [bytearray.fromhex(text) for text in launch.arguments]
        for pointer in launch.pointers:
            address = memory[pointer.buffer].address + pointer.offset
            struct.pack_into("<Q", words[pointer.argument], pointer.place, address % (1 << 64))
        kernel.launcher(launch.grid, threads, [bytes(word) for word in words])()
        device.synchronize()
        if self.exact:  # the sanitizer says what is wrong, if anything is
            return {"said": "made"}
        found = [part.read() for part in memory]
        if not all(untouched for _, untouched in found):
            return {"said": "wrote around", "contents": self.keep([content for content, _ in found])}
        wrong = [
            sum(a != b for a, b in zip(content, blobs[b.after], strict=True))
            for (content, _), b in zip(found, launch.buffers, strict=True)
            if blob_name(content) != b.after
        ]
        if not wrong:
            return {"said": "same"}
        return {"said": "differs", "bytes": sum(wrong), "contents": self.keep([c for c, _ in found])}

    def keep(self, contents: list[bytes]) -> list[str]:
        self.differences.mkdir(parents=True, exist_ok=True)
        for content in contents:
            (self.differences / blob_name(content)).write_bytes(content)
        return [blob_name(content) for content in contents]


def following(things: Iterable[Any], after: str, name: Callable[[Any], str]) -> Iterator[Any]:
    """Those that come after the one with the name `after`; all if it is ""."""
    things = iter(things)
    if after:
        for thing in things:
            if name(thing) == after:
                break
    return things


def name_of(kernel: Kernel) -> str:
    return " / ".join([kernel.who, kernel.kernel, kernel.variant])


def load_kernels(bundle: Bundle, after: str) -> None:
    emit("about", **device.about())
    for kernel in following(bundle.kernels, after, name_of):
        emit("start", name=name_of(kernel))
        try:
            loaded = device.Loaded(bundle.blobs[kernel.code], kernel.symbol, kernel.shared)
            emit("result", name=name_of(kernel), said="loaded", **loaded.resources())
            loaded.unload()
        except device.DeviceError as problem:
            emit("result", name=name_of(kernel), said="refused", why=str(problem))


def main(options: dict[str, Any]) -> None:
    """options:

    bundle:       its folder
    load:         load the kernels that are timed, and say what they need; no launches
    stage:        which launches to make
    who:          whose code: "" for that of the test, else one of its peers'
    block:        of NVIDIA's code: "one" thread a block, or "all", those it was compiled for
    differences:  the folder for contents that differ
    exact:        allocations end where arrays end, and nothing is compared: compute-sanitizer watches
    fresh:        nothing is written to arrays that the launch does not read
    after:        the name of the launch after which to begin: it broke a process; "" for all
    until:        the time when to stop
    pretend:      whether the driver is that of pretend.py
    """
    emit("start", name="the device")
    bundle = start(options)
    if options.get("load"):
        load_kernels(bundle, options.get("after", ""))
        emit("end")
        return
    who = options.get("who", "")
    launches = Launches(bundle, options)
    for launch in following(bundle.stage(options["stage"]), options.get("after", ""), lambda x: x.name):
        if who and who not in launch.peers:
            continue
        if time.time() > options.get("until", float("inf")):
            break
        emit("start", name=launch.name)
        if who:
            code, symbol, threads = launch.peers[who]
            result = launches.make(launch, code, symbol, threads if options["block"] == "all" else 1, 0)
        else:
            result = launches.make(launch, launch.code, launch.symbol, launch.threads, launch.shared)
        emit("result", name=launch.name, **result)
    launches.unload()
    emit("end")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
