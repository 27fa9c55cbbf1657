"""The targets. Each has a Target (target.py), which describes it, and a module that turns a Request into
kernels that can be launched. Targets never import each other.

cpu, emulated   one module each; both compile with the host's compiler (host/)
simt, tile      one folder each; they share nvrtc_kernels.py, which calls NVRTC
kernels.py      what every target needs to know about a source's kernels
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from ..errors import BuildValueError
from .target import Target

NAMES = ("cpu", "simt", "tile", "emulated")  # each is a module of this package with a TARGET
_BEST_FIRST = ("simt", "cpu")  # what "auto" chooses from


def find(name: object) -> Target:
    """The target of that name; raises BuildValueError if there is none."""
    if name not in NAMES:
        raise BuildValueError(f"unknown target {name!r}: expected one of {', '.join(NAMES)}, auto")
    return importlib.import_module(f".{name}", __name__).TARGET


def every() -> Iterator[Target]:
    return map(find, NAMES)


def best() -> Target:
    """The best available target, which "auto" selects on this machine."""
    return next(target for target in map(find, _BEST_FIRST) if target.is_usable())
