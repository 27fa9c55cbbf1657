"""Control flow: the graph of a function becomes `if`, `for` and `loop`.

Blocks are translated in the order in which they run. Edges out of what has been translated are collected
until all edges into a block are there; then the block follows. Where a construct can be left towards several
blocks, it yields a number that says which.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from ..ir import Block, Operation, Tile, Token, Value
from .aliasing import Region
from .builder import Scope, Unsupported
from .calls import I32
from .counted import Counted, Extra, find_counted
from .graph import Graph, Loop
from .llvm import Function, Instruction, Local, Operand, Undefined
from .names import recorded_call
from .printing import Printing
from .tokens import Order
from .types import integer

Known = TypeVar("Known", bound=Operand | Value)


@dataclass
class Arrival:
    """Edges that have come to a block: how many, what they bring to its phis, the values that a loop leaves
    to what follows, and the tokens."""

    count: int
    operands: list[Operand | Value]
    order: dict[Region, Order]


@dataclass
class Flow:
    """Where control goes: to one block, or to the one whose number the selector has."""

    arrivals: dict[str, Arrival]
    selector: Value | None = None


@dataclass
class Side:
    """A block of a region without its end: the scopes it is in, and where control goes from there."""

    scopes: list[Scope]
    flow: Flow | None
    leaving: dict[str, Value] = field(default_factory=dict)

    @property
    def arrivals(self) -> dict[str, Arrival]:
        """The blocks that control goes to."""
        return self.flow.arrivals if self.flow is not None else {}


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
        super().__init__(function, parameters)
        self.graph = Graph(function)
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
    def at(self, i: Instruction) -> None: ...

    # --- blocks ---

    def run(self, block: str) -> Flow | None:
        """Translates a block and all that follows it, up to blocks that other edges lead to as well."""
        while True:
            is_new_loop = block in self.graph.loops and not any(c.loop.header == block for c in self.contexts)
            flow = self._loop(block) if is_new_loop else self._block(block)
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
                self._continue(context, arrival)
                return None
            if target not in context.loop.body:
                leaving = {
                    name: value
                    for name in context.loop.leaving
                    if isinstance(value := self.values.get(name), Value)
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
        known = self.known_value(condition)
        if known is not None:
            return then() if bool(known) else otherwise()
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

    # --- loops ---

    def _loop(self, header: str) -> Flow | None:
        loop = self.graph.loops[header]
        counted = find_counted(self, loop)
        carried = self._carried(loop, counted)
        start = self._start(carried)
        arguments = [Value(type_) for type_ in [*carried.types, *self._token_types(carried)]]
        context = Context(loop, carried, counted, arguments)
        before = dict(self.order)
        index = Value(self.named(counted.phi.name).type) if counted else None
        bounds = self._bounds(counted) if counted else {}
        self.contexts.append(context)
        scope = self.open([index, *arguments] if index else arguments)
        for phi, argument in zip(carried.phis, arguments, strict=False):
            self.values[phi.name] = argument
        if counted and index:
            self.values[counted.phi.name] = index
        self._take_tokens(carried, arguments)
        place = self.location
        flow = self.run(header)
        assert flow is None, "an edge leaves a loop by no exit"
        self.close()
        self.contexts.pop()
        self.location = place
        if counted and index:
            block = Block([index, *arguments], scope.ops)
            types = [argument.type for argument in arguments]
            attributes = {"unsignedCmp": counted.unsigned}
            op = self.emit("for", {**bounds, "initValues": start}, types, attributes, [block])
            return self._behind_for(context, counted, op, before)
        return self._behind_loop(context, start, Block(arguments, scope.ops), before)

    def _carried(self, loop: Loop, counted: Counted | None) -> Carried:
        phis = [p for p in self.graph.phis(loop.header) if not counted or p is not counted.phi]
        phis = [p for p in phis if p.name not in self.of_regions]
        extra = counted.extra if counted else []
        types = [self._merged_type(p) for p in phis]
        types += [self.type_of(e.value) or Tile(self.element_of(e.value.type), ()) for e in extra]
        order = []
        for region, writes in sorted(self.ordered_in(loop.body).items()):
            reads = any(region in e.reads for b in loop.body for e in self.effects[b])
            order.append((region, writes and reads))
        return Carried(phis, types, order, extra)

    def _start(self, carried: Carried) -> list[Value]:
        start = [self.named(phi.name) for phi in carried.phis]
        for extra, type_ in zip(carried.extra, carried.types[len(start) :], strict=True):
            start.append(self.of_type(extra.before or Undefined(""), type_))
        return [*start, *self._tokens(carried, self.order)]

    @staticmethod
    def _token_types(carried: Carried) -> list[Token]:
        return [Token() for _, both in carried.order for _ in range(1 + both)]

    def _tokens(self, carried: Carried, orders: dict[Region, Order]) -> list[Value]:
        tokens = []
        for region, both in carried.order:
            order = orders.get(region, Order())
            tokens += [order.write or self.token()] if both else []
            tokens.append(order.all or self.token())
        return tokens

    def _take_tokens(self, carried: Carried, values: list[Value]) -> None:
        """Tokens that a loop hands over become those that accesses wait for."""
        left = iter(values[len(values) - len(self._token_types(carried)) :])
        written = self.ordered_in(self.contexts[-1].loop.body) if self.contexts else {}
        for region, both in carried.order:
            write = next(left) if both else None
            every = next(left)
            if not both:  # either nothing is written, or all that is done are writes
                write = every if written.get(region) else self.order.get(region, Order()).write
            self.order[region] = Order(write, every)

    def _continue(self, context: Context, arrival: Arrival) -> None:
        brought = dict(
            zip((p.name for p in self.graph.phis(context.loop.header)), arrival.operands, strict=True)
        )
        carried = context.carried
        values = [
            self.of_type(brought[phi.name], type_)
            for phi, type_ in zip(carried.phis, carried.types, strict=False)
        ]
        for extra, type_ in zip(carried.extra, carried.types[len(values) :], strict=True):
            values.append(self.of_type(brought[extra.value.name] if extra.next else extra.value, type_))
        self.emit("continue", {"operands": [*values, *self._tokens(carried, arrival.order)]})

    def _bounds(self, counted: Counted) -> dict[str, Value]:
        type_ = self.named(counted.phi.name).type
        upper, step = (self.of_type(operand, type_) for operand in (counted.bound, counted.step))
        return {"lowerBound": self.named(counted.phi.name), "upperBound": upper, "step": step}

    def _behind_for(
        self, context: Context, counted: Counted, op: Operation, before: dict[Region, Order]
    ) -> Flow | None:
        carried = context.carried
        results = dict(zip((phi.name for phi in carried.phis), op.results, strict=False))
        extra = op.results[len(carried.phis) : len(carried.types)]
        self.order = before
        self.contexts.append(context)
        self._take_tokens(carried, op.results)
        self.contexts.pop()
        self.values |= {name: results[phi] for name, phi in counted.behind.items()}
        self.values |= {e.value.name: result for e, result in zip(carried.extra, extra, strict=True)}
        if counted.again:
            self._instructions(counted.exiting)
        operands = [self._brought(phi, counted.exiting) for phi in self.graph.phis(counted.exit)]
        return self._go_on(Flow({counted.exit: Arrival(1, operands, dict(self.order))}))

    def _behind_loop(
        self, context: Context, start: list[Value], block: Block, before: dict[Region, Order]
    ) -> Flow | None:
        self.order = before
        if not context.exits:
            self.emit("loop", {"initValues": start}, [], {}, [block])
            return self._never()
        plan = self._plan(context.exits)
        for side in context.exits:
            self._finish(side, plan, "break")
        op = self.emit("loop", {"initValues": start}, plan.types, {}, [block])
        flow = plan.flow(op.results)
        self.values |= plan.leaving(op.results)
        return self._go_on(flow)


class Plan:
    """How sides meet: for each target of theirs what is the same on all of them, and what they must yield."""

    def __init__(self, structure: Structure, sides: list[Side]):
        self._structure, self._sides = structure, sides
        number = structure.graph.number
        self._targets = sorted({t for s in sides for t in s.arrivals}, key=number.__getitem__)
        self.types: list = []
        self.makers: list[Callable[[Side], Value]] = []
        self._columns: dict[tuple, int] = {}
        if len(self._targets) > 1:
            self._add(Tile(I32, ()), self._selector)
        self._operands = {t: self._plan_operands(t) for t in self._targets}
        self._orders = {t: self._plan_order(t) for t in self._targets}
        names = dict.fromkeys(name for side in sides for name in side.leaving)
        self._leaving = {name: self._plan_leaving(name) for name in names}

    def flow(self, results: list[Value]) -> Flow:
        """Where control goes from here, with what the construct yields."""

        def result(what: int | Known) -> Value | Known:
            return results[what] if isinstance(what, int) else what

        arrivals = {}
        for target in self._targets:
            count = sum(s.arrivals[target].count for s in self._sides if target in s.arrivals)
            order = {
                region: Order(*(result(part) if part is not None else None for part in parts))
                for region, parts in self._orders[target].items()
            }
            arrivals[target] = Arrival(count, [result(o) for o in self._operands[target]], order)
        return Flow(arrivals, results[0] if len(self._targets) > 1 else None)

    def leaving(self, results: list[Value]) -> dict[str, Value]:
        """What values of a loop are behind it."""
        return {n: results[w] if isinstance(w, int) else w for n, w in self._leaving.items()}

    def _add(self, type_: object, make: Callable[[Side], Value]) -> int:
        self.types.append(type_)
        self.makers.append(make)
        return len(self.types) - 1

    def _selector(self, side: Side) -> Value:
        if side.flow is not None and side.flow.selector is not None:
            return side.flow.selector
        (target,) = side.arrivals
        return self._structure.constant(Tile(I32, ()), self._structure.graph.number[target])

    def _same(self, given: list) -> bool:
        """Whether all sides that bring something bring this, and it is there outside of them."""
        first = given[0]
        if isinstance(first, Value):
            return all(v is first for v in given) and self._structure.is_outside(first)
        return all(v == first for v in given if not isinstance(v, Value)) and not any(
            isinstance(v, Value) for v in given
        )

    def _plan_operands(self, target: str) -> list[int | Operand | Value]:
        columns: list[int | Operand | Value] = []
        for position, phi in enumerate(self._structure.graph.phis(target)):
            given = [s.arrivals[target].operands[position] for s in self._sides if target in s.arrivals]
            if self._same(given):
                columns.append(given[0])
                continue
            type_ = self._structure._merged_type(phi)

            def make(side: Side, position: int = position, type_: Tile = type_) -> Value:
                arrival = side.arrivals.get(target)
                what = arrival.operands[position] if arrival else Undefined("")
                return self._structure.of_type(what, type_)

            columns.append(self._add(type_, make))
        return columns

    def _plan_order(self, target: str) -> dict[Region, tuple]:
        """Tokens: each different one is yielded once."""
        sides = [s for s in self._sides if target in s.arrivals]
        orders = [s.arrivals[target].order for s in sides]
        planned: dict[Region, tuple] = {}
        for region in sorted({r for order in orders for r in order}):
            planned[region] = tuple(
                self._plan_token([order.get(region, Order())[part] for order in orders], sides)
                for part in (0, 1)
            )
        return planned

    def _plan_token(self, given: list[Value | None], sides: list[Side]) -> int | Value | None:
        if all(token is None for token in given):
            return None
        if given[0] is not None and self._same(given):
            return given[0]
        by_side = {id(side): token for side, token in zip(sides, given, strict=True)}
        key = tuple(by_side.get(id(side)) for side in self._sides)
        if key not in self._columns:
            self._columns[key] = self._add(
                Token(), lambda side: by_side.get(id(side)) or self._structure.token()
            )
        return self._columns[key]

    def _plan_leaving(self, name: str) -> int | Value:
        given = [side.leaving[name] for side in self._sides if name in side.leaving]
        if self._same(given):
            return given[0]
        type_ = given[0].type
        return self._add(
            type_, lambda side: self._structure.of_type(side.leaving.get(name, Undefined("")), type_)
        )
