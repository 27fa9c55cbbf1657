"""build(): a module of Tile IR as a Module that can be launched."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from pycuda_tile import targets
from pycuda_tile.building.builder import build as build_source
from pycuda_tile.building.module import Module
from pycuda_tile.errors import BuildValueError

from ..assertions import AssertionFailed
from ..ir import Operation
from ..loops import fuse
from ..reading import operands_of, value_shape
from ..verifier import verify_once
from .translate import translate


def build(m: Any, target: str = "cpu", *, optimize: bool = False, **arguments: Any) -> Module:
    """Compile a module of Tile IR through our header.

    target:     "cpu" or "simt" (or "emulated", for tests)
    optimize:   on the cpu, fuse operations into loops as far as there are rules (an early version, see
                pycuda_tile/tileir/loops). A kernel's attributes have its "path", and if not all is fused
                a "reason"
    arguments:  further ones of pycuda_tile.build: arch, options, num_threads, cache, ...

    Its kernels have the names of the entries, with underscores for characters that C++ does not allow; those
    of modules that from_cpp made are also found by their name expressions.
    Raises VerifyError if the module breaks a rule, NotAvailableYet, with the operation and its line, for what
    cannot be translated, and CompileError like pycuda_tile.build. If an `assert` fails, a launch on the cpu
    raises AssertionFailed: no further blocks start, and arrays keep what has been stored. On a GPU the kernel
    writes the message and traps.
    """
    names = [each.name for each in targets.every() if each.own_header]
    if target not in names:
        raise BuildValueError(f"target: expected one of {', '.join(names)}, got {target!r}")
    if optimize and (target != "cpu" or arguments.get("checked")):
        raise BuildValueError("optimize is for builds for cpu that are not checked")
    verify_once(m)
    attributes: dict[str, dict[str, int | str]] = {}
    if optimize:
        source, assertions, attributes = fuse(m)
    else:
        source, assertions = translate(m, target)
    built = build_source(source, target=target, **arguments)
    for entry, kernel in zip(m.entries, built.kernels, strict=True):
        if entry.expression:
            short = entry.expression.removeprefix("::").removesuffix("<>")
            built.call_also(kernel.name, entry.expression, short)
    for name, more in attributes.items():
        built.kernel(name).attributes.update(more)
    if assertions:
        built.explain_exceptions(functools.partial(_failed, assertions))
    return built


def _failed(assertions: list[Operation], message: str) -> AssertionFailed | None:
    """Translates the exception of a failed assertion (cuda_tile/tileir/assert.h)."""
    found = re.search(r"block \((\d+), (\d+), (\d+)\): .*: assertion (\d+) at element (\d+)$", message)
    if not found:
        return None
    *block, number, position = map(int, found.groups())
    op = assertions[number]
    index = np.unravel_index(position, value_shape(operands_of(op)[0]))
    return AssertionFailed.of(op, tuple(block), tuple(map(int, index)))
