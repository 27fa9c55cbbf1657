"""Where control goes from a block, and what blocks that meet must yield so that it can go on from all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from ..ir import Tile, Token, Value
from .aliasing import Region
from .builder import Scope
from .calls import I32
from .llvm import Operand, Undefined
from .tokens import Order

if TYPE_CHECKING:
    from .structure import Structure

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
