"""folding: small tiles of integers that are known before anything runs.

Compilers compute them, too, but not once they have joined short rows into vectors: then a tile is written in
parts and read as a whole, for which processors wait.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from ..interpreter.operations import PURE
from ..ir import Operation
from ..reading import operands_of
from .facts import SOURCES, is_small, is_tile

_FOLDED = frozenset({"addi", "subi", "muli", "andi", "ori", "xori", "shli", "shri", "cmpi", "broadcast"})
_KNOWN = _FOLDED | SOURCES | {"exti", "trunci", "reshape", "permute"}


class Folding:
    """known: the elements of tiles, by the values' identity"""

    def __init__(self) -> None:
        self.known: dict[int, np.ndarray] = {}

    def folded(self, op: Operation) -> Operation | None:
        """The `constant` that an operation is. Positions stay what they are, of which pointers are made."""
        if op.name not in _KNOWN or not is_small(op):
            return None
        operands = [self.known.get(id(value)) for value in operands_of(op)]
        if any(operand is None for operand in operands):
            return None
        try:
            elements = PURE[op.name](op)(_refuse, *operands)
        except _Undefined:
            return None
        self.known[id(op.results[0])] = elements
        if op.name not in _FOLDED or not is_tile(op.results[0]):
            return None
        return Operation("constant", {}, {"value": elements}, op.results, [], op.line, op.location)


class _Undefined(Exception):
    pass


def _refuse(kind: str, message: str) -> NoReturn:
    raise _Undefined
