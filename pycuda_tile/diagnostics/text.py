"""Diagnostics as text: the message of a CompileError, and one-line forms."""

from __future__ import annotations

import os
import re
import textwrap

from ..compilers.demangle import demangled
from ..errors import Diagnostic
from .places import Places

MESSAGE_LINES = 15  # at most, in a CompileError
ALL_OF_IT = ": see .diagnostics, and .log for all of it"
_LINE_WIDTH = 120  # longer lines go on below
_SOURCE_WIDTH = 200  # longer lines of source are cut


def render(errors: list[Diagnostic], places: Places) -> str:
    lines: list[str] = []
    shown = 0
    for error in errors:
        block = _render_one(error, places)
        if lines and len(lines) + len(block) > MESSAGE_LINES - 1:
            break
        lines += block
        shown += 1
    if shown < len(errors):
        more = len(errors) - shown
        lines.append(f"... and {more} more error{'s' if more > 1 else ''}{ALL_OF_IT}")
    return "\n".join(lines)


_REQUIREMENTS = ("required: ", 'concept "')  # the beginnings of such notes


def _render_one(error: Diagnostic, places: Places) -> list[str]:
    position = "".join(f":{number}" for number in (error.line, error.column) if number)
    # Requirements come first, so that the first line of a rejected call says which requirement failed.
    requirement = [shortened(note) for note in error.notes if note.startswith(_REQUIREMENTS)][:1]
    what = ": ".join([*requirement, shortened(error.message)])
    lines = _wrapped(f"{short_path(error.file)}{position}: {error.severity}: {what}", "    ")
    if text := places.line(error.file, error.line):
        if error.message.startswith("expected") and not text[: error.column - 1].strip():
            # A missing token usually belongs at the end of the previous line.
            lines.append(_cut(f"{error.line - 1:5} | {places.line(error.file, error.line - 1)}"))
        lines.append(_cut(f"{error.line:5} | {text}"))
        if 0 < error.column <= min(len(text) + 1, _SOURCE_WIDTH):
            # Tabs are kept so that the caret stays below its character.
            indent = re.sub(r"[^\t]", " ", text[: error.column - 1])
            lines.append(f"      | {indent}^")
    # Advice has names as they are to be written.
    notes = [note if note.startswith("hint: ") else shortened(note) for note in error.notes]
    rest = [note for note in notes if note not in requirement]
    return lines + [line for note in rest for line in _wrapped(f"  {note}", "      ")]


def render_log(log: str, places: Places) -> str:
    lines = [_cut(line) for line in demangled(log).splitlines() if line.strip()]
    head = f"{short_path(places.source)}: the compiler failed"
    if not lines:
        return f"{head} and printed nothing"
    cut = lines[: MESSAGE_LINES - 2]
    return "\n".join([f"{head}:", *cut] + (["... see .log for all of it"] if len(lines) > len(cut) else []))


_SHORTER = (  # types as a user writes them
    (re.compile(r"\bcuda::tiles::(?:__1::)?"), ""),
    (re.compile(r"\b(?:18446744073709551615(?:UL)?|4294967295U)\b"), "dynamic_extent"),
    (re.compile(r"\b(\d+)U?L?\b"), r"\1"),
    (
        re.compile(r"\bextents<(?:unsigned int|uint32_t|std::uint32_t)(?:, |(?=>))((?:\d+(?:, )?)*)>"),
        r"shape<\1>",
    ),
    (re.compile(r"> (?=>)"), ">"),
    (re.compile(r"\blayout_right::mapping<[^<>]*(?:<[^<>]*>)?[^<>]*>"), "layout_right"),
)


def shortened(text: str) -> str:
    for pattern, short in _SHORTER:
        text = pattern.sub(short, text)
    return text


def _wrapped(text: str, indent: str) -> list[str]:
    """The text in lines, in which no name is broken."""
    if len(text) <= _LINE_WIDTH:
        return [text]
    return textwrap.wrap(
        text, _LINE_WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _cut(line: str) -> str:
    return line if len(line) <= _SOURCE_WIDTH else line[: _SOURCE_WIDTH - 4] + " ..."


def short_path(file: str) -> str:
    """The path relative to the working directory if that is shorter."""
    if not os.path.isabs(file):
        return file
    relative = os.path.relpath(file)
    return relative if len(relative) < len(file) and not relative.startswith("../..") else file


def show(diagnostic: Diagnostic) -> str:
    """A diagnostic in one line, in the style of compilers."""
    position = "".join(f":{number}" for number in (diagnostic.line, diagnostic.column) if number)
    notes = "".join(f"\n  {note}" for note in diagnostic.notes)
    message = f"{diagnostic.severity}: {shortened(diagnostic.message)}{notes}"
    return f"{short_path(diagnostic.file)}{position}: {message}"
