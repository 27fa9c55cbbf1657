"""Which loops count: they become `for`, with their index or the distance from where it begins as its own.

The test stands in front of the body (rotation.py), and compares the index with a bound. A `for` goes up and
does not wrap, so what counts down, or to an unequal bound, is counted by the distance that is left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .comparisons import Comparison, facts, holds, implies
from .graph import Loop
from .induction import Induction, bits, induction_of, is_next_index, start_of
from .llvm import Instruction, Local, Number, Operand
from .names import recorded_call

if TYPE_CHECKING:
    from .structure import Structure


@dataclass
class Counted:
    """A loop that counts.

    phi:           its index
    bound, step:   where it ends, and by how much it goes on, at least 1
    inclusive:     whether there is a round of the bound itself
    direction:     0 where the index is that of the `for`; else that counts the distance from where the index
                   begins, which goes up (1) or down (-1)
    is_empty_at_first: whether the test may refuse the first round; then no distance is left
    unsigned:      how the index and the bound compare
    exiting, exit: the block with the test, and the one behind the loop
    behind:        values that are used behind the loop, and the phi of the header whose result they are
    extra:         those that are handed on only to be known there
    again:         whether the header's instructions are translated again behind the loop
    """

    phi: Instruction
    bound: Operand
    step: Operand
    unsigned: bool
    exiting: str
    exit: str
    inclusive: bool = False
    direction: int = 0
    is_empty_at_first: bool = False
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
    graph, definitions = structure.graph, structure.definitions
    if not _only_header_leaves(structure, loop):
        return None
    end = graph.blocks[loop.header][-1]
    if end.op != "br" or len(graph.successors[loop.header]) != 2:
        return None
    counts = induction_of(graph, definitions, loop, end)
    if counts is None or counts.tests_next:
        return None
    (leaves,) = [label for label in end.labels if label not in loop.body]
    for test in counts.test.of_both_signs():
        found = _by_test(structure, loop, counts, test, leaves)
        if found is not None:
            _plan_values(structure, loop, found)
            return found
    return None


def _only_header_leaves(structure: Structure, loop: Loop) -> bool:
    """Whether the header is the only block to leave the loop, and has no effects."""
    graph = structure.graph
    for block in loop.body:
        if graph.blocks[block][-1].op in ("ret",):
            return False
        leaves = any(successor not in loop.body for successor in graph.successors[block])
        if leaves != (block == loop.header):
            return False
    return all(i.op == "phi" or _is_pure(i) for i in graph.blocks[loop.header][:-1])


def _is_pure(i: Instruction) -> bool:
    if i.op == "call":
        call = recorded_call(i.detail)
        return i.detail.startswith("llvm.") or (call is not None and call.is_pure)
    return i.op not in ("load", "store", "br", "switch", "alloca")


def _by_test(
    structure: Structure, loop: Loop, counts: Induction, test: Comparison, leaves: str
) -> Counted | None:
    """A loop that goes on while the test holds."""
    found = Counted(counts.phi, test.rhs, counts.step, test.predicate[0] == "u", loop.header, leaves)
    if test.predicate == "ne":
        return _to_unequal_bound(structure, loop, counts, found)
    up, found.inclusive = test.predicate[1] == "l", test.predicate[2] == "e"
    if is_next_index(counts.made):
        return found if up else None
    if not isinstance(counts.step, Number):  # it is positive, or the sum wraps some time
        return found if up and not found.inclusive and _does_not_wrap(counts, found) else None
    if (counts.step.value > 0) != up or not counts.step.value:
        return None
    if not _ends_before_it_wraps(counts, found):
        return None
    if not up:
        found.step, found.direction = Number(-counts.step.value, counts.step.type), -1
        first = test._replace(lhs=counts.start)
        known = facts(structure.graph, structure.definitions, loop.header)
        is_known = holds(first, structure.definitions) or any(
            implies(fact, first, structure.definitions) for fact in known
        )
        found.is_empty_at_first = not is_known
    return found


def _does_not_wrap(counts: Induction, found: Counted) -> bool:
    return ("nuw" if found.unsigned else "nsw") in counts.made.flags


def _ends_before_it_wraps(counts: Induction, found: Counted) -> bool:
    """A step that is a power of two comes to the same indices again when it wraps: then the loop never ends,
    and need not be thought of."""
    assert isinstance(counts.step, Number)
    step = abs(int(counts.step.value))
    if step & (step - 1) == 0 or _does_not_wrap(counts, found):
        return True
    if not isinstance(found.bound, Number):
        return False
    width = bits(found.bound)
    least = 0 if found.unsigned else -(1 << width - 1)
    bound = (int(found.bound.value) - least) % (1 << width) + least
    if counts.step.value > 0:
        return bound + step - (not found.inclusive) < least + (1 << width)
    return bound - step + (not found.inclusive) >= least


def _to_unequal_bound(structure: Structure, loop: Loop, counts: Induction, found: Counted) -> Counted | None:
    """Counts until the index is the bound."""
    if not isinstance(counts.step, Number):
        return None
    step = int(counts.step.value)
    if step == 1:
        for predicate, unsigned in (("sle", False), ("ule", True)):
            first = Comparison(predicate, counts.start, found.bound)
            known = facts(structure.graph, structure.definitions, loop.header)
            if holds(first, structure.definitions) or any(
                implies(fact, first, structure.definitions) for fact in known
            ):
                found.unsigned = unsigned
                return found
        if {"nsw", "nuw"} & counts.made.flags:
            found.unsigned = "nsw" not in counts.made.flags
            return found
    if abs(step) & (abs(step) - 1) or not step:
        return None
    found.step, found.direction = Number(abs(step), counts.step.type), 1 if step > 0 else -1
    return found


def _plan_values(structure: Structure, loop: Loop, counted: Counted) -> None:
    """Finds out how what is used behind the loop is known there."""
    graph, index = structure.graph, counted.phi.name
    wanted = dict.fromkeys(loop.leaving)
    for phi in graph.phis(counted.exit):
        operand = phi.operands[phi.labels.index(counted.exiting)]
        if isinstance(operand, Local) and graph.block_of.get(operand.name) in loop.body:
            wanted[operand.name] = None
    phis = {phi.name for phi in graph.phis(loop.header)}
    counted.again = any(name not in phis for name in wanted)
    if counted.again:  # what the header computes of its phis is computed once more
        wanted = dict.fromkeys(phis)
    for name in wanted:
        if name == index:
            value = Local(name, counted.phi.type)
            counted.extra.append(Extra(value, start_of(loop, counted.phi), next=True))
        else:
            counted.behind[name] = name
