"""NVIDIA's compute-sanitizer over launches of a bundle: where it is, and how its output is read.

memcheck finds out-of-bounds accesses, racecheck hazards in shared memory, initcheck reads of uninitialised
memory, synccheck wrong barriers."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
FOUND = 86  # the exit status that the sanitizer is to return if it finds something
_OPTIONS = {
    # An error ends the kernel, and not all that comes after it.
    "memcheck": ["--report-api-errors", "no", "--destroy-on-device-error", "kernel"],
    "racecheck": ["--racecheck-report", "all"],
}


def find() -> str | None:
    """compute-sanitizer of the path, the CUDA toolkit, or NVIDIA's wheels beside this Python's packages."""
    if found := shutil.which("compute-sanitizer"):
        return found
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    places = [Path(root) / "bin" / "compute-sanitizer" for root in roots if root]
    for folder in map(Path, sys.path):
        places += sorted(folder.glob("nvidia/*/bin/compute-sanitizer"))
    return next((str(place) for place in places if place.is_file()), None)


def command(program: str, tool: str, watched: list[str]) -> list[str]:
    return [program, "--tool", tool, "--error-exitcode", str(FOUND), *_OPTIONS.get(tool, []), *watched]


def judge(status: int | None, output: str) -> tuple[str, str]:
    """What the sanitizer says, in a word or two, and the first lines of what it found; a status of None: its
    time was over."""
    lines = [line for line in output.splitlines() if line.startswith("=========")]
    counts = [int(count) for line in lines for count in re.findall(r"SUMMARY: (\d+) (?:error|hazard)", line)]
    said = [line for line in lines[1:] if "SUMMARY" not in line and line.strip("= ")][:200]
    if status == 0 and counts and not any(counts):
        return "clean", ""
    if any(counts):
        return f"{max(counts)} found", "\n".join(said)
    ended = "no time was left" if status is None else f"failed ({status})"
    return ended, "\n".join((said or output.splitlines())[-8:])
