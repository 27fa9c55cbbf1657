"""The errors of a half's compilation, as build() renders them: placed in the user's files, with advice."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from ..diagnostics.compiler_log import parse
from ..diagnostics.places import Places
from ..diagnostics.text import render
from ..errors import CompileError, Diagnostic

_LINE = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"')
# What compilers say of calls that stand for what is refused (include/cuda_tile/program/refused.h).
_ATTRIBUTE = re.compile(r"call to '[^'\n]*' declared with (?:attribute error|'error' attribute): ")


@contextlib.contextmanager
def placed(source: str, preprocessed: Path, not_users: tuple[str, ...]) -> Iterator[None]:
    """Errors of the compiler within this context are rendered. `not_users` begin paths of others' headers."""
    try:
        yield
    except CompileError as error:
        if not error.log:
            raise
        raise _rendered(error.log, source, preprocessed, not_users) from None


def _rendered(log: str, source: str, preprocessed: Path, not_users: tuple[str, ...]) -> CompileError:
    log = _ATTRIBUTE.sub("", log)
    places = Places(source, source, _text_of(Path(source)), tuple(folder.rstrip("/") for folder in not_users))
    lines = _lines(_text_of(preprocessed))
    found = list(dict.fromkeys(_with_column(one, lines, places) for one in parse(log, places)))
    errors = [one for one in found if one.severity == "error"]
    return CompileError(render(errors, places) if errors else log.rstrip(), found, log)


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _lines(text: str) -> dict[tuple[str, int], str]:
    """The lines that the compiler read, by their places in the files that they come from."""
    found = {}
    file, number = "", 0
    for line in text.split("\n"):
        if marker := _LINE.match(line):
            file, number = marker[2], int(marker[1])
        else:
            found[file, number] = line
            number += 1
    return found


def _with_column(one: Diagnostic, lines: dict[tuple[str, int], str], places: Places) -> Diagnostic:
    """Columns are those of lines after macros and launches were rewritten: right only in other lines."""
    read = lines.get((one.file, one.line))
    return one if read is None or read.rstrip() == places.line(one.file, one.line) else one._replace(column=0)
