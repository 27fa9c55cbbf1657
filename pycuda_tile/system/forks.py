"""Makes forking safe. The child has none of the parent's other threads, so nobody would release the locks
that these held or complete the modules that they were importing."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
import weakref


class _Gate:
    """Threads enter and leave; a fork waits until no other thread is inside, and lets none in."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside: list[int] = []  # the threads, once for each time that they entered

    def __enter__(self) -> None:
        with self._changed:
            self._inside.append(threading.get_ident())

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._inside.remove(threading.get_ident())
            self._changed.notify_all()

    def close(self) -> None:
        self._changed.acquire()
        while any(thread != threading.get_ident() for thread in self._inside):
            self._changed.wait()

    def reopen(self) -> None:
        self._changed.release()


uncut = _Gate()  # `with uncut:` holds off forks, for example during calls of libraries that take locks


class Lock:
    """A threading.Lock that is free in the child of a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_locks: weakref.WeakSet[Lock] = weakref.WeakSet()
lock_files: set[int] = set()  # descriptors of files that are locked by flock(); a child closes its own


def _wait_for_imports() -> None:
    """Waits for imports of this package's modules by other threads; a child would wait for these forever."""
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if name.startswith("pycuda_tile.") and getattr(spec, "_initializing", False):
            with contextlib.suppress(Exception):  # that thread reports the error
                importlib.import_module(name)


def _follow_fork() -> None:
    for lock in _locks:
        lock._lock = threading.Lock()
    for descriptor in lock_files:
        os.close(descriptor)
    lock_files.clear()


# Before a fork, the function registered last is called first: the gate closes before the wait for imports.
os.register_at_fork(before=_wait_for_imports, after_in_child=_follow_fork)
os.register_at_fork(before=uncut.close, after_in_parent=uncut.reopen, after_in_child=uncut.reopen)
