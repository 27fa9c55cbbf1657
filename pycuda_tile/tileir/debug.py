"""Reads and writes the debug section of the binary form: the locations of functions and operations.

The section has one record for each function, a list of references to attributes: the function's own, then one
for each operation in the order of the payload. Attributes refer to each other; reference 0 is an unknown
location.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .codec import Reader, Writer
from .locations import (
    ALL,
    SCOPES,
    AnyLocation,
    CallSite,
    CompileUnit,
    File,
    FusedLocation,
    LexicalBlock,
    Location,
    NamedLocation,
    Numbers,
    Subprogram,
)
from .sections import table

_LOCATIONS = (Location, CallSite)
#: For each tag, its class and its parts in order: a reference to one of some classes, a string or a number.
_TAGS: dict[int, tuple[type, tuple[Any, ...]]] = {
    1: (CompileUnit, ((File,),)),
    2: (File, (str, str)),
    3: (LexicalBlock, (SCOPES, (File,), int, int)),
    4: (Location, (SCOPES, str, int, int)),
    5: (Subprogram, ((File,), int, str, str, (CompileUnit,), int)),
    6: (CallSite, (_LOCATIONS, _LOCATIONS)),
}
_TAG_OF = {made: tag for tag, (made, _) in _TAGS.items()}
_UNKNOWN = b"\0"
_FLAGS_SINCE = (13, 5)  # of subprograms; all are 0


class Locations:
    """The locations in a file."""

    def __init__(self, section: Reader):
        self._section = section
        start = section.at
        self._records = _numbers(section, start, 4)
        self._starts = np.unique(self._records)
        self._references = _numbers(section, start, 8)
        self._attributes = section.table(4, start)
        self._known: dict[int, Any] = {0: None}

    def of(self, record: int) -> Iterator[AnyLocation | None]:
        """The locations of a function and of its operations; unknown ones are None. `record` counts from 1;
        0 means that there is no record."""
        if record == 0:
            return
        if record > len(self._records):
            self._section.fail(f"debug record {record} of {len(self._records)}")
        begin = int(self._records[record - 1])
        after = np.searchsorted(self._starts, begin, "right")
        end = int(self._starts[after]) if after < len(self._starts) else len(self._references)
        for reference in self._references[begin:end]:
            found = self._find(int(reference))
            if found is not None and not isinstance(found, _LOCATIONS):
                self._section.fail(f"debug attribute {reference} is not a location")
            yield found

    def _find(self, reference: int) -> Any:
        """Iterative, because call sites may nest deeply."""
        stack, opened = [reference], {reference}
        while stack:
            if stack[-1] in self._known:
                stack.pop()
                continue
            cls, values = self._values(stack[-1])
            missing = [v.number for v in values if isinstance(v, _Reference) and v.number not in self._known]
            if opened.intersection(missing):
                self._section.fail(f"debug attribute {stack[-1]} refers to itself")
            if missing:  # one at a time, so that the open ones are always the path to this one
                stack.append(missing[0])
                opened.add(missing[0])
                continue
            self._known[stack[-1]] = self._make(cls, values)
            opened.discard(stack.pop())
        return self._known[reference]

    def _values(self, reference: int) -> tuple[Any, list[Any]]:
        if reference > len(self._attributes):
            self._section.fail(f"debug attribute {reference} of {len(self._attributes)}")
        begin, end = self._attributes[reference - 1]
        entry = Reader(self._section.data, begin, end, self._section.version, self._section.tables)
        cls, parts = _TAGS.get(entry.varint(), (None, ()))
        values: list[Any] = []
        for part in parts:
            if isinstance(part, tuple):
                values.append(_Reference(entry.varint(), part))
            else:
                values.append(entry.tables.string(entry) if part is str else entry.varint())
        return cls, values

    def _make(self, cls: Any, values: list[Any]) -> Any:
        """The location read; None if unknown, as a location's scope and a call site's ends may be."""
        found = []
        for value in values:
            if isinstance(value, _Reference):
                made, may_be_none = self._known[value.number], cls in (Location, CallSite)
                if not isinstance(made, value.classes) and not (made is None and may_be_none):
                    names = " or ".join(c.__name__ for c in value.classes)
                    self._section.fail(f"debug attribute {value.number} is not a {names}")
                value = made
            found.append(value)
        if cls is Location:
            scope, file, line, column = found
            return Location(file, line, column, scope)
        return cls(*found) if cls else None


class _Reference:
    """A reference to an attribute of one of some classes."""

    def __init__(self, number: int, classes: tuple[type, ...]):
        self.number, self.classes = number, classes


def _numbers(section: Reader, start: int, width: int) -> np.ndarray:
    count = section.count()
    section.align(width, start)
    return np.frombuffer(section.take(count * width), f"<u{width}")


# --- written ---


class LocationWriter:
    """Collects the debug section."""

    def __init__(self) -> None:
        self._numbers = Numbers()
        self._records: list[list[int | None]] = []

    def number(self, location: AnyLocation | None) -> int | None:
        return None if location is None else self._numbers.of(location)

    def record(self, locations: Iterable[AnyLocation | None]) -> int:
        """Records the locations of a function and of its operations. Returns the record's number, counted
        from 1, or 0 if all are unknown."""
        found = list(map(self.number, locations))
        if not any(number is not None for number in found):
            return 0
        self._records.append(found)
        return len(self._records)

    def section(self, io: Writer) -> bytes:
        """The section's bytes, empty if there are no records."""
        if not self._records:
            return b""
        attributes, references = self._attributes(io)
        out = Writer(io.version)
        out.varint(len(self._records))
        out.align(4)
        starts = np.cumsum([0, *map(len, self._records[:-1])])
        out.out += starts.astype("<u4").tobytes()
        flat = [0 if n is None else references[n] for record in self._records for n in record]
        out.varint(len(flat))
        out.align(8)
        out.out += np.array(flat, "<u8").tobytes()
        out.out += table(io, attributes or [_UNKNOWN], 4)  # which begins at a multiple of 8
        return bytes(out.out)

    def _attributes(self, io: Writer) -> tuple[list[bytes], list[int]]:
        """The attributes, and the reference for each number. The reference is 0 for a location that the
        binary form cannot hold, because its scope is unknown or it is fused; a named location becomes what it
        names."""
        attributes: list[bytes] = []
        references: list[int] = []
        for item in self._numbers.items:
            if isinstance(item, FusedLocation):
                references.append(0)
                continue
            values = [references[self._numbers.of(v)] if isinstance(v, ALL) else v for v in _values(item)]
            if isinstance(item, NamedLocation):
                references.append(values[1] or 0)
            elif not any(values) if isinstance(item, CallSite) else values[0] is None:
                references.append(0)
            else:
                attributes.append(_attribute(io, type(item), values))
                references.append(len(attributes))
        return attributes, references


def _values(item: Any) -> list[Any]:
    """The parts of an attribute in the order of the bytes."""
    if isinstance(item, Location):
        return [item.scope, item.file, item.line, item.column]
    return list(vars(item).values())


def _attribute(io: Writer, cls: type, values: list[Any]) -> bytes:
    entry = Writer(io.version, io.tables)
    entry.where = "debug information"
    entry.varint(_TAG_OF[cls])
    for value, part in zip(values, _TAGS[_TAG_OF[cls]][1], strict=True):
        if part is str:
            entry.tables.string(entry, value)
        else:
            entry.varint(value or 0)
    if cls is Subprogram and io.version >= _FLAGS_SINCE:
        entry.varint(0)
    return bytes(entry.out)
