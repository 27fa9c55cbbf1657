"""Indices: phis of a loop's header to which each round adds the same, and tests of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .comparisons import NEGATED, Comparison, Definitions, bits
from .graph import Graph, Loop
from .llvm import Instruction, Local, Number, Operand
from .names import recorded_call


@dataclass
class Induction:
    """An index, and a test of it.

    phi, start, step: the index, what it is at first, and what a round adds
    made:             the instruction that adds
    test:             the loop goes on while it holds; its left side is the index
    tests_next:       whether it is the index of the next round
    """

    phi: Instruction
    start: Operand
    step: Operand
    made: Instruction
    test: Comparison
    tests_next: bool

    def tests_in_front(self) -> Iterator[Comparison]:
        """What a test at the end of a round says of the index of the next round. The first that also holds
        before the first round can stand in front."""
        index = Local(self.phi.name, self.phi.type)
        unit = {1: "lt", -1: "gt"}.get(int(self.step.value)) if isinstance(self.step, Number) else None
        for test in self.test.of_both_signs():
            bound = test.rhs if self.tests_next else self._moved(test.predicate)
            if bound is None:
                continue
            if test.predicate == "ne" and unit:  # what begins on one side of the bound ends at it
                yield Comparison(f"s{unit}", index, bound)
                yield Comparison(f"u{unit}", index, bound)
            yield Comparison(test.predicate, index, bound)

    def tests_of_last(self) -> Iterator[tuple[Comparison, list[Comparison]]]:
        """For a test whether the index of this round is unequal to a bound, which is that of the last round:
        what it says in front of a round, if one is added to the bound; and what must hold for that."""
        step = int(self.step.value) if isinstance(self.step, Number) else 0
        if self.tests_next or self.test.predicate != "ne" or abs(step) != 1:
            return
        index, bound, width = Local(self.phi.name, self.phi.type), self.test.rhs, bits(self.test.rhs)
        for sign in "us":
            least = 0 if sign == "u" else -(1 << width - 1)
            limit = least + (1 << width) - 1 if step > 0 else least
            limit -= limit >> width - 1 << width if sign == "u" else 0
            order = "l" if step > 0 else "g"
            needed = [
                Comparison(f"{sign}{order}e", self.start, bound),
                Comparison("ne", bound, Number(limit, bound.type)),
            ]
            yield Comparison(f"{sign}{order}t", index, bound), needed

    def _moved(self, predicate: str) -> Number | None:
        """The bound of the next index, of a test of this one; None where it would wrap."""
        if not isinstance(self.test.rhs, Number) or not isinstance(self.step, Number):
            return None
        width, step = bits(self.test.rhs), int(self.step.value)
        bound, towards = int(self.test.rhs.value) + step, "lt" if step > 0 else "gt"
        if predicate != "ne":
            least = -(1 << width - 1) if predicate[0] == "s" else 0
            bound = (bound - step - least) % (1 << width) + least + step
            last = bound + step - (1 if step > 0 else -1)  # the index can go as far
            if predicate[1:] != towards or not least <= last < least + (1 << width):
                return None
        bound %= 1 << width
        return Number(bound - (bound >> width - 1 << width), self.test.rhs.type)


def induction_of(graph: Graph, definitions: Definitions, loop: Loop, end: Instruction) -> Induction | None:
    """The index that the branch at the end of a block tests, if one of its ways leaves the loop."""
    test = definitions.get(end.operands[0].name) if isinstance(end.operands[0], Local) else None
    if test is None or test.op != "icmp":
        return None
    stays = end.labels[0] in loop.body
    predicate = test.detail if stays else NEGATED[test.detail]
    lhs, rhs = test.operands
    one = Comparison(predicate, lhs, rhs, "samesign" in test.flags)
    for found in (one, one.swapped()):
        if not is_before(graph, loop, found.rhs):
            continue
        for phi in graph.phis(loop.header):
            made = _step(graph, definitions, loop, phi)
            if made is None or found.lhs not in (Local(phi.name, phi.type), Local(made.name, made.type)):
                continue
            step = made.operands[1] if made.operands[0] == Local(phi.name, phi.type) else made.operands[0]
            start = start_of(loop, phi)
            return Induction(phi, start, step, made, found, found.lhs == Local(made.name, made.type))
    return None


def _step(graph: Graph, definitions: Definitions, loop: Loop, phi: Instruction) -> Instruction | None:
    """What makes an index of the one before."""
    after = {o for o, where in zip(phi.operands, phi.labels, strict=True) if where in loop.body}
    if len(after) != 1 or phi.type not in ("i8", "i16", "i32", "i64"):
        return None
    (next_,) = after
    made = definitions.get(next_.name) if isinstance(next_, Local) else None
    here = Local(phi.name, phi.type)
    if made is None or here not in made.operands or not (made.op == "add" or is_next_index(made)):
        return None
    step = made.operands[1] if made.operands[0] == here else made.operands[0]
    return made if is_before(graph, loop, step) else None


def is_next_index(i: Instruction) -> bool:
    """Whether an irange counts: its step is positive, and it does not wrap."""
    call = recorded_call(i.detail) if i.op == "call" else None
    return call is not None and call.operation == "next_index"


def start_of(loop: Loop, phi: Instruction) -> Operand:
    """What a phi of a loop's header is at first."""
    return next(o for o, where in zip(phi.operands, phi.labels, strict=True) if where not in loop.body)


def is_before(graph: Graph, loop: Loop, operand: Operand) -> bool:
    """Whether an operand does not change in a loop."""
    if not isinstance(operand, Local):
        return isinstance(operand, Number)
    return graph.block_of.get(operand.name) not in loop.body
