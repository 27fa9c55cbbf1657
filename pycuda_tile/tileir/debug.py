"""Lines of the source in the debug section of the binary form.

The section has records, one for each function: references to attributes, the function's own and one for
each operation in the order of the payload. An attribute is a location, a call site (what is inlined, and
where), or says what is not asked here.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .codec import Reader

_LOCATION, _CALL_SITE = 4, 6
_DEPTH = 256


class Lines:
    """The line of each operation: of what is inlined, the line that it was inlined to at last."""

    def __init__(self, section: Reader | None):
        self._section = section
        if section is None:
            return
        start = section.at
        self._records = _numbers(section, start, 4)
        self._references = _numbers(section, start, 8)
        self._attributes = section.table(4, start)
        self._known: dict[int, int] = {0: 0}

    def of(self, record: int) -> Iterator[int]:
        """The lines of a function's operations; `record` counts from 1, 0 is none. A line of 0 is unknown."""
        if record == 0 or self._section is None:
            return
        if record > len(self._records):
            self._section.fail(f"debug record {record} of {len(self._records)}")
        for reference in self._references[int(self._records[record - 1]) + 1 :]:
            yield self._line(int(reference))

    def _line(self, reference: int) -> int:
        if reference not in self._known:
            self._known[reference] = self._find(reference)
        return self._known[reference]

    def _find(self, reference: int) -> int:
        for _ in range(_DEPTH):
            if reference == 0:
                return 0
            if reference > len(self._attributes):
                self._section.fail(f"debug attribute {reference} of {len(self._attributes)}")
            begin, end = self._attributes[reference - 1]
            entry = Reader(self._section.data, begin, end, self._section.version)
            tag = entry.varint()
            if tag == _CALL_SITE:
                entry.varint()  # what was called
                reference = entry.varint()
                continue
            if tag != _LOCATION:
                return 0
            entry.varint()  # its scope
            entry.varint()  # its file
            return entry.varint()
        return self._section.fail(f"call sites nested more than {_DEPTH} deep")


def _numbers(section: Reader, start: int, width: int) -> np.ndarray:
    count = section.count()
    section.align(width, start)
    return np.frombuffer(section.take(count * width), f"<u{width}")
