"""Loops: those that count become `for`, the others `loop`."""

from __future__ import annotations

from ..ir import Block, Operation, Tile, Token, Value
from .aliasing import Region
from .counted import Counted, find_counted
from .graph import Loop
from .joins import Arrival, Flow
from .llvm import Undefined
from .structure import Carried, Context, Structure
from .tokens import Order


class Loops(Structure):
    """Translates loops."""

    def translate_loop(self, header: str) -> Flow | None:
        loop = self.graph.loops[header]
        counted = find_counted(self, loop)
        carried = self._carried(loop, counted)
        start = self._start(carried)
        arguments = [Value(type_) for type_ in [*carried.types, *self._token_types(carried)]]
        context = Context(loop, carried, counted, arguments)
        before = dict(self.order)
        first = self.named(counted.phi.name) if counted else None
        index = Value(first.type) if first else None
        bounds = self._bounds(counted, first) if counted and first else {}
        self.contexts.append(context)
        scope = self.open([index, *arguments] if index else arguments)
        for phi, argument in zip(carried.phis, arguments, strict=False):
            self.values[phi.name] = argument
        if counted and first and index:
            self.values[counted.phi.name] = self._index(counted, first, index)
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
            attributes = {"unsignedCmp": counted.unsigned or counted.direction != 0}
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

    def go_round(self, context: Context, arrival: Arrival) -> None:
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

    def _bounds(self, counted: Counted, first: Value) -> dict[str, Value]:
        bound, step = (self.of_type(operand, first.type) for operand in (counted.bound, counted.step))
        if not counted.direction:
            upper = self._plus_one(bound) if counted.inclusive else bound
            return {"lowerBound": first, "upperBound": upper, "step": step}
        greater, less = (bound, first) if counted.direction > 0 else (first, bound)
        distance = self._difference(greater, less)
        if counted.inclusive:
            distance = self._plus_one(distance)
        none = self.constant(first.type, 0)
        if counted.is_empty_at_first:
            predicate = "greater_than_or_equal" if counted.inclusive else "greater_than"
            sign = {"signedness": "unsigned" if counted.unsigned else "signed"}
            distance = self.select(self.compare("cmpi", predicate, greater, less, sign), distance, none)
        return {"lowerBound": none, "upperBound": distance, "step": step}

    def _difference(self, lhs: Value, rhs: Value) -> Value:
        known = self.known_value(rhs)
        return lhs if known is not None and not known else self.binary("subi", lhs, rhs, {"overflow": "none"})

    def _plus_one(self, value: Value) -> Value:
        known = self.known_value(value)
        if known is not None:
            return self.constant(value.type, int(known) + 1)
        return self.binary("addi", value, self.constant(value.type, 1), {"overflow": "none"})

    def _index(self, counted: Counted, first: Value, index: Value) -> Value:
        """The index of a loop that counts, from that of its `for`."""
        if not counted.direction:
            return index
        name = "addi" if counted.direction > 0 else "subi"
        return self.binary(name, first, index, {"overflow": "none"})

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
