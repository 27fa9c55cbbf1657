"""interpret(): an entry run over a grid of tile blocks."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pycuda_tile.errors import ArgumentTypeError, ArgumentValueError, KernelNotFound

from ..elements import DTYPES, HALF_BYTE, pairs
from ..ir import Entry, Value
from ..module import Module
from ..reading import pointee, value_element
from ..verifier import verify_once
from .arguments import Parameter, bind
from .block import Block
from .order import Order
from .program import Program

_LARGEST_GRID = 2**24 - 1


def interpret(
    m: Module,
    entry: str,
    grid: int | tuple[int, ...],
    *args: Any,
    on_ub: str = "raise",
    seed: int | None = None,
) -> None:
    """Run an entry of a module; arrays are changed in place.

    m:      a module, as parse or from_cpp returns it
    entry:  its name
    grid:   tile blocks along x, y and z: an integer or a tuple of one to three
    args:   one for each parameter: an array in host memory for a pointer (also pycuda_tile.ptr, .strided, or
            None for a null pointer), otherwise a number
    on_ub:  "raise": undefined behaviour raises UndefinedBehaviorError; "continue": an undefined result has
            the documented value or wraps, an undefined access is skipped, and the program goes on
    seed:   the seed chooses the order of memory operations that no token orders, how blocks interleave, and
            undefined values; without a seed everything runs in the order of the text, block after block

    Raises VerifyError if the module breaks a rule, AssertionFailed if an `assert` fails, KernelNotFound,
    ArgumentTypeError and ArgumentValueError for arguments, and LaunchError if blocks wait for each other
    forever.
    """
    if on_ub not in ("raise", "continue"):
        raise ArgumentValueError(f"on_ub: expected 'raise' or 'continue', got {on_ub!r}")
    if seed is not None and (not isinstance(seed, (int, np.integer)) or seed < 0):
        raise ArgumentValueError(f"seed: expected an integer that is not negative, or None, got {seed!r}")
    verify_once(m)
    found = _entry(m, entry)
    program = Program(_grid(grid), on_ub == "raise", seed)
    parameters = [_parameter(entry, i, value) for i, value in enumerate(found.params)]
    arguments = bind(entry, parameters, args, program.memory)
    for item in m.globals:
        # Copied, because each run starts with a freshly loaded module.
        data = np.array(item.value, order="C")
        if data.dtype == DTYPES[HALF_BYTE]:
            data = pairs(data)
        program.globals[item.name] = program.memory.add(data, f"global @{item.name}", readonly=item.constant)
    program.run(lambda index: Block(program, index, Order(program.chance)).run(found, arguments))


def _entry(m: Module, name: str) -> Entry:
    for entry in m.entries:
        if entry.is_called(name):
            return entry
    names = ", ".join(entry.name for entry in m.entries) or "none"
    raise KernelNotFound(f"the module has no entry {name!r}; it has: {names}")


def _grid(grid: int | tuple[int, ...]) -> tuple[int, int, int]:
    try:
        extents = (
            tuple(map(operator.index, grid)) if isinstance(grid, (tuple, list)) else (operator.index(grid),)
        )
    except TypeError:
        raise ArgumentTypeError(
            f"grid: expected an integer or a tuple of one to three, got {grid!r}"
        ) from None
    if not 1 <= len(extents) <= 3:
        raise ArgumentValueError(f"grid: expected one to three extents, got {len(extents)}")
    if not all(1 <= n <= _LARGEST_GRID for n in extents):
        raise ArgumentValueError(f"grid: extents must be from 1 to {_LARGEST_GRID}, got {grid}")
    x, y, z = extents + (1,) * (3 - len(extents))
    return x, y, z


def _parameter(entry: str, number: int, value: Value) -> Parameter:
    element = value_element(value)
    pointer = element.startswith("ptr<")
    what = pointee(element)
    if pointer and what.startswith("ptr<"):
        what = "ptr"
    return Parameter(entry, number + 1, value.name, what, pointer)
