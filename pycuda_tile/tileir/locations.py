"""Where operations come from: places in sources, and the functions and blocks that these are in.

Many operations share a location, and call sites share their callers, so a small graph may be an enormous
tree. Locations are therefore compared by identity, numbered, and visited once each.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class File:
    """A file of the source."""

    name: str
    directory: str


@dataclass(frozen=True, eq=False)
class CompileUnit:
    """What was compiled together; `file` is the one that includes all others."""

    file: File


@dataclass(frozen=True, eq=False)
class Subprogram:
    """A function of the source, declared at `line`; its body begins at `scope_line`."""

    file: File
    line: int
    name: str
    linkage_name: str
    unit: CompileUnit
    scope_line: int = 0


@dataclass(frozen=True, eq=False)
class LexicalBlock:
    """A block in a function, or in another block."""

    scope: Scope
    file: File
    line: int
    column: int


@dataclass(frozen=True, eq=False)
class Location:
    """A place in a file, and the function or block that it is in, where that is known."""

    file: str
    line: int
    column: int
    scope: Scope | None = None


@dataclass(frozen=True, eq=False)
class CallSite:
    """The location of inlined code, and that of the call; None if unknown."""

    callee: AnyLocation | None
    caller: AnyLocation | None


@dataclass(frozen=True, eq=False)
class NamedLocation:
    """A name for a location, which may be left out."""

    name: str
    location: AnyLocation | None = None


@dataclass(frozen=True, eq=False)
class FusedLocation:
    """Several locations of one operation."""

    locations: tuple[AnyLocation | None, ...]


Scope = Subprogram | LexicalBlock
AnyLocation = Location | CallSite | NamedLocation | FusedLocation
#: Whatever stands in a location.
Part = File | CompileUnit | Scope | AnyLocation
SCOPES = (Subprogram, LexicalBlock)
LOCATIONS = (Location, CallSite, NamedLocation, FusedLocation)
ALL = (File, CompileUnit, *SCOPES, *LOCATIONS)


def place_in_source(location: AnyLocation | None) -> Location | None:
    """The place that a location names; for inlined code, that of the outermost call."""
    while not isinstance(location, Location):
        if isinstance(location, CallSite):
            location = location.caller
        elif isinstance(location, FusedLocation):
            location = next(iter(location.locations), None)
        elif isinstance(location, NamedLocation):
            location = location.location
        else:
            return None
    return location


def source_line(location: AnyLocation | None) -> int:
    """The line of a location, 0 if unknown."""
    place = place_in_source(location)
    return place.line if place else 0


class Numbers:
    """Numbers locations and what they refer to from 0 on. What is referred to comes first, and equal items
    share a number."""

    def __init__(self) -> None:
        self.items: list[Part] = []
        self._known: dict[tuple, int] = {}
        self._of: dict[int, int] = {}
        self._alive: list[Part] = []  # keeps locations alive, so that no id is reused

    def of(self, item: Part) -> int:
        """The number of a location, file, unit or scope."""
        stack = [item]
        while stack:
            item = stack[-1]
            missing = [part for part in _parts(item) if id(part) not in self._of]
            stack += reversed(missing)
            if not missing:
                stack.pop()
                self._give(item)
        return self._of[id(item)]

    def _give(self, item: Part) -> None:
        if id(item) in self._of:
            return
        key = (type(item), *map(self._key, vars(item).values()))
        number = self._known.setdefault(key, len(self.items))
        if number == len(self.items):
            self.items.append(item)
        self._of[id(item)] = number
        self._alive.append(item)

    def _key(self, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(self._key, value))
        return ("number", self._of[id(value)]) if isinstance(value, ALL) else value


def _parts(item: Part) -> list[Part]:
    values = [part for value in vars(item).values() for part in (value if type(value) is tuple else (value,))]
    return [value for value in values if isinstance(value, ALL)]
