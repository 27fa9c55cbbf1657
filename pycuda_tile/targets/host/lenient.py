"""Compiles for the host what NVIDIA's front end takes and a host compiler does not: templates that are never
instantiated and name what does not exist (frontend/unused.py)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...compilers import toolchain
from ...diagnostics.compiler_log import compile_error, parse
from ...diagnostics.places import Places
from ...frontend.unused import Overlay

_MOST_ROUNDS = 5  # a compiler stops after some errors


def compile_again(
    compiler: toolchain.Compiler,
    arguments: Sequence[str],
    log: str,
    places: Places,
    include_dirs: Sequence[Path],
) -> tuple[str, list[str]] | None:
    """Compiles again, after errors, without the bodies of wrong templates that nobody uses.

    arguments: of the compiler; the last is the generated file that includes the source
    log:       what the compiler printed
    Returns the new log, and the files that bodies were taken out of; None if the errors are none of these
    templates' business. Raises CompileError for errors that are left elsewhere.
    """
    *options, unit = arguments
    source = Path(places.path)
    by_path = replace(places, source=places.path)
    used = re.findall(r"[A-Za-z_$][\w$]*", " ".join(places.generated.values()))
    overlay = Overlay(Path(unit).parent / "overlay", source, include_dirs, used)
    lenient = Path(unit).with_name("lenient.cpp")
    folders = [f"-I{overlay.folder}", f"-iquote{source.parent}"]
    errors = []
    for _ in range(_MOST_ROUNDS):
        errors = [diagnostic for diagnostic in parse(log, by_path) if diagnostic.severity == "error"]
        if not overlay.take_out(errors):
            break
        overlay.write()
        text = places.generated[unit].replace(str(source), str(overlay.path_of(source)), 1)
        lenient.write_text(text, encoding="utf-8", errors="surrogateescape")
        # A template that is used after all is missing at the end.
        done = compiler.run([*folders, *options, "-Wl,--no-undefined", str(lenient)])
        log = done.stdout
        if not done.returncode:
            note = f"note: left out, since never used and wrong: {', '.join(overlay.names)}\n"
            return log + note, [str(path) for path in overlay.texts]
    taken_out = re.compile(rf"\b({'|'.join(overlay.names)})\b")
    if overlay.names and taken_out.search(log):
        return None  # it is used: what was wrong at first is the better message
    if overlay.names and errors:
        raise compile_error(log, places)
    return None
