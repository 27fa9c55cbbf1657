"""build(): a module of Tile IR as a Module that can be launched."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from pycuda_tile import targets
from pycuda_tile.building.builder import build as build_source
from pycuda_tile.building.builder import check_optimize
from pycuda_tile.building.module import Module
from pycuda_tile.errors import BuildValueError, CompileError, NotAvailableYet, short_traceback
from pycuda_tile.targets.fusing import OPTIONS_OF_LOOPS, reason_against
from pycuda_tile.targets.host.loops import brief
from pycuda_tile.targets.target import Request

from ...spec import API_VERSIONS
from ..assertions import AssertionFailed
from ..ir import Operation
from ..loops import fuse
from ..loops.fallback import NEEDLESS
from ..loops.refusal import refusal
from ..loops.translate import BY_OPERATION, FUSED
from ..reading import operands_of, value_shape
from ..verifier import verify_once
from .translate import translate


@short_traceback()
def build(m: Any, target: str = "cpu", *, optimize: bool | str = "auto", **arguments: Any) -> Module:
    """Compile a module of Tile IR through our header.

    m:          what parse, read_bytecode or from_cpp returned
    target:     "cpu" or "simt" (or "emulated", for tests)
    optimize:   "auto" (default), on the cpu fused into loops as far as there are rules: a kernel's attributes
                have its "path", and if not all is fused a "reason"; False, operation by operation; or True,
                an error unless every kernel is fused
    arguments:  further ones of pycuda_tile.build: arch, options, num_threads, cache, ...

    Its kernels have the names of the entries, and are also found by their names in C++, with underscores for
    characters that C++ does not allow; those of modules that from_cpp made also by their name expressions.
    Raises VerifyError if the module breaks a rule, NotAvailableYet, with the operation and its line, for what
    cannot be translated, and CompileError like pycuda_tile.build. If an `assert` fails, a launch on the cpu
    raises AssertionFailed: no further blocks start, and arrays keep what has been stored. On a GPU the kernel
    writes the message and traps.
    """
    names = [each.name for each in targets.every() if each.own_header]
    if target not in names:
        raise BuildValueError(f"target: expected one of {', '.join(names)}, got {target!r}")
    if arguments.get("api") not in (None, API_VERSIONS[-1]):
        raise BuildValueError(f"api: modules of Tile IR are built with the API of {API_VERSIONS[-1]}")
    checked, options = bool(arguments.get("checked")), tuple(arguments.get("options", ()))
    asked = Request(targets.find(target), "", "", None, checked=checked, options=options, optimize=optimize)
    reason = reason_against(check_optimize(asked))
    verify_once(m)

    if target == "cpu":
        arguments["options"] = (*OPTIONS_OF_LOOPS, *options)

    def build_text(source: str) -> Module:
        return build_source(source, target=target, optimize=False, **arguments)

    attributes: dict[str, dict[str, int | str]] = {}
    assertions: list[Operation] = []
    built = None
    if not reason:
        try:
            source, assertions, attributes = fuse(m, insists=optimize is True)
            built = build_text(source)
        except CompileError as error:
            reason = f"the host's compiler does not compile its loops: {brief(error)}"
        except Exception as error:  # raised again below unless the loops are its cause
            reason = f"a fault in the translation to loops ({brief(error)})"
    if built is None:
        source, assertions = translate(m, target, checked)
        built, attributes = build_text(source), {}
        if optimize is True:
            raise NotAvailableYet(f"optimize=True, but {reason}")
    if optimize is True:
        _check_fused(attributes)
    for kernel in built.kernels:
        found = built.kernel(kernel.name).attributes
        if "path" in found:
            del found["path"], found["reason"]
            found.update(attributes.get(kernel.name, {"path": BY_OPERATION, "reason": reason}))
    entry_names = {kernel.name: entry.name for entry, kernel in zip(m.entries, built.kernels, strict=True)}
    built.call_by(entry_names, optimize)
    for entry in m.entries:
        for expression in entry.expressions:
            short = expression.removeprefix("::").removesuffix("<>")
            built.call_also(entry.name, expression, short)
    built.take_either_sign()
    if assertions or optimize is True:
        built.explain_exceptions(functools.partial(_explain, assertions))
    return built


def _check_fused(attributes: dict[str, dict[str, int | str]]) -> None:
    for name, found in attributes.items():
        if found["path"] != FUSED and found["reason"] not in NEEDLESS:
            raise NotAvailableYet(f"optimize=True, but the kernel {name} cannot be fused: {found['reason']}")


def _explain(assertions: list[Operation], message: str) -> Exception | None:
    return _failed(assertions, message) or refusal(message)


def _failed(assertions: list[Operation], message: str) -> AssertionFailed | None:
    """Translates the exception of a failed assertion (cuda_tile/tileir/assert.h)."""
    found = re.search(r"block \((\d+), (\d+), (\d+)\): .*: assertion (\d+) at element (\d+)$", message)
    if not found:
        return None
    *block, number, position = map(int, found.groups())
    op = assertions[number]
    index = np.unravel_index(position, value_shape(operands_of(op)[0]))
    return AssertionFailed.of(op, tuple(block), tuple(map(int, index)))
