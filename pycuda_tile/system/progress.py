"""A line on the terminal that says what takes long; it is gone when that is done."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

from .forks import Lock

_DELAY, _PERIOD = 1.0, 0.5  # seconds until the line appears, and until it changes
_ERASE = "\r\x1b[K"


class _Work(NamedTuple):
    what: str
    since: float


class _Line:
    """What is going on, and whether the terminal shows it."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.works: list[_Work] = []
        self.is_shown = False
        self.wakes = threading.Event()

    def add(self, work: _Work) -> None:
        with self.lock:
            self.works.append(work)
            if len(self.works) == 1:
                self.wakes = threading.Event()  # of this thread: one before may not have ended yet
                threading.Thread(target=self._show, args=(self.wakes,), daemon=True).start()

    def remove(self, work: _Work) -> None:
        with self.lock:
            self.works.remove(work)
            self._erase()
            if not self.works:
                self.wakes.set()

    def erase(self) -> None:
        with self.lock:
            self._erase()

    def _erase(self) -> None:
        if self.is_shown:
            self.is_shown = False
            _write(_ERASE)

    def _show(self, ended: threading.Event) -> None:
        wait = _DELAY
        while not ended.wait(wait):
            with self.lock:
                if ended.is_set():
                    return
                oldest = self.works[0]
                seconds = time.monotonic() - oldest.since
                wait = _PERIOD if seconds >= _DELAY else _DELAY - seconds
                if seconds >= _DELAY:
                    self.is_shown = _write(_ERASE + _cut(oldest.what, seconds, len(self.works) - 1))


_line = _Line()


@contextlib.contextmanager
def shown(what: str) -> Iterator[None]:
    """Shows what is being done, and for how long, once that is more than a second. Only on a terminal: there
    is nothing of it in files, in notebooks and where CI is set."""
    if not _is_terminal():
        yield
        return
    line, work = _line, _Work(what, time.monotonic())
    line.add(work)
    try:
        yield
    finally:
        if line is _line:  # not in the child of a fork
            line.remove(work)


def erase() -> None:
    """Makes room for other output; the line comes again after it."""
    _line.erase()


def _is_terminal() -> bool:
    if os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _cut(what: str, seconds: float, others: int) -> str:
    """The text, in one line of the terminal."""
    tail = f": {int(seconds)} s" + (f", and {others} more" if others else "")
    shown = "".join(c if c.isprintable() else "?" for c in what)
    room = max(shutil.get_terminal_size().columns - 1 - len(tail), 0)
    return (shown if len(shown) <= room else f"{shown[: max(room - 1, 0)]}…") + tail


def _write(text: str) -> bool:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (AttributeError, ValueError, OSError):
        return False
    return True


def _begin_anew() -> None:
    global _line
    _line = _Line()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
