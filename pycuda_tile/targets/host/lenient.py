"""Compiles for the host what NVIDIA's front end accepts and host compilers reject: templates that are never
instantiated and use undeclared names, and functions that launch kernels (frontend/unused.py)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...compilers import toolchain, units
from ...diagnostics.compiler_log import compile_error, parse
from ...diagnostics.places import Places
from ...frontend.unused import Overlay

_MOST_ROUNDS = 5  # compilers stop after some number of errors


def compile_again(
    compiler: toolchain.Compiler,
    arguments: Sequence[str],
    log: str,
    places: Places,
    include_dirs: Sequence[Path],
) -> tuple[str, list[str]] | None:
    """After errors, compiles again without a faulty host half and the bodies of faulty templates that
    are not used.

    arguments: the compiler's; the last is the generated file that includes the source
    log:       the compiler's output
    Returns the new log and the files of which something was removed; None if the errors have nothing to do
    with that. Raises CompileError for errors that remain elsewhere.
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
        if not (overlay.leave_out_host_half(errors) or overlay.take_out(errors)):
            break
        overlay.write()
        text = places.generated[unit].replace(str(source), str(overlay.path_of(source)), 1)
        units.write(lenient, text)
        # The linker reports a removed template that is used after all.
        done = compiler.run([*folders, *options, "-Wl,--no-undefined", str(lenient)])
        log = done.stdout
        if not done.returncode:
            names = ", ".join(overlay.names)
            note = f"note: left out, because they are never used and do not compile: {names}\n"
            return log + note * bool(names), [str(path) for path in overlay.texts]
    missing = set(re.findall(r"['`](\w+)", " ".join(error.message for error in errors)))
    if overlay.host_names & missing or set(overlay.names).intersection(re.findall(r"\w+", log)):
        return None  # it is used: the original error is the better message
    if (overlay.names or overlay.host_names) and errors:
        raise compile_error(log, places)
    return None
