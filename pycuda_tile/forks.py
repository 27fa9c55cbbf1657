"""Locks of threads that a child does not have: what other threads hold during a fork, nobody there would
release."""

from __future__ import annotations

import os
import threading
import weakref


class Lock:
    """A threading.Lock that is free in the child of a fork."""

    def __init__(self):
        self._lock = threading.Lock()
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_locks: weakref.WeakSet[Lock] = weakref.WeakSet()
lock_files: set[int] = set()  # descriptors of files that are locked by flock(); a child closes its own


def _follow_fork() -> None:
    for lock in _locks:
        lock._lock = threading.Lock()
    for descriptor in lock_files:
        os.close(descriptor)
    lock_files.clear()


os.register_at_fork(after_in_child=_follow_fork)
