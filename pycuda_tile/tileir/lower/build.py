"""build(): a module of Tile IR as a Module that can be launched."""

from __future__ import annotations

from typing import Any

from pycuda_tile.builder import build as build_source
from pycuda_tile.errors import BuildValueError
from pycuda_tile.module import Module

from ..verifier import verify_once
from .translate import translate


def build(m: Any, target: str = "cpu", **arguments: Any) -> Module:
    """Compile a module of Tile IR through our header.

    target:     "cpu" or "simt" (or "emulated", for tests)
    arguments:  further ones of pycuda_tile.build: arch, options, num_threads, cache, ...

    Its kernels have the names of the entries; characters that C++ has not are underscores. Raises
    VerifyError where the module breaks a rule, NotAvailableYet for what cannot be translated, with the
    operation and its line, and CompileError as build.
    """
    if target not in ("cpu", "simt", "emulated"):
        raise BuildValueError(f"target: expected 'cpu' or 'simt', got {target!r}")
    verify_once(m)
    return build_source(translate(m, target), target=target, **arguments)
