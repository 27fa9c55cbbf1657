"""Local arrays of tiles: which memory of a function holds tiles, and of which types.

LLVM keeps the handles of tiles in arrays that are indexed at run time, eight bytes for each. In Tile IR the
tiles themselves are there, in memory of `scale` times the size: what LLVM has at byte k is at byte k * scale.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..ir import Pointer, Tile
from .builder import Unsupported, width
from .llvm import (
    Array,
    Function,
    Instruction,
    Local,
    Number,
    Operand,
    Struct,
    Type,
    offset_of,
    scalars_of,
    size_of,
)

_HANDLE = 8  # bytes
_MOST = 4096  # bytes of an object whose parts are told apart
_COPIES = ("llvm.memcpy", "llvm.memmove", "llvm.memset")
TypeOf = Callable[[Operand], Tile | None]


@dataclass(frozen=True)
class Spot:
    """Where a pointer may point to: arrays, and an offset from their begin, which multiples of `every` may be
    added to (0: none). elsewhere: whether it may also point to other memory."""

    arrays: frozenset[str]
    offset: int = 0
    every: int = 0
    elsewhere: bool = False

    def joined(self, other: Spot) -> Spot:
        if not (self.arrays and other.arrays):
            return replace(self if self.arrays else other, elsewhere=True)
        every = math.gcd(self.every, other.every, self.offset - other.offset)
        arrays, elsewhere = self.arrays | other.arrays, self.elsewhere or other.elsewhere
        return Spot(arrays, self.offset % every if every else self.offset, every, elsewhere)

    def moved(self, known: int, steps: list[int]) -> Spot:
        every = math.gcd(self.every, *steps)
        offset = self.offset + known
        return Spot(self.arrays, offset % every if every else offset, every, self.elsewhere)

    def distances(self, other: Spot) -> list[int]:
        """How far from another spot this may be, as far as that is near."""
        every, distance = math.gcd(self.every, other.every), self.offset - other.offset
        return [distance] if not every else [distance % every, distance % every - every]


_ELSEWHERE = Spot(frozenset(), elsewhere=True)


@dataclass
class Access:
    """A load, or a store of a value."""

    spot: Spot
    size: int
    value: Operand | None = None


class LocalArrays:
    """What the pointers of a function say of its arrays."""

    def __init__(self, function: Function):
        instructions = [i for block in function.blocks.values() for i in block]
        self.has_any = any(i.op == "alloca" for i in instructions)
        self.holding: frozenset[str] = frozenset()  # arrays that hold tiles
        self.scale = 1
        self._spots: dict[str, Spot] = {}
        self._definitions = {i.name: i for i in instructions if i.name}
        self._layouts = {i.name: _layout(i.detail) for i in instructions if i.op == "alloca"}
        if not self.has_any:
            return
        changed = True
        while changed:  # what goes around in loops takes another round
            changed = False
            for i in instructions:
                if (spot := self._find(i)) and spot != self._spots.get(i.name):
                    self._spots[i.name], changed = spot, True
        self._accesses = list(_accesses(instructions, self.spot))
        self._copies = [i for i in instructions if i.op == "call" and i.detail.startswith(_COPIES[:2])]

    def spot(self, operand: Operand) -> Spot | None:
        """None where an operand points into no local array."""
        spot = self._spots.get(operand.name) if isinstance(operand, Local) else None
        return spot if spot and spot.arrays else None

    def slot(self, i: Instruction, type_of: TypeOf) -> Tile | None:
        """The type of the tile that a load yields; None where it loads none."""
        spot = self.spot(i.operands[0])
        if spot is None or i.type not in ("ptr", "i64"):
            return None
        return self._type_at(spot, type_of, [])

    def is_local(self, operand: Operand) -> bool:
        """Whether a pointer points into local arrays only."""
        spot = self.spot(operand)
        return spot is not None and not spot.elsewhere

    def find_holding(self, type_of: TypeOf) -> None:
        """Finds the arrays that hold tiles, once all types are known."""
        tiles = [(a.spot, t) for a in self._accesses if a.size == _HANDLE and (t := _stored(a, type_of))]
        holding = frozenset().union(*(spot.arrays for spot, _ in tiles))
        alike = [spot.arrays for spot in self._spots.values()]
        for i in self._copies:
            spots = [s for s in map(self.spot, i.operands[:2]) if s]
            alike.append(frozenset().union(*(s.arrays for s in spots)))
        before = None
        while holding != before:  # arrays that one pointer may point into are alike
            before = holding
            for arrays in alike:
                holding = holding | arrays if arrays & holding else holding
        self.holding = holding
        largest = max((_bytes(type_) for _, type_ in tiles), default=0)
        self.scale = max(1, largest // _HANDLE)
        if self.scale > 1:
            self._check_pieces(type_of)

    def scale_at(self, operand: Operand) -> int:
        """By how much distances from a pointer grow."""
        spot = self.spot(operand)
        if spot is None or not spot.arrays & self.holding:
            return 1
        if spot.elsewhere:
            raise Unsupported("a pointer to an array of tiles or to other memory")
        return self.scale

    # --- how it is found ---

    def _find(self, i: Instruction) -> Spot | None:
        """None where the next rounds will find it, or what is no pointer."""
        if i.op == "alloca":
            return Spot(frozenset([i.name]))
        if i.type != "ptr":
            return None
        if i.op == "getelementptr":
            spot = self._spot_so_far(i.operands[0])
            return spot.moved(*self._distance(i)) if spot and spot.arrays else spot
        if i.op in ("phi", "select", "freeze"):
            operands = i.operands[1:] if i.op == "select" else i.operands
            spots = [spot for spot in map(self._spot_so_far, operands) if spot]
            return functools.reduce(Spot.joined, spots) if spots else None
        return _ELSEWHERE

    def _spot_so_far(self, operand: Operand) -> Spot | None:
        if not isinstance(operand, Local):
            return None
        return self._spots.get(operand.name) if operand.name in self._definitions else _ELSEWHERE

    def _distance(self, i: Instruction) -> tuple[int, list[int]]:
        """How many bytes a getelementptr adds, and the sizes of what it adds several of."""
        known, steps = 0, []
        type_: Type = Array(0, i.detail)
        for index in i.operands[1:]:
            if isinstance(type_, Struct) and isinstance(index, Number):
                known += offset_of(type_, int(index.value))
                type_ = type_.elements[int(index.value)]
            elif isinstance(type_, Array):
                type_ = type_.element
                if isinstance(index, Number):
                    known += int(index.value) * size_of(type_)
                else:
                    steps.append(size_of(type_) * self._divisor(index, set()))
        return known, steps

    def _divisor(self, operand: Operand, seen: set[str]) -> int:
        """A number that divides an index, which may count bytes; 0 divides 0 alone."""
        if isinstance(operand, Number):
            return abs(int(operand.value))
        made = self._definitions.get(operand.name) if isinstance(operand, Local) else None
        if made is None or made.type != "i64":
            return 1
        if made.op == "phi":
            if made.name in seen:
                return 0
            seen = seen | {made.name}
        if made.op in ("phi", "add", "sub", "select"):
            operands = made.operands[1:] if made.op == "select" else made.operands
            return math.gcd(*(self._divisor(o, seen) for o in operands))
        if made.op == "mul" and isinstance(made.operands[1], Number):
            return self._divisor(made.operands[0], seen) * abs(int(made.operands[1].value))
        if made.op in ("shl", "ashr", "lshr") and isinstance(made.operands[1], Number):
            divisor, by = self._divisor(made.operands[0], seen), 1 << int(made.operands[1].value)
            if made.op == "shl":  # which may drop bits at the top
                return (divisor & -divisor) * by
            return 1 if divisor % by else divisor // by
        return 1

    def _type_at(self, spot: Spot, type_of: TypeOf, seen: list[Spot]) -> Tile | None:
        if spot in seen or self._is_of_numbers(spot):
            return None
        for access in self._accesses:
            near = access.spot.arrays & spot.arrays and 0 in access.spot.distances(spot)
            if near and access.size == _HANDLE and (type_ := _stored(access, type_of)):
                return type_
        for copy in self._copies:
            to, source = map(self.spot, copy.operands[:2])
            if to and source and to.arrays & spot.arrays:
                every = math.gcd(spot.every, to.every, source.every)
                offset = spot.offset - to.offset + source.offset
                there = Spot(source.arrays, offset % every if every else offset, every)
                if type_ := self._type_at(there, type_of, [*seen, spot]):
                    return type_
        return None

    def _check_pieces(self, type_of: TypeOf) -> None:
        """What is not stored as a whole cannot be loaded as one: its parts are apart from each other."""
        found = {(a.spot, a.size) for a in self._accesses if a.spot.arrays & self.holding}
        tiles = {spot for spot, size in found if size == _HANDLE and self._type_at(spot, type_of, [])}
        # Elements of arrays within structures: where C++ has one, it has no object of another type.
        inner = {
            (spot, size)
            for spot, size in found
            if 1 < size < _HANDLE and any(_is_finer(spot, tile) for tile in tiles)
        }
        for here, size in found:
            for there, other in found:
                if not here.arrays & there.arrays:
                    continue
                if (here, size) in inner and (there in tiles or ((there, other) in inner and size != other)):
                    continue
                if (there, other) in inner and here in tiles:
                    continue
                near = [d for d in here.distances(there) if -size < d < other]
                if not any(d or size != other for d in near) or self._are_apart(here, there):
                    continue
                if self._may_overlap((here, size), (there, other)):
                    raise Unsupported("an array of structures with tiles, which is accessed in other pieces")

    # --- what the types of the arrays say ---

    def _is_of_numbers(self, spot: Spot) -> bool:
        """Whether the types of the arrays have numbers there, and tiles elsewhere."""
        kinds = [self._kinds(name, spot) for name in spot.arrays]
        return all(found and "ptr" not in found for found in kinds)

    def _are_apart(self, one: Spot, other: Spot) -> bool:
        """Whether one of two places is of numbers and the other of tiles. An index of an array of tiles seems
        to reach the numbers behind it, since LLVM does not say where the array ends."""
        pairs = ((one, other), (other, one))
        return any(self._is_of_numbers(a) and self._has_tiles(b) for a, b in pairs)

    def _has_tiles(self, spot: Spot) -> bool:
        return all("ptr" in self._kinds(name, spot) for name in spot.arrays)

    def _may_overlap(self, one: tuple[Spot, int], other: tuple[Spot, int]) -> bool:
        """Whether two accesses may meet in part, if they are of numbers and tiles as an object has them."""
        sizes = one[1], other[1]
        for name in one[0].arrays & other[0].arrays:
            ours, theirs = (self._places(name, spot) for spot in (one[0], other[0]))
            here = [place for place, kind in ours.items() if size_of(kind) == sizes[0]]
            there = [place for place, kind in theirs.items() if size_of(kind) == sizes[1]]
            if not here or not there:
                return True
            pairs = ((p, q) for p in here for q in there if p != q or sizes[0] != sizes[1])
            if any(-sizes[0] < p - q < sizes[1] for p, q in pairs):
                return True
        return False

    def _kinds(self, name: str, spot: Spot) -> set[str]:
        """What an object has where a spot may be."""
        return set(self._places(name, spot).values())

    def _places(self, name: str, spot: Spot) -> dict[int, str]:
        """The numbers and tiles of an object where a spot may be; none if it has no tiles, or its layout is
        not known."""
        layout = self._layouts.get(name, {})
        size = max(layout, default=0) + 1
        places = range(spot.offset, size, spot.every) if spot.every else [spot.offset]
        return {place: layout[place] for place in places if place in layout}


def _layout(type_: Type) -> dict[int, str]:
    """Where an object has which numbers and tiles; nothing if it is large, or has no tiles."""
    found = dict(scalars_of(type_)) if size_of(type_) <= _MOST else {}
    return found if "ptr" in found.values() else {}


def _is_finer(number: Spot, tile: Spot) -> bool:
    """Whether an index that the tile has not is part of the way to a number."""
    return bool(number.arrays & tile.arrays) and number.every > 0 and not 0 < tile.every <= number.every


def is_tile(type_: Tile | None) -> bool:
    """Whether a pointer of this type is a handle: of a pointer without dimensions, that is the same."""
    return isinstance(type_, Tile) and (type_.shape != () or not isinstance(type_.element, Pointer))


def _accesses(instructions: list[Instruction], spot_of: Callable[[Operand], Spot | None]) -> Iterator[Access]:
    for i in instructions:
        if i.op == "load" and (spot := spot_of(i.operands[0])):
            yield Access(spot, size_of(i.type))
        elif i.op == "store" and (spot := spot_of(i.operands[1])):
            yield Access(spot, size_of(i.operands[0].type), i.operands[0])


def _stored(access: Access, type_of: TypeOf) -> Tile | None:
    """The type of the tile that is stored."""
    if not isinstance(access.value, Local):
        return None
    type_ = type_of(access.value)
    if type_ is None or not is_tile(type_):
        return None
    return type_ if access.value.type == "ptr" or type_.shape or width(type_.element) != 64 else None


def _bytes(type_: Tile) -> int:
    return math.prod(type_.shape) * max(width(type_.element) // 8, 1)
