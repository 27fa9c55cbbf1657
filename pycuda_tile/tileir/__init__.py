"""Tile IR, the format that tile compilers exchange: reads, runs and builds its modules.

    module = tileir.read_bytecode(kernel.tileir)      # from a kernel built with target="tile"
    tileir.interpret(module, "entry", grid, *arrays)  # on NumPy arrays: exact and slow
    tileir.build(module, target="cpu")                # through our header, a Module that launches

Each name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .assertions import AssertionFailed
    from .bytecode import BytecodeError, read_bytecode, write_bytecode
    from .cxx.from_cpp import from_cpp
    from .equality import equal
    from .interpreter import interpret
    from .lower.build import build
    from .module import Module
    from .text.lexer import ParseError
    from .text.parser import parse
    from .verifier import VerifyError, verify

_PUBLIC = {
    "Module": "module",
    "from_cpp": "cxx",
    "equal": "equality",
    "parse": "text.parser",
    "ParseError": "text.lexer",
    "read_bytecode": "bytecode",
    "write_bytecode": "bytecode",
    "BytecodeError": "bytecode",
    "interpret": "interpreter",
    "AssertionFailed": "assertions",
    "build": "lower.build",
    "verify": "verifier",
    "VerifyError": "verifier",
}
__all__ = [
    "AssertionFailed",
    "BytecodeError",
    "Module",
    "ParseError",
    "VerifyError",
    "build",
    "equal",
    "from_cpp",
    "interpret",
    "parse",
    "read_bytecode",
    "verify",
    "write_bytecode",
]


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_PUBLIC[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
