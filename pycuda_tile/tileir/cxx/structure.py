"""Control flow: blocks become `if`, and what is in loops (loops.py) leads out of them or to the next round.

Blocks are translated in the order in which they run. Edges out of what has been translated are collected
until all edges into a block are there; then the block follows. Where a construct can be left towards several
blocks, it yields a number that says which.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from ..ir import Block, Operation, Tile, Value
from .aliasing import Region
from .builder import Unsupported
from .counted import Counted, Extra
from .graph import Graph, Loop
from .joins import Arrival, Flow, Plan, Side
from .llvm import Function, Instruction, Local, Operand
from .names import recorded_call
from .poison import certainly_used
from .printing import Printing
from .rotation import unrotate
from .types import integer
from .unreachable import drop_unreachable


@dataclass
class Carried:
    """What a loop hands from one round to the next: the phis of its header and tokens.

    order: the parts of memory, and whether the last write has a token besides that of all accesses
    """

    phis: list[Instruction]
    types: list[Tile]
    order: list[tuple[Region, bool]]
    extra: list[Extra] = field(default_factory=list)


@dataclass(eq=False)
class Context:
    """A loop that is being translated."""

    loop: Loop
    carried: Carried
    counted: Counted | None
    arguments: list[Value]
    exits: list[Side] = field(default_factory=list)


class Structure(Printing):
    """Translates the blocks of a function."""

    def __init__(self, function: Function, parameters: dict[str, Tile]):
        drop_unreachable(function)
        unrotate(function)
        super().__init__(function, parameters)
        self.graph = Graph(function)
        self.certainly_used = certainly_used(self.graph)
        self.contexts: list[Context] = []
        self.of_regions = self._find_of_regions()
        self.prepare_memory()

    def _find_of_regions(self) -> set[str]:
        """What depends on the arguments of a reduction's body: it is translated with the reduction."""
        users: dict[str, list[Instruction]] = {}
        work = []
        for i in self.definitions.values():
            call = recorded_call(i.detail) if i.op == "call" else None
            if call and call.operation == "argument":
                work.append(i)
            if call and call.operation in ("reduce", "scan"):
                continue
            for operand in i.operands:
                if isinstance(operand, Local):
                    users.setdefault(operand.name, []).append(i)
        found: set[str] = set()
        while work:
            i = work.pop()
            if i.name not in found:
                found.add(i.name)
                work += users.get(i.name, [])
        return found

    @abstractmethod
    def translate_loop(self, header: str) -> Flow | None: ...
    @abstractmethod
    def go_round(self, context: Context, arrival: Arrival) -> None: ...
    @abstractmethod
    def at(self, i: Instruction) -> None: ...

    # --- blocks ---

    def run(self, block: str) -> Flow | None:
        """Translates a block and all that follows it, up to blocks that other edges lead to as well."""
        while True:
            is_new_loop = block in self.graph.loops and not any(c.loop.header == block for c in self.contexts)
            flow = self.translate_loop(block) if is_new_loop else self._block(block)
            while flow is not None:
                ready = [t for t, a in flow.arrivals.items() if a.count == self.graph.forward[t]]
                if not ready:
                    return flow
                block = min(ready, key=self.graph.number.__getitem__)
                arrival = flow.arrivals.pop(block)
                if not flow.arrivals:
                    self._enter(block, arrival)
                    break
                flow = self._first_of_several(block, arrival, flow)
            if flow is None:
                return None

    def _first_of_several(self, block: str, arrival: Arrival, others: Flow) -> Flow | None:
        def follow() -> Flow | None:
            self._enter(block, arrival)
            return self.run(block)

        here = self._leads_to(others, block)
        return self._branch(here, follow, lambda: others)

    def _leads_to(self, flow: Flow, block: str) -> Value:
        """Whether control goes to this block, of several."""
        assert flow.selector is not None, "there is one block only"
        return self.equals(flow.selector, self.graph.number[block])

    def _enter(self, block: str, arrival: Arrival) -> None:
        for phi, operand in zip(self.graph.phis(block), arrival.operands, strict=True):
            self.values[phi.name] = self.of_type(operand, self._merged_type(phi))
        self.order = dict(arrival.order)

    def _merged_type(self, phi: Instruction) -> Tile:
        return self.type_of(Local(phi.name, phi.type)) or Tile(self.element_of(phi.type), ())

    def _block(self, block: str) -> Flow | None:
        self._instructions(block)
        end = self.graph.blocks[block][-1]
        self.at(end)
        return self._end(block, end)

    def _instructions(self, block: str) -> None:
        for i in self.graph.blocks[block][:-1]:
            if i.op != "phi" and i.name not in self.of_regions:
                self.at(i)
                result = self.instruction(i)
                if i.name and result is not None:
                    self.values[i.name] = result

    def _end(self, block: str, end: Instruction) -> Flow | None:
        if end.op == "ret":
            if end.operands:
                raise Unsupported("a kernel that returns a value")
            self.emit("return", {"operands": []})
            return None
        if end.op == "unreachable":
            return self._never()
        context = self.contexts[-1] if self.contexts else None
        if context and context.counted and block == context.counted.exiting:
            inside = next(s for s in self.graph.successors[block] if s in context.loop.body)
            return self._edge(block, inside)
        if end.op == "switch":
            return self._switch(block, end)
        if len(self.graph.successors[block]) == 1:
            return self._edge(block, end.labels[0])
        condition = self.value(end.operands[0])
        if condition.type.shape != ():
            raise Unsupported("a branch on the elements of a tile")
        yes, no = end.labels
        if self._is_return(yes) or self._is_return(no):
            return self._return_if(condition, block, yes, no)
        return self._branch(condition, lambda: self._follow(block, yes), lambda: self._follow(block, no))

    def _is_return(self, block: str) -> bool:
        """Whether a block only returns, and others go on."""
        is_alone = len(self.graph.blocks[block]) == 1 and self.graph.blocks[block][0].op == "ret"
        return is_alone and self.graph.forward[block] > 1 and not any(c.counted for c in self.contexts)

    def _return_if(self, condition: Value, block: str, yes: str, no: str) -> Flow | None:
        """An early return stands for itself; what follows is not nested."""
        leaves, other = (yes, no) if self._is_return(yes) else (no, yes)
        if self.graph.forward[other] == 1 and not self.contexts and self._ends_soon(other, leaves):
            return self._branch(condition, lambda: self._follow(block, yes), lambda: self._follow(block, no))
        self.graph.forward[leaves] -= 1

        def leave() -> None:
            self.emit("return", {"operands": []})

        sides = (leave, lambda: self._follow(block, other))
        return self._branch(condition, *(sides if leaves == yes else sides[::-1]))

    def _ends_soon(self, block: str, end: str) -> bool:
        """Whether a block is all that lies between here and the end, as of an `if` that comes last."""
        return self.graph.successors[block] == [end]

    def _switch(self, block: str, end: Instruction) -> Flow | None:
        chosen, *numbers = end.operands
        default, *labels = end.labels
        value = self.number(chosen)
        cases: dict[str, list[Operand]] = {}
        for number, label in zip(numbers, labels, strict=True):
            if label != default:
                cases.setdefault(label, []).append(number)

        def choose(left: list[tuple[str, list[Operand]]]) -> Flow | None:
            if not left:
                return self._follow(block, default)
            (label, numbers), *others = left
            condition = self.equals(value, integer(numbers[0]))
            for number in numbers[1:]:
                condition = self.binary("ori", condition, self.equals(value, integer(number)))
            return self._branch(condition, lambda: self._follow(block, label), lambda: choose(others))

        return choose(list(cases.items()))

    def _never(self) -> Flow | None:
        """Code that is never reached needs an end all the same."""
        if any(context.counted for context in self.contexts):
            self.emit("continue", {"operands": list(self.contexts[-1].arguments)})
        else:
            self.emit("return", {"operands": []})
        return None

    # --- edges ---

    def _follow(self, source: str, target: str) -> Flow | None:
        """Over an edge, and on if it is the only one into its block."""
        flow = self._edge(source, target)
        if flow is not None and self.graph.forward[target] == 1:
            self._enter(target, flow.arrivals[target])
            return self.run(target)
        return flow

    def _edge(self, source: str, target: str) -> Flow | None:
        operands = [self._brought(phi, source) for phi in self.graph.phis(target)]
        return self._go(target, Arrival(1, operands, dict(self.order)))

    def _brought(self, phi: Instruction, source: str) -> Operand | Value:
        operand = phi.operands[phi.labels.index(source)]
        return self.value(operand) if isinstance(operand, Local) else operand

    def _go(self, target: str, arrival: Arrival) -> Flow | None:
        """To a block; to the header of the innermost loop and out of it the ways are continue and break."""
        if self.contexts:
            context = self.contexts[-1]
            if target == context.loop.header:
                self.go_round(context, arrival)
                return None
            if target not in context.loop.body:
                leaving = {
                    name: value
                    for name in context.loop.leaving
                    if isinstance(value := self.values.get(name), Value) and self.is_outside(value)
                }
                context.exits.append(Side(list(self.scopes), Flow({target: arrival}), leaving))
                return None
        return Flow({target: arrival})

    def _go_on(self, flow: Flow) -> Flow | None:
        """From behind a loop, whose exits may lead out of the loop around it."""
        if not self.contexts:
            return flow
        loop = self.contexts[-1].loop
        for target in [t for t in flow.arrivals if t == loop.header or t not in loop.body]:
            arrival = flow.arrivals.pop(target)
            if not flow.arrivals:
                return self._go(target, arrival)
            here = self._leads_to(flow, target)
            self.open()
            order = self.order
            self._go(target, arrival)
            scope = self.close()
            self.order = order
            self.emit("if", {"condition": here}, [], {}, [Block([], scope.ops), None])
        return flow

    # --- if ---

    def _branch(
        self, condition: Value, then: Callable[[], Flow | None], otherwise: Callable[[], Flow | None]
    ) -> Flow | None:
        one = self._side(then)
        if one.flow is None:
            self.emit("if", {"condition": condition}, [], {}, [Block([], one.scopes[-1].ops), None])
            return otherwise()
        two = self._side(otherwise)
        if two.flow is None:
            blocks = [Block([], [Operation("yield", {"operands": []})]), Block([], two.scopes[-1].ops)]
            self.emit("if", {"condition": condition}, [], {}, blocks)
            self.splice(one.scopes[-1])
            return one.flow
        return self._join_if(condition, one, two)

    def _side(self, translate: Callable[[], Flow | None]) -> Side:
        order = self.order
        self.open()
        flow = translate()
        side = Side(list(self.scopes), flow)
        self.close()
        self.order = order
        return side

    def _join_if(self, condition: Value, one: Side, two: Side) -> Flow:
        plan = self._plan([one, two])
        sides = [one, two] if plan.types or two.scopes[-1].ops else [one]
        for side in sides:
            self._finish(side, plan, "yield")
        blocks: list[Block | None] = [Block([], side.scopes[-1].ops) for side in sides]
        blocks += [None] * (2 - len(blocks))
        op = self.emit("if", {"condition": condition}, plan.types, {}, blocks)
        return plan.flow(op.results)

    # --- where sides meet ---

    def _plan(self, sides: list[Side]) -> Plan:
        """What sides must yield so that control can go on from all of them."""
        return Plan(self, sides)

    def _finish(self, side: Side, plan: Plan, terminator: str) -> None:
        """The end of a side: it yields what the plan says."""
        around, self.scopes = self.scopes, side.scopes
        operands = [make(side) for make in plan.makers]
        self.emit(terminator, {"operands": operands})
        self.scopes = around
