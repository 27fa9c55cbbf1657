"""Which loops count: an index from a bound to a bound by a constant step, so that they are a `for`.

The test stands in front of the body, as the source has it, or behind it, as LLVM rotates loops; then another
test in front of the loop says that there is a first round.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .graph import Loop
from .llvm import Instruction, Local, Number, Operand
from .names import recorded_call

if TYPE_CHECKING:
    from .structure import Structure

_SWAPPED = {"sgt": "slt", "ugt": "ult", "sge": "sle", "uge": "ule", "slt": "sgt", "ult": "ugt"}
_SWAPPED |= {"sle": "sge", "ule": "uge", "eq": "eq", "ne": "ne"}
_NEGATED = {"sgt": "sle", "sle": "sgt", "slt": "sge", "sge": "slt", "eq": "ne"}
_NEGATED |= {"ugt": "ule", "ule": "ugt", "ult": "uge", "uge": "ult", "ne": "eq"}


@dataclass
class Counted:
    """A loop that counts.

    phi:            its index
    exiting, exit:  the block with the test, and the one behind the loop
    behind:         values that are used behind the loop, and the phi of the header whose result they are
    extra:          those that are handed on only to be known there
    again:          whether the header's instructions are translated again behind the loop
    """

    phi: Instruction
    bound: Operand
    step: Operand
    unsigned: bool
    exiting: str
    exit: str
    behind: dict[str, str] = field(default_factory=dict)
    extra: list[Extra] = field(default_factory=list)
    again: bool = False


@dataclass
class Extra:
    """A value that is known behind the loop; `before` is what it is without a round. Of the index, next is
    meant: the value that the test refuses."""

    value: Local
    before: Operand | None = None
    next: bool = False


def find_counted(structure: Structure, loop: Loop) -> Counted | None:
    """None where the loop does not count."""
    exiting = _only_exit(structure, loop)
    if exiting is None:
        return None
    end = structure.graph.blocks[exiting][-1]
    if end.op != "br" or len(structure.graph.successors[exiting]) != 2:
        return None
    stays, leaves = end.labels if end.labels[0] in loop.body else reversed(end.labels)
    test = _definition(structure, end.operands[0])
    if test is None or test.op != "icmp":
        return None
    predicate = test.detail if stays == end.labels[0] else _NEGATED[test.detail]
    latches = [p for p in structure.graph.predecessors[loop.header] if p in loop.body]
    for (lhs, rhs), which in ((test.operands, predicate), (test.operands[::-1], _SWAPPED[predicate])):
        found = _by_test(structure, loop, lhs, rhs, which, latches, exiting, leaves)
        if found is not None:
            _plan_values(structure, loop, found)
            return found
    return None


def _definition(structure: Structure, operand: Operand) -> Instruction | None:
    return structure.definitions.get(operand.name) if isinstance(operand, Local) else None


def _only_exit(structure: Structure, loop: Loop) -> str | None:
    """The block that is the only one to leave the loop, if that is the header or the latch."""
    graph, found = structure.graph, []
    for block in loop.body:
        if graph.blocks[block][-1].op in ("ret",):
            return None
        if any(successor not in loop.body for successor in graph.successors[block]):
            found.append(block)
    if len(found) != 1:
        return None
    (block,) = found
    if block != loop.header:
        return block if graph.successors[block].count(loop.header) else None
    return block if all(i.op == "phi" or _is_pure(i) for i in graph.blocks[block][:-1]) else None


def _is_pure(i: Instruction) -> bool:
    if i.op == "call":
        call = recorded_call(i.detail)
        return i.detail.startswith("llvm.") or (call is not None and call.is_pure)
    return i.op not in ("load", "store", "br", "switch", "alloca")


def _by_test(
    structure: Structure,
    loop: Loop,
    index: Operand,
    bound: Operand,
    predicate: str,
    latches: list[str],
    exiting: str,
    leaves: str,
) -> Counted | None:
    """A loop that goes on while `index predicate bound` holds."""
    for phi in structure.graph.phis(loop.header):
        after = [phi.operands[phi.labels.index(latch)] for latch in latches]
        steps = {_step(structure, phi, operand) for operand in after}
        step = steps.pop()
        if steps or step is None or phi.type not in ("i8", "i16", "i32", "i64"):
            continue
        if not _is_before(structure, loop, step) or not _is_before(structure, loop, bound):
            continue
        if isinstance(step, Number) and step.value <= 0:
            continue
        if index == Local(phi.name, phi.type) and exiting == loop.header and latches != [exiting]:
            if predicate in ("slt", "ult"):
                return Counted(phi, bound, step, predicate == "ult", exiting, leaves)
        elif [index] == after and latches == [exiting]:
            unsigned = _sign_of_first_round(structure, loop, phi, bound)
            by_order = predicate in ("slt", "ult") and unsigned == (predicate == "ult")
            by_equality = predicate == "ne" and step == Number(1, phi.type)
            if unsigned is not None and (by_order or by_equality):
                return Counted(phi, bound, step, unsigned, exiting, leaves)
    return None


def _step(structure: Structure, phi: Instruction, after: Operand) -> Operand | None:
    i = _definition(structure, after)
    here = Local(phi.name, phi.type)
    if i is None or i.op != "add" or here not in i.operands:
        return None
    return i.operands[1] if i.operands[0] == here else i.operands[0]


def _is_before(structure: Structure, loop: Loop, operand: Operand) -> bool:
    if not isinstance(operand, Local):
        return isinstance(operand, Number)
    return structure.graph.block_of.get(operand.name) not in loop.body


def _sign_of_first_round(structure: Structure, loop: Loop, phi: Instruction, bound: Operand) -> bool | None:
    """Whether a test in front of the loop, which says that its index begins below the bound, is of unsigned
    numbers; None where there is no such test."""
    graph = structure.graph
    start = _start(loop, phi)
    if isinstance(start, Number) and isinstance(bound, Number) and 0 <= start.value < bound.value:
        return False
    block, above = loop.header, graph.dominator(loop.header)
    while above is not None:
        end = graph.blocks[above][-1]
        test = _definition(structure, end.operands[0]) if end.op == "br" and end.operands else None
        if test is not None and test.op == "icmp" and len(set(end.labels)) == 2:
            for label, predicate in zip(end.labels, (test.detail, _NEGATED[test.detail]), strict=True):
                if graph.dominates(label, block) and graph.forward[label] == 1:
                    sign = _says_below(test, predicate, start, bound)
                    if sign is not None:
                        return sign
        above = graph.dominator(above)
    return None


def _says_below(test: Instruction, predicate: str, start: Operand, bound: Operand) -> bool | None:
    for (lhs, rhs), which in ((test.operands, predicate), (test.operands[::-1], _SWAPPED[predicate])):
        if (lhs, rhs) == (start, bound) and which in ("slt", "ult"):
            return which == "ult"
        if lhs == bound and which == "ne" and rhs == start == Number(0, start.type):
            return True
    return None


def _plan_values(structure: Structure, loop: Loop, counted: Counted) -> None:
    """Finds out how what is used behind the loop is known there."""
    graph, index = structure.graph, counted.phi.name
    wanted = dict.fromkeys(loop.leaving)
    for phi in graph.phis(counted.exit):
        operand = phi.operands[phi.labels.index(counted.exiting)]
        if isinstance(operand, Local) and graph.block_of.get(operand.name) in loop.body:
            wanted[operand.name] = None
    phis = {phi.name: phi for phi in graph.phis(loop.header)}
    in_front = counted.exiting == loop.header and not _is_latch(structure, loop, loop.header)
    counted.again = in_front and any(name not in phis for name in wanted)
    if counted.again:  # what the header computes of its phis is computed once more
        wanted = dict.fromkeys(phis)
    for name in wanted:
        value = Local(name, structure.definitions[name].type)
        if in_front and name == index:
            counted.extra.append(Extra(value, _start(loop, counted.phi), next=True))
        elif in_front:
            counted.behind[name] = name
        else:
            same = [
                n
                for n, p in phis.items()
                if n != index and p.operands[p.labels.index(counted.exiting)] == value
            ]
            if same:
                counted.behind[name] = same[0]
            else:
                counted.extra.append(Extra(value))


def _is_latch(structure: Structure, loop: Loop, block: str) -> bool:
    return block in structure.graph.predecessors[loop.header]


def _start(loop: Loop, phi: Instruction) -> Operand:
    """What a phi of a loop's header is at first."""
    return next(o for o, where in zip(phi.operands, phi.labels, strict=True) if where not in loop.body)
