"""Tile IR, what tile compilers exchange: modules read, run and built.

    module = tileir.read_bytecode(kernel.tileir)      # of a kernel built with target="tile"
    tileir.interpret(module, "entry", grid, *arrays)  # on NumPy arrays: exact and slow
    tileir.build(module, target="cpu")                # through our header, a Module that launches

Each name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bytecode import BytecodeError, read_bytecode
    from .interpreter import AssertionFailed, interpret
    from .ir import Module
    from .lower import build

_PUBLIC = {
    "Module": "ir",
    "read_bytecode": "bytecode",
    "BytecodeError": "bytecode",
    "interpret": "interpreter",
    "AssertionFailed": "interpreter.errors",
    "build": "lower",
}
__all__ = ["AssertionFailed", "BytecodeError", "Module", "build", "interpret", "read_bytecode"]


def __getattr__(name: str):
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_PUBLIC[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
