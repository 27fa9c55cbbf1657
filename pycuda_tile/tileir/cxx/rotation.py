"""Loops that LLVM has rotated get their test in front again.

Rotation makes `while (c) body` into `if (c) do body while (c)`. Here a loop whose test is at the bottom gets
a block with the test before its body where the first round is known to pass it; and where the `if` around
it, its guard, only says that, the `if` goes. All of this changes the LLVM IR of a function, before it is
translated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .comparisons import Comparison, Definitions, facts, holds, implies, said_by
from .graph import Graph, Loop
from .induction import induction_of
from .llvm import Function, Instruction, Local, Number, Operand, Undefined
from .names import recorded_call

_PURE = {
    *("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "icmp", "fcmp", "select", "freeze"),
    *("zext", "sext", "trunc", "fpext", "fptrunc", "sitofp", "uitofp", "ptrtoint", "inttoptr", "bitcast"),
    *("fadd", "fsub", "fmul", "fdiv", "fneg", "getelementptr", "extractvalue", "insertvalue"),
}
_DIVIDES = {"div", "remainder", "ceildiv", "floordiv"}


@dataclass
class Guard:
    """A branch around a loop: its block, whether its condition leads in, and the blocks between."""

    block: str
    leads_in: bool
    between: list[str]


@dataclass
class Rotated:
    """A loop with its test at the bottom.

    entering, latch: the blocks that lead to its header, from before and from within
    leaves:          the block behind the loop, where the test leads
    merge:           where that and the guard's other way meet; the block behind the loop, or the one after it
    test:            what the test says of the index in front of a round
    moved:           what is added to the bound for that, with a guard that it then stands for, too
    """

    loop: Loop
    entering: str
    latch: str
    leaves: str
    guard: Guard | None = None
    merge: str = ""
    test: Comparison | None = None
    moved: int = 0


def unrotate(function: Function) -> None:
    """Changes what can be changed."""
    done: set[str] = set()
    while True:
        graph = Graph(function)
        definitions = {i.name: i for block in graph.order for i in graph.blocks[block] if i.name}
        for header in sorted(graph.loops, key=graph.number.__getitem__):  # outer loops first
            if header not in done:
                done.add(header)
                if _unrotate(_Editor(function, graph, definitions), graph.loops[header]):
                    break
        else:
            return


def _unrotate(editor: _Editor, loop: Loop) -> bool:
    graph, definitions = editor.graph, editor.definitions
    rotated = _find(graph, loop)
    if rotated is None or not _are_values_known(graph, rotated):
        return False
    rotated.guard = _guard(graph, rotated, definitions)
    is_repeated = False
    if first := _first_test(graph, rotated, definitions):
        rotated.test, known, is_repeated = first
        if not known:
            rotated.test = None
    if rotated.test is None and rotated.guard is not None:
        _test_of_last(graph, rotated, definitions)
        is_repeated = rotated.moved != 0
    if rotated.guard is None or (rotated.test and not is_repeated):
        rotated.guard = None
        if rotated.test is None:
            return False
    editor.apply(rotated)
    return True


# --- what there is ---


def _find(graph: Graph, loop: Loop) -> Rotated | None:
    inside = [p for p in graph.predecessors[loop.header] if p in loop.body]
    outside = [p for p in graph.predecessors[loop.header] if p not in loop.body]
    if len(inside) != 1 or len(outside) != 1:
        return None
    end = graph.blocks[inside[0]][-1]
    if end.op != "br" or len(graph.successors[inside[0]]) != 2:
        return None
    (leaves,) = [label for label in end.labels if label != loop.header]
    if leaves in loop.body:
        return None
    return Rotated(loop, outside[0], inside[0], leaves)


def _are_values_known(graph: Graph, rotated: Rotated) -> bool:
    """Whether values of the loop that are used beyond it can be replaced there: they are phis of the block
    behind it, or are used where only the test leads."""
    only = graph.predecessors[rotated.leaves] == [rotated.latch]
    for block in graph.order:
        if block in rotated.loop.body:
            continue
        for i in graph.blocks[block]:
            places = i.labels if i.op == "phi" else (block,) * len(i.operands)
            for operand, place in zip(i.operands, places, strict=False):
                if not isinstance(operand, Local) or place in rotated.loop.body:
                    continue
                if graph.block_of.get(operand.name) in rotated.loop.body:
                    behind = graph.dominates(rotated.leaves, place)
                    if behind and not only:
                        return False
                    if not behind and _reaches(graph, rotated.leaves, place, rotated.loop):
                        return False
    return True


def _reaches(graph: Graph, start: str, end: str, loop: Loop) -> bool:
    seen, work = {start}, [start]
    while work:
        block = work.pop()
        if block == end:
            return True
        for successor in graph.successors[block]:
            if successor not in seen and successor not in loop.body:
                seen.add(successor)
                work.append(successor)
    return False


def _guard(graph: Graph, rotated: Rotated, definitions: Definitions) -> Guard | None:
    """The branch around the loop, if what stands between it and the loop may also run without a round."""
    between, block = [], rotated.entering
    while len(graph.successors[block]) == 1:
        if not all(_is_harmless(i) for i in graph.blocks[block][:-1]):
            return None
        between.append(block)
        if len(graph.predecessors[block]) != 1:
            return None
        (block,) = graph.predecessors[block]
    end = graph.blocks[block][-1]
    if end.op != "br" or len(set(end.labels)) != 2:
        return None
    into = between[-1] if between else rotated.loop.header
    (other,) = [label for label in end.labels if label != into]
    leaves = rotated.leaves
    is_empty = all(i.op == "phi" for i in graph.blocks[leaves][:-1])
    if other == leaves:
        rotated.merge = leaves
    elif is_empty and graph.successors[leaves] == [other] and graph.predecessors[leaves] == [rotated.latch]:
        rotated.merge = other
    else:
        return None
    return Guard(block, end.labels[0] == into, between)


def _is_harmless(i: Instruction) -> bool:
    """Whether an instruction may run where it did not before."""
    if i.op == "call":
        call = recorded_call(i.detail)
        if call is None:
            return i.detail.startswith(("llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin", "llvm.abs"))
        divides = call.operation == "elementwise" and getattr(call.arguments[0], "name", "") in _DIVIDES
        return call.is_pure and not divides
    if i.op in ("udiv", "sdiv", "urem", "srem"):
        return isinstance(i.operands[1], Number) and i.operands[1].value not in (0, -1)
    return i.op in _PURE


def _first_test(
    graph: Graph, rotated: Rotated, definitions: Definitions
) -> tuple[Comparison, bool, bool] | None:
    """What the test says of the index in front of a round; whether it is known that the first round passes
    it; whether the guard says this and no more."""
    end = graph.blocks[rotated.latch][-1]
    counts = induction_of(graph, definitions, rotated.loop, end)
    if counts is None:
        return None
    guard = rotated.guard
    said, unsaid = [], []
    if guard is not None:
        condition = graph.blocks[guard.block][-1].operands[0]
        said = list(said_by(condition, guard.leads_in, definitions))
        unsaid = list(said_by(condition, not guard.leads_in, definitions))
    known = [*said, *facts(graph, definitions, rotated.loop.header)]
    found = None
    for test in counts.tests_in_front():
        first = test._replace(lhs=counts.start)
        if not holds(first, definitions) and not any(implies(f, first, definitions) for f in known):
            continue
        if any(implies(f, first.negated(), definitions) for f in unsaid):
            return test, True, True
        found = found or (test, True, False)
    return found


def _test_of_last(graph: Graph, rotated: Rotated, definitions: Definitions) -> None:
    """The test of a loop that ends after the round in which its index is the bound."""
    assert rotated.guard is not None
    end = graph.blocks[rotated.latch][-1]
    counts = induction_of(graph, definitions, rotated.loop, end)
    if counts is None:
        return
    condition = graph.blocks[rotated.guard.block][-1].operands[0]
    known = list(said_by(condition, rotated.guard.leads_in, definitions))
    known += facts(graph, definitions, rotated.loop.header)
    for test, needed in counts.tests_of_last():
        if all(_is_known(wanted, known, definitions) for wanted in needed):
            rotated.test, rotated.moved = test, 1 if test.predicate[1] == "l" else -1
            return


def _is_known(wanted: Comparison, known: list[Comparison], definitions: Definitions) -> bool:
    made = definitions.get(wanted.lhs.name) if isinstance(wanted.lhs, Local) else None
    if wanted.predicate == "ne" and made is not None and made.op in ("udiv", "lshr"):
        by = made.operands[1]  # less than all
        if isinstance(by, Number) and by.value > (made.op == "udiv") and wanted.rhs == Number(-1, made.type):
            return True
    if wanted.predicate == "ule" and wanted.lhs == Number(0, wanted.lhs.type):
        return True
    return holds(wanted, definitions) or any(implies(f, wanted, definitions) for f in known)


# --- how it is changed ---


class _Editor:
    """Changes the blocks of a function."""

    def __init__(self, function: Function, graph: Graph, definitions: Definitions):
        self.function, self.graph, self.definitions = function, graph, definitions

    def apply(self, rotated: Rotated) -> None:
        graph, header, latch = self.graph, rotated.loop.header, rotated.latch
        phis = graph.phis(header)
        end = graph.blocks[latch][-1]
        front = f"{header}.test"
        handed = _Handed(rotated, graph, front)
        self._replace_behind(rotated, handed)
        condition, tests = self._condition(rotated, end, handed, front)
        stays, labels = end.labels[0] == header, (header, rotated.leaves)
        if rotated.test is None and not stays:
            labels = labels[::-1]
        branch = replace(end, operands=(condition,), labels=labels)
        self.function.blocks[header] = graph.blocks[header][len(phis) :]
        self.function.blocks[front] = [*phis, *handed.made, *tests, branch]
        end.operands, end.labels = (), (front,)
        entry = graph.blocks[rotated.entering][-1]
        entry.labels = tuple(front if label == header else label for label in entry.labels)
        if rotated.guard is not None:
            self._drop_guard(rotated, front)

    def _condition(
        self, rotated: Rotated, end: Instruction, handed: _Handed, front: str
    ) -> tuple[Operand, list[Instruction]]:
        """The condition to go on in front of a round, and its instruction."""
        if rotated.test is not None:
            predicate, lhs, rhs, _ = rotated.test
            if rotated.moved:
                rhs = self._moved_bound(rotated, rhs, front)
            test = Instruction("icmp", "i1", f"{front}.passed", (lhs, rhs), detail=predicate, debug=end.debug)
            return Local(test.name, "i1"), [test]
        assert rotated.guard is not None  # its condition is the test of the first round
        guard = self.graph.blocks[rotated.guard.block][-1]
        same_way = rotated.guard.leads_in == (end.labels[0] == rotated.loop.header)
        first = guard.operands[0]
        if not same_way:
            negated = Instruction("xor", "i1", f"{front}.first", (first, Number(1, "i1")), debug=guard.debug)
            self.function.blocks[rotated.guard.block].insert(-1, negated)
            first = Local(negated.name, "i1")
        return handed.value(end.operands[0], first), []

    def _moved_bound(self, rotated: Rotated, bound: Operand, front: str) -> Operand:
        """The bound for a test in front of the first round: without the guard's condition, what the index is
        at first."""
        assert rotated.guard is not None and rotated.test is not None
        header = rotated.loop.header
        (index,) = [p for p in self.graph.phis(header) if Local(p.name, p.type) == rotated.test.lhs]
        guard = self.graph.blocks[rotated.guard.block][-1]
        moved = Instruction(
            "add", bound.type, f"{front}.end", (bound, Number(rotated.moved, bound.type)), debug=guard.debug
        )
        start = index.operands[index.labels.index(rotated.entering)]
        choices: list[Operand] = [Local(moved.name, moved.type), start]
        if not rotated.guard.leads_in:
            choices.reverse()
        name = f"{front}.bound"
        chosen = Instruction("select", bound.type, name, (guard.operands[0], *choices), debug=guard.debug)
        self.graph.blocks[rotated.entering][-1:-1] = [moved, chosen]
        return Local(name, bound.type)

    def _replace_behind(self, rotated: Rotated, handed: _Handed) -> None:
        """What is used behind the loop is handed to the test in front of it."""
        graph, leaves, latch = self.graph, rotated.leaves, rotated.latch
        skipped = rotated.guard.block if rotated.guard is not None else None
        for block in graph.order:
            for i in graph.blocks[block]:
                places = i.labels if i.op == "phi" else (block,) * len(i.operands)
                if block not in rotated.loop.body and any(graph.dominates(leaves, p) for p in places):
                    pairs = zip(i.operands, places, strict=True)
                    i.operands = tuple(
                        handed.behind(o) if graph.dominates(leaves, p) else o for o, p in pairs
                    )
        if skipped is not None and rotated.merge != leaves:
            for phi in graph.phis(rotated.merge):
                behind = phi.operands[phi.labels.index(leaves)]
                made = self.definitions.get(behind.name) if isinstance(behind, Local) else None
                if made is not None and made.op == "phi" and graph.block_of[made.name] == leaves:
                    behind = made.operands[0]
                value = handed.value(behind, phi.operands[phi.labels.index(skipped)])
                _set(phi, leaves, leaves, value)
        for phi in graph.phis(leaves):
            first: Operand = Undefined(phi.type)
            if skipped is not None and rotated.merge == leaves:
                first = phi.operands[phi.labels.index(skipped)]
            _set(phi, latch, handed.front, handed.value(phi.operands[phi.labels.index(latch)], first))

    def _drop_guard(self, rotated: Rotated, front: str) -> None:
        assert rotated.guard is not None
        block = rotated.guard.block
        end = self.graph.blocks[block][-1]
        into = rotated.guard.between[-1] if rotated.guard.between else front
        end.operands, end.labels = (), (into,)
        for phi in self.graph.phis(rotated.merge):
            at = phi.labels.index(block)
            phi.operands = phi.operands[:at] + phi.operands[at + 1 :]
            phi.labels = phi.labels[:at] + phi.labels[at + 1 :]


def _set(phi: Instruction, old: str, new: str, operand: Operand) -> None:
    """Another operand for a way into a block, which may come from another block."""
    at = phi.labels.index(old)
    phi.operands = (*phi.operands[:at], operand, *phi.operands[at + 1 :])
    phi.labels = (*phi.labels[:at], new, *phi.labels[at + 1 :])


class _Handed:
    """Values that the end of a round hands to the test in front of the next: phis of the test's block."""

    def __init__(self, rotated: Rotated, graph: Graph, front: str):
        self.front, self.made = front, list[Instruction]()
        self._rotated, self._graph = rotated, graph
        self._phis = graph.phis(rotated.loop.header)

    def behind(self, operand: Operand) -> Operand:
        """What stands for an operand behind the loop."""
        return self.value(operand, Undefined(operand.type)) if self._is_inside(operand) else operand

    def value(self, last: Operand, first: Operand) -> Operand:
        """What is `first` before the first round, and after each `last`."""
        if last == first or (isinstance(first, Undefined) and not self._is_inside(last)):
            return last
        for phi in (*self._phis, *self.made):
            ways = dict(zip(phi.labels, phi.operands, strict=True))
            is_first = isinstance(first, Undefined) or ways[self._rotated.entering] == first
            if ways[self._rotated.latch] == last and is_first:
                return Local(phi.name, phi.type)
        labels = (self._rotated.entering, self._rotated.latch)
        phi = Instruction("phi", last.type, f"{self.front}.{len(self.made)}", (first, last), labels=labels)
        self.made.append(phi)
        return Local(phi.name, phi.type)

    def _is_inside(self, operand: Operand) -> bool:
        inside = self._rotated.loop.body
        return isinstance(operand, Local) and self._graph.block_of.get(operand.name) in inside
