"""Templates that are wrong: accepted where no kernel uses them, as by NVIDIA's front end."""

from __future__ import annotations

from pathlib import Path

from ...diagnostics.compiler_log import parse
from ...diagnostics.places import Places
from ...frontend.unused import template_bodies
from .llvm_text import Text


def is_unused(llvm: Path, log: str, places: Places) -> bool:
    """Whether LLVM IR in a file has no code of the templates in which a compiler found errors."""
    text = Text(llvm.read_text(encoding="utf-8"))
    code = {(places.shown(place.file), place.line) for place in text.all_places()}
    lines: dict[str, set[int]] = {}
    for error in parse(log, places):
        if error.severity == "error":
            lines.setdefault(error.file, set()).add(error.line)
    for file, wrong in lines.items():
        used = {line for where, line in code if where == file}
        written = places.text if file == places.source else _read(file)
        if any(body.has(wrong) and body.has(used) for body in template_bodies(written)):
            return False
    return True


def _read(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()
    except OSError:
        return ""
