"""Watches processes that may crash or hang, some of which say line by line, in JSON, what they do."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple


class Ended(NamedTuple):
    """How a process ended: at what it was, and why if that was too early; `late` if it had to be stopped
    because its time was over."""

    at: str
    why: str = ""
    late: bool = False


def watch(
    command: Sequence[str],
    heard: Callable[[dict[str, Any]], None],
    silence: Callable[[str], float],
    end: float,
    environment: Mapping[str, str] | None = None,
    current: str = "the start of the process",
) -> Ended:
    """Runs a process until it says "end", is silent for too long, or `end` comes (time.time()).

    heard:    gets its events but "start", which names what it begins
    silence:  the most seconds without a word, by what it is at
    current:  what it begins with
    """
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", env=environment
    )
    lines: queue.Queue[str | None] = queue.Queue()
    errors: list[str] = []
    readers = [
        threading.Thread(target=lambda: [*map(lines.put, process.stdout), lines.put(None)], daemon=True),
        threading.Thread(target=lambda: errors.extend(process.stderr), daemon=True),
    ]
    for reader in readers:
        reader.start()
    try:
        while True:
            line = lines.get(timeout=max(0.1, min(silence(current), end - time.time())))
            if line is None:
                break
            if not line.startswith('{"event"'):
                continue
            event = json.loads(line)
            if event["event"] == "end":
                return Ended(current)
            if event["event"] == "start":
                current = event["name"]
            else:
                heard(event)
    except queue.Empty:
        if time.time() >= end:
            return Ended(current, late=True)
        return Ended(current, f"no word for {silence(current):g} s")
    finally:
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # a driver may hold it
            process.wait(10)
    readers[1].join(5)
    last = [line for line in map(str.strip, errors) if line][-1:]
    return Ended(current, (last[0] if last else f"exit status {process.returncode}")[:200])


class Done(NamedTuple):
    """A process that has ended: its exit status, None if its time was over, and what it wrote."""

    status: int | None
    output: str


def run(
    command: Sequence[str],
    end: float,
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
) -> Done:
    """Runs a process until it ends, or `end` comes (time.time()): then it is killed with what it started."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment,
            cwd=folder, start_new_session=True,
        )  # fmt: skip
        try:
            status: int | None = process.wait(max(0.1, end - time.time()))
        except subprocess.TimeoutExpired:
            status = None
            os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):  # a driver may hold it
                process.wait(10)
        output.seek(0)
        return Done(status, output.read().decode(errors="replace"))
