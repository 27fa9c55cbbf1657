"""Where poison of LLVM's is undefined behaviour: there, operations may promise that there is none.

An instruction of LLVM's that breaks a promise, such as nsw, yields poison, and nothing happens until that is
used. So LLVM lets instructions run where nobody may need them, above branches and in front of loops. An
operation of Tile IR is undefined at once. It can promise what its instruction does if the result reaches,
whichever way control goes from there, a use that is undefined with poison.
"""

from __future__ import annotations

from collections.abc import Iterable

from .graph import Graph
from .llvm import Instruction, Operand
from .names import recorded_call

#: All values; also what is used on a way that is never taken.
_ALL = -1
_DIVISION = {"udiv", "sdiv", "urem", "srem"}
#: Instructions whose results are not poison, or not always, where an operand is.
_STOPS = {"phi", "freeze", "insertvalue", "alloca"}


def certainly_used(graph: Graph) -> set[str]:
    """The values that must not be poison, each time that their instructions run."""
    return _Uses(graph).find()


class _Uses:
    """Sets of values are numbers with a bit for each. Loops are taken to end, as C++ does."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._bits = {name: 1 << k for k, name in enumerate(graph.block_of)}
        self._at_start = dict.fromkeys(graph.order, _ALL)
        self._found = 0

    def find(self) -> set[str]:
        changed = True
        while changed:
            changed, self._found = False, 0
            for block in reversed(self._graph.order):
                used = self._from_start(block, self._behind(block))
                changed |= used != self._at_start[block]
                self._at_start[block] = used
        return {name for name, bit in self._bits.items() if self._found & bit}

    def _behind(self, block: str) -> int:
        """What is used whichever way control goes from a block."""
        if self._graph.blocks[block][-1].op == "ret":
            return 0
        used = _ALL
        for successor in self._graph.successors[block]:
            used &= self._over_edge(block, successor)
        return used

    def _over_edge(self, block: str, successor: str) -> int:
        used = self._at_start[successor]
        phis = self._graph.phis(successor)
        brought = [p.operands[p.labels.index(block)] for p in phis if used & self._bits[p.name]]
        return used & ~self._all_of(p.name for p in phis) | self._operands(brought)

    def _from_start(self, block: str, used: int) -> int:
        """What is used from the start of a block on, of what is used behind it."""
        for i in reversed(self._graph.blocks[block]):
            if i.op == "phi":  # its operands are used on the edges
                continue
            own = self._bits.get(i.name, 0)
            self._found |= used & own
            needed = _needed(i, bool(used & own))
            used = 0 if _may_stop(i) else used & ~own  # an earlier round's value is another one
            used |= self._operands(needed)
        return used

    def _operands(self, operands: Iterable[Operand]) -> int:
        return self._all_of(getattr(operand, "name", "") for operand in operands)

    def _all_of(self, names: Iterable[str]) -> int:
        found = 0
        for name in names:
            found |= self._bits.get(name, 0)
        return found


def _needed(i: Instruction, is_used: bool) -> tuple[Operand, ...]:
    """The operands that must not be poison: an instruction would be undefined with them, or its result poison
    that is used."""
    if i.op in ("store", "ret") or (i.op == "call" and _has_effect(i)):
        return i.operands
    if i.op in ("load", "br", "switch"):
        return i.operands[:1]
    if not is_used:
        return i.operands[1:] if i.op in _DIVISION else ()
    if i.op == "select":
        return i.operands[:1]
    return () if i.op in _STOPS else i.operands


def _has_effect(i: Instruction) -> bool:
    call = recorded_call(i.detail)
    return not call.is_pure if call else i.type == "void" or i.detail == "printf"


def _may_stop(i: Instruction) -> bool:
    """Whether what follows may never run."""
    call = recorded_call(i.detail) if i.op == "call" else None
    return call is not None and call.operation == "asserted"
