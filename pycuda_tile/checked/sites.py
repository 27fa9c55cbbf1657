"""Maps a GPU's checks to the source: each place in the code gets a number, and a list gives its line.

Checks are compiled with a mark (`platform::site` of platform/cuda_checks.h) and line information. Numbers
replace the marks in the PTX, which the driver then assembles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .lines import Frame

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"((?:[^"\\\\]|\\\\.)*)"', re.MULTILINE)
_PLACE = r"(\d+) (\d+) (\d+)"
_LOC = re.compile(rf"\s*\.loc\s+{_PLACE}(?:, function_name \S+, inlined_at {_PLACE})?")
_BLOCK = re.compile(r"(?:\$L__)?BB\d+_\d+")
_LEAVES = re.compile(r"\s*(?:bra|brx|ret|exit|trap)\b")  # whatever a condition says
_MARK = re.compile(r"(mov\.u32\s+%r\d+, )0xc0de517e;")
_VARIABLE = re.compile(r"^(?:\.visible )?(\.global [^;={}]*?([\w$]+)(?:\[\d*\])?(?= =|;))", re.MULTILINE)
_OUR_NAMES = ("_ZN4cuda5tiles", "_ZN9cuda_tile", "_ZNK4cuda", "$", "__")

Place = tuple[str, int]  # file and line


def number_sites(ptx: str) -> tuple[str, list[list[Place]]]:
    """The PTX with a number from 1 for each mark, and for each number the calls that lead there, innermost
    first."""
    files = {number: name.replace("\\\\", "\\") for number, name in _FILE.findall(ptx)}
    lines, sites = ptx.split("\n"), []
    calls = _Calls()
    for i, line in enumerate(lines):
        if line == "{":
            calls = _Calls()  # of a function
        calls.read(line)
        if _MARK.search(line):
            sites.append([(files.get(file, ""), int(number)) for file, number, _ in calls.chain()])
            lines[i] = _MARK.sub(rf"\g<1>{len(sites)};", line)
    return "\n".join(lines), sites


class _Call(NamedTuple):
    place: tuple[str, ...]  # file, line and column
    caller: _Call | None


class _Calls:
    """The calls that each line of PTX was inlined from.

    A place names its caller by file, line and column, which all copies of an inlined function share. Each
    copy is listed once, before the first place in it; so of several, the one that control came through last
    is meant. Blocks stand in any order: where none falls through to a block, a branch to it came before.
    """

    def __init__(self) -> None:
        self._here: _Call | None = None
        self._last: dict[tuple, _Call] = {}  # by place
        self._at_branch: dict[str, dict[tuple, _Call]] = {}  # by label
        self._falls_through = True

    def read(self, line: str) -> None:
        if loc := _LOC.match(line):
            self._here = _Call(loc.group(1, 2, 3), self._last.get(loc.group(4, 5, 6)))
            self._last.update((call.place, call) for call in _callers(self._here))
        elif line.endswith(":") and _BLOCK.match(line):
            if not self._falls_through:
                self._last = self._last | self._at_branch.get(line[:-1], {})
            self._falls_through = True
        else:
            for block in _BLOCK.findall(line):
                self._at_branch.setdefault(block, dict(self._last))
            if _LEAVES.match(line):
                self._falls_through = False

    def chain(self) -> list[tuple[str, ...]]:
        return [call.place for call in _callers(self._here)]


def _callers(call: _Call | None) -> Iterator[_Call]:
    """A call and those that it was inlined from."""
    while call is not None:
        yield call
        call = call.caller


def publish_variables(ptx: str) -> tuple[str, list[str]]:
    """The PTX with the kernels' own variables in global memory visible to the driver, and their names."""
    names: list[str] = []

    def publish(found: re.Match) -> str:
        if found[2].startswith(_OUR_NAMES):
            return found[0]
        names.append(found[2])
        return f".visible {found[1]}"

    return _VARIABLE.sub(publish, ptx), names


def frames_of(sites: Sequence[Sequence[Place]], number: int) -> list[Frame]:
    """The calls at the site of that number, in the form of `lines.find_frames`; [] if there is none."""
    known = 1 <= number <= len(sites)
    return [Frame("", file, line) for file, line in sites[number - 1]] if known else []
