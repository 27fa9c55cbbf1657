"""Maps a GPU's checks to the source: each place in the code gets a number, and a list gives its line.

Checks are compiled with a mark (`platform::site` of platform/cuda_checks.h) and line information. Numbers
replace the marks in the PTX, which the driver then assembles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .lines import Frame

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"((?:[^"\\\\]|\\\\.)*)"', re.MULTILINE)
_PLACE = r"(\d+) (\d+) (\d+)"
_LOC = re.compile(rf"\s*\.loc\s+{_PLACE}(?:, function_name \S+, inlined_at {_PLACE})?")
_MARK = re.compile(r"(mov\.u32\s+%r\d+, )0xc0de517e;")
_VARIABLE = re.compile(r"^(?:\.visible )?(\.global [^;={}]*?([\w$]+)(?:\[\d*\])?(?= =|;))", re.MULTILINE)
_OUR_NAMES = ("_ZN4cuda5tiles", "_ZN9cuda_tile", "_ZNK4cuda", "$", "__")

Place = tuple[str, int]  # file and line


def number_sites(ptx: str) -> tuple[str, list[list[Place]]]:
    """The PTX with a number from 1 for each mark, and for each number the calls that lead there, innermost
    first."""
    files = {number: name.replace("\\\\", "\\") for number, name in _FILE.findall(ptx)}
    lines, sites = ptx.split("\n"), []
    callers: dict[tuple, tuple | None] = {}
    here: tuple | None = None
    for i, line in enumerate(lines):
        if loc := _LOC.match(line):
            here = loc.groups()[:3]
            callers[here] = loc.groups()[3:] if loc[4] else None
        elif _MARK.search(line):
            sites.append([(files.get(file, ""), int(number)) for file, number, _ in _chain(here, callers)])
            lines[i] = _MARK.sub(rf"\g<1>{len(sites)};", line)
    return "\n".join(lines), sites


def _chain(place: tuple | None, callers: dict[tuple, tuple | None]) -> list[tuple]:
    chain = []
    while place is not None and place not in chain:
        chain.append(place)
        place = callers.get(place)
    return chain


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
