"""The tokens of memory operations: those that may access the same element stay in the order of the program.

Within a block of LLVM's, accesses at different constant distances from one pointer need no order. Where
blocks meet, and from one round of a loop to the next, two tokens for each region tell what came before.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..ir import Pointer, Tile, Token, Value
from .aliasing import Aliasing, Region
from .builder import width
from .llvm import Instruction

#: The operations that have hints, where calls of the API made them.
_HINTED = ("load_ptr_tko", "store_ptr_tko", "load_view_tko", "store_view_tko")


class Order(NamedTuple):
    """Tokens of one region: the last write, and all accesses since and with it. None: none yet."""

    write: Value | None = None
    all: Value | None = None


class Span(NamedTuple):
    """Numbers from first up to end, counted from a value that is not known, or from 0."""

    origin: Value | None
    first: int
    end: int

    def overlaps(self, other: Span) -> bool:
        return self.origin is not other.origin or (self.first < other.end and other.first < self.end)


class Place(NamedTuple):
    """What an access may touch: bytes behind a pointer, or elements of a view; without spans all of them."""

    base: Value
    spans: tuple[Span, ...]

    def overlaps(self, other: Place) -> bool:
        return self.base is not other.base or all(
            a.overlaps(b) for a, b in zip(self.spans, other.spans, strict=True)
        )


@dataclass
class Access:
    """An access of a region; place: None where it may touch all of it; after: what it comes after."""

    token: Value
    writes: bool
    place: Place | None = None
    after: frozenset[Value] = frozenset()

    def must_precede(self, writes: bool, place: Place | None) -> bool:
        """Whether a later access has to wait for this one."""
        is_apart = self.place is not None and place is not None and not self.place.overlaps(place)
        return (self.writes or writes) and not is_apart

    def stands_for(self, other: Access) -> bool:
        """Whether all that has to wait for the other one has to wait for this one."""
        return self.writes and other.token in self.after and (self.place is None or self.place == other.place)


class Tokens(Aliasing):
    """Memory operations with tokens."""

    @abstractmethod
    def hints_at(self, i: Instruction, is_view: bool) -> dict[str, Any]: ...

    def prepare_memory(self) -> None:
        self.find_effects()
        self._order: dict[Region, Order] = {}
        self._recent: dict[Region, list[Access]] = {}

    @property
    def order(self) -> dict[Region, Order]:
        """Tokens of what has been accessed up to here."""
        recent, self._recent = self._recent, {}
        self._order = dict(self._order)
        for region, accesses in recent.items():
            writes = [a for a in accesses if a.writes]
            write = self.joined(_last(writes)) if writes else None
            self._order[region] = Order(write, self.joined(_last(accesses)))
        return self._order

    @order.setter
    def order(self, order: dict[Region, Order]) -> None:
        self._order, self._recent = order, {}

    def access(
        self,
        i: Instruction,
        name: str,
        operands: dict[str, Any],
        type_: Tile | None,
        attributes: dict[str, Any],
    ) -> Value:
        """A memory operation, after those that it must not overtake; yields what was loaded, or a token."""
        effect = self.effect_of(i)
        reads = name.startswith("load") and attributes["memory_ordering_semantics"] == "weak"
        regions = effect.reads if reads else effect.writes
        place = self._place(operands)
        before = {region: self._accesses_of(region) for region in sorted(regions)}
        waits = [a for given in before.values() for a in given if a.must_precede(not reads, place)]
        if waits:
            operands["token"] = self.joined(_last(waits))
        if name in _HINTED and i.op == "call" and attributes["memory_ordering_semantics"] == "weak":
            attributes["optimization_hints"] = self.hints_at(i, "view" in name)
        op = self.emit(name, operands, ([type_] if type_ else []) + [Token()], attributes)
        after = frozenset(a.token for a in waits).union(*(a.after for a in waits))
        new = Access(op.results[-1], not reads, place, after)
        for region, accesses in before.items():
            self._recent[region] = [a for a in accesses if not new.stands_for(a)] + [new]
        return op.results[0]

    def _accesses_of(self, region: Region) -> list[Access]:
        if region in self._recent:
            return self._recent[region]
        order = self._order.get(region, Order())
        writes = [Access(order.write, True)] if order.write is not None else []
        if order.all is None or order.all is order.write:
            return writes
        return [*writes, Access(order.all, False, after=frozenset(a.token for a in writes))]

    def variable_of(self, name: str, value: Value) -> Value:
        """The address of a variable of this block that starts with this value."""
        type_ = value.type
        attributes = {"num_elem": 1, "alignment": 8, "global": False}
        address = self.emit("alloca", {}, [Tile(Pointer(type_.element), ())], attributes).results[0]
        operands = {"destination": address, "value": value}
        self.emit_in_order(f"%{name}", "store_ptr_tko", operands, {"memory_ordering_semantics": "weak"})
        return address

    def emit_in_order(
        self, region: Region, name: str, operands: dict[str, Any], attributes: dict[str, Any]
    ) -> None:
        """An operation that yields only a token, after all other accesses of a region."""
        before = _last(self._accesses_of(region))
        if before:
            operands["token"] = self.joined(before)
        op = self.emit(name, operands, [Token()], attributes)
        self._recent[region] = [Access(op.results[0], True)]

    def joined(self, tokens: list[Value]) -> Value:
        return tokens[0] if len(tokens) == 1 else self.pure("join_tokens", {"tokens": tokens}, Token())

    def ordered_in(self, blocks: set[str]) -> dict[Region, bool]:
        """The regions that these blocks access and whose accesses have an order; whether they write them."""
        found: dict[Region, bool] = {}
        for block in blocks:
            for effect in self.effects.get(block, ()):
                for region in effect.regions:
                    found[region] = found.get(region, False) or region in effect.writes
        return found

    # --- what operations touch ---

    def _place(self, operands: dict[str, Any]) -> Place | None:
        if "view" in operands:
            view = operands["view"]
            steps = view.type.steps if view.type.sparse is None else (1,) * len(view.type.tile)
            spans = map(self._span_of_index, operands["index"], steps, view.type.tile)
            return Place(view, tuple(spans))
        pointer = next(
            (operands[key] for key in ("source", "destination", "pointers") if key in operands), None
        )
        if pointer is None or pointer.type.shape != ():
            return None
        return self._place_of_pointer(pointer)

    def _span_of_index(self, index: Value, step: int, length: int) -> Span:
        """The elements that a tile has along an axis."""
        origin: Value | None = index
        first = 0
        if (known := self._known_index(index)) is not None:
            origin, first = None, known
        elif op := self.made_by(index, "addi"):
            for key, other in (("lhs", "rhs"), ("rhs", "lhs")):
                if (known := self._known_index(op.operands[key][0])) is not None:
                    origin, first = op.operands[other][0], known
        return Span(origin, first * step, first * step + length)

    def _known_index(self, index: Value) -> int | None:
        known = self.known_value(index)
        return int(known) if known is not None and index.type.shape == () else None

    def _place_of_pointer(self, pointer: Value) -> Place:
        """From the pointer that it was made of by constant offsets."""
        first, size = 0, _size(pointer)
        while True:
            if op := self.made_by(pointer, "ptr_to_ptr"):
                pointer = op.operands["source"][0]
                continue
            op = self.made_by(pointer, "offset")
            known = self.known_value(op.operands["offset"][0]) if op else None
            if op is None or known is None:
                return Place(pointer, (Span(None, first, first + size),))
            first += int(np.asarray(known)) * _size(pointer)
            pointer = op.operands["ptr"][0]


def _last(accesses: list[Access]) -> list[Value]:
    """Tokens without those that others come after."""
    earlier = frozenset[Value]().union(*(a.after for a in accesses))
    return list(dict.fromkeys(a.token for a in accesses if a.token not in earlier))


def _size(pointer: Value) -> int:
    """Bytes of what a pointer points to."""
    element = pointer.type.element
    assert isinstance(element, Pointer)
    return max(width(element.pointee) // 8, 1)
