"""Maps places in compiled code to places in the source by means of debug information."""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_TOOLS = ("addr2line", "llvm-addr2line", "llvm-symbolizer")


class Frame(NamedTuple):
    """A call: the function that was called, and the line that it had reached."""

    function: str
    file: str
    line: int


@functools.cache
def line_tool() -> list[str] | None:
    """The command that finds lines, if one is installed."""
    found = next((path for path in map(shutil.which, _TOOLS) if path), None)
    if found is None:
        return None
    style = ["--output-style=GNU"] if Path(found).name == "llvm-symbolizer" else []
    return [found, *style, "-f", "-C", "-i", "-a", "-e"]


def find_frames(library: Path, offsets: Sequence[int]) -> list[list[Frame]]:
    """For each offset in a library, the calls that lead there, innermost first; [] if unknown."""
    tool = line_tool()
    if tool is None or not offsets:
        return [[] for _ in offsets]
    done = subprocess.run([*tool, str(library), *map(hex, offsets)], capture_output=True, text=True)
    frames: list[list[Frame]] = []
    lines = iter(done.stdout.splitlines())
    for line in lines:
        if line.startswith("0x"):
            frames.append([])
            continue
        file, _, number = next(lines, "").partition(" (")[0].rpartition(":")
        if frames and number.isdecimal() and file not in ("", "??"):
            frames[-1].append(Frame(line, file, int(number)))
    return frames if len(frames) == len(offsets) else [[] for _ in offsets]
