"""Reads the log of g++, clang++ or NVRTC, and says in the user's file what is wrong.

    parse(log, places)          -> list of Diagnostic
    compile_error(log, places)  -> CompileError whose message shows the first few of them

A compiler reports an error inside a header together with the chain of instantiations that led there. Here the
place in the user's file is what counts: the innermost link of that chain which lies in it. Lines that the
parser does not know are never lost: they stay in CompileError.log.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace

from . import spec
from .demangle import demangled
from .errors import CompileError, Diagnostic

MESSAGE_LINES = 15  # at most, in a CompileError
_LINE_WIDTH = 200  # longer lines of a message are cut
IN_NAME = "in the kernel name"  # begins the note of an error in what a kernel was asked for by
_NAME_MAP = "__nv_name_map"  # where NVRTC says that it found a bad name expression


@dataclass
class Places:
    """Where the files of a compilation come from.

    source:       the name by which the user knows the source
    path:         the file that the compiler read, the same unless the source was given as text
    text:         its text
    library_dirs: folders of headers that are not the user's
    generated:    text of generated files, by path: one kernel name a line
    names:        the name expressions of the kernels that were asked for
    """

    source: str
    path: str
    text: str
    library_dirs: tuple[str, ...] = ()
    generated: dict[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def is_users(self, file: str) -> bool:
        if file == self.path:
            return True
        if file in self.generated or file == _NAME_MAP or file.startswith("<"):
            return False
        return not any(file.startswith(folder.rstrip("/") + "/") for folder in self.library_dirs)

    def shown(self, file: str) -> str:
        return self.source if file == self.path else file

    def line(self, file: str, number: int) -> str:
        """The text of a line of a user's file, "" if there is none."""
        text = self.text
        if file != self.source:
            try:
                with open(file, encoding="utf-8", errors="replace") as stream:
                    text = stream.read()
            except OSError:
                return ""
        lines = text.splitlines()
        return lines[number - 1].rstrip() if 0 < number <= len(lines) else ""

    def kernel_name(self, file: str, number: int) -> str:
        """The kernel name that a line of a generated file is about, "" if it is about none."""
        if file == _NAME_MAP:
            return " or ".join(self.names)
        lines = self.generated.get(file, "").splitlines()
        found = (
            re.match(r"CUDA_TILE_ENTRY\(\d+, *(.*)\)$", lines[number - 1])
            if 0 < number <= len(lines)
            else None
        )
        return found.group(1) if found else ""


@dataclass
class _Record:
    """One error or warning as the compiler gave it; `trace` leads from it outwards, link by link."""

    file: str
    line: int
    column: int
    severity: str
    message: str
    trace: list[tuple[str, int, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def parse(log: str, places: Places) -> list[Diagnostic]:
    """The errors and warnings of a compiler's log, in its order, each placed in the user's file if
    possible."""
    return [_place(record, places) for record in _records(log)]


def compile_error(log: str, places: Places) -> CompileError:
    """The CompileError for a failed compilation that printed `log`."""
    log = log.replace(places.path, places.source)
    places = replace(places, path=places.source)
    diagnostics = parse(log, places)
    errors = [d for d in diagnostics if d.severity == "error"]
    message = _render(errors, places) if errors else _render_raw(log, places)
    return CompileError(message, diagnostics, log)


def show(diagnostic: Diagnostic) -> str:
    """A diagnostic in one line, as compilers print them."""
    position = "".join(f":{number}" for number in (diagnostic.line, diagnostic.column) if number)
    notes = "".join(f"\n  {note}" for note in diagnostic.notes)
    message = f"{diagnostic.severity}: {_shortened(diagnostic.message)}{notes}"
    return f"{_short_path(diagnostic.file)}{position}: {message}"


# --- reading a log ------------------------------------------------------------------------------------------

_GNU = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+)(?::(?P<column>\d+))?: *(?P<rest>.*)")
_GNU_SEVERITY = re.compile(
    r"(fatal error|error|warning|note|sorry, unimplemented|internal compiler error): (.*)"
)
_EDG = re.compile(
    r"(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): "
    r"(?P<severity>catastrophic error|internal error|error|warning|note|remark)"
    r"(?: #[\d-]+D?)?: (?P<message>.*)"
)
_EDG_TRACE = re.compile(r" +(?:detected during )?.* at line (?P<line>\d+)(?: of (?P<file>.*))?$")
_EDG_TRACE_12_0 = re.compile(r"(?P<file>[^\s(][^(]*)?\((?P<line>\d+)\): here$")
_EDG_MORE = re.compile(r" {12}(?!instantiation of |implicit )\S")
_TOOL = re.compile(
    r"(?:[\w./+-]*/)?(?:cc1plus|g\+\+|clang\+\+|c\+\+|collect2|ld(?:\.\w+)?|ptxas|nvrtc)\S* *: (.*)"
)
_CHAIN_NOTE = re.compile(
    r"in instantiation of |in call to |in expansion of macro |expanded from macro |while "
)


def _records(log: str) -> list[_Record]:
    records: list[_Record] = []
    gnu_trace: list[tuple[str, int, int]] = []  # g++ prints the chain before the error
    edg_file = ""  # NVRTC leaves a file name out where it is the one before
    for line in log.splitlines():
        if found := _EDG.match(line):
            edg_file = found["file"]
            _add(records, found["file"], int(found["line"]), 0, found["severity"], found["message"], [])
        elif records and (found := _EDG_TRACE.match(line) or _EDG_TRACE_12_0.match(line)):
            edg_file = found["file"] or edg_file
            records[-1].trace.append((edg_file, int(found["line"]), 0))
        elif found := _GNU.match(line):
            place = (found["file"], int(found["line"]), int(found["column"] or 0))
            rest = found["rest"]
            if severity := _GNU_SEVERITY.match(rest):
                _add(records, *place, *severity.groups(), gnu_trace)
            elif rest.startswith(("required from", "recursively required from")):
                gnu_trace.append(place)
            elif rest.startswith("in 'constexpr' expansion of"):
                gnu_trace.insert(0, place)  # from the outside inwards
            elif records and rest.startswith(("required for", "in requirements")):
                records[-1].notes.append(rest)
        elif line.startswith(("In file included from ", "                 from ")):
            continue
        elif ": In " in line:  # "file: In instantiation of ...": a new chain begins
            gnu_trace = []
        elif found := _TOOL.match(line):
            severity = _GNU_SEVERITY.match(found[1])
            if severity and severity[1] != "note":
                _add(records, "", 0, 0, *severity.groups(), [])
        elif records and line.strip() == "^" and not records[-1].column and not records[-1].notes:
            records[-1].column = len(line) - 2  # NVRTC indents the source by two spaces
        elif records and _EDG_MORE.match(line) and not records[-1].notes:
            records[-1].message += "; " + line.strip()  # NVRTC: "argument types are: (int)"
    return records


def _add(
    records: list[_Record],
    file: str,
    line: int,
    column: int,
    severity: str,
    message: str,
    trace: list[tuple[str, int, int]],
) -> None:
    """Adds a record, or what a note says to the record before it."""
    if severity in ("note", "remark"):
        if records and _CHAIN_NOTE.match(message):
            records[-1].trace.append((file, line, column))
        elif records:
            records[-1].notes.append(message)
        return
    severity = "warning" if severity == "warning" else "error"
    records.append(_Record(file, line, column, severity, message, list(trace)))


# --- placing a record in the user's file --------------------------------------------------------------------


def _place(record: _Record, places: Places) -> Diagnostic:
    chain = [(record.file, record.line, record.column), *record.trace]
    notes = _requirement(record)
    if violation := _violation(record):
        record, notes = replace(record, message=violation), ()
    for file, line, column in chain:
        if file and places.is_users(file):
            return Diagnostic(places.shown(file), line, column, record.severity, record.message, notes)
    for file, line, _ in chain:
        if name := places.kernel_name(file, line):
            notes = (*notes, f"{IN_NAME}: {name}")
            return Diagnostic(places.source, 0, 0, record.severity, record.message, notes)
    return Diagnostic(
        record.file or places.source, record.line, record.column, record.severity, record.message, notes
    )


_VIOLATED = re.compile(r"\bviolated\b.*?(?:Kind = |<)cuda_tile_(\w+)")


def _violation(record: _Record) -> str:
    """What a constant expression violates [3.1], by its kind; "" if nothing."""
    for text in (record.message, *record.notes):
        if found := _VIOLATED.search(text):
            kind = found[1].replace("_", "-")
            for row in spec.load("violations"):
                if row.id == kind:
                    return f"{kind}: {row.requirement} [{row.section}]"
    return ""


_CONCEPTS = (  # each compiler's words for: this concept does not hold
    re.compile(r"(required for the satisfaction of '.*)$"),
    re.compile(r"(?:because|and) ('.*' (?:does not satisfy '.*'|evaluated to false))"),
    re.compile(r"(concept .* not satisfied for .*)"),
)
_OTHER_REASONS = (
    re.compile(r"(the required .* is invalid.*)"),
    re.compile(r"(no known conversion .*)"),
    re.compile(r" *(?:candidate template ignored: )?(couldn't (?:deduce|infer) template .*)"),
    re.compile(r" *(?:candidate template ignored: )?((?:deduced conflicting|mismatched) types .*)"),
    re.compile(r"candidate template ignored: (could not match .*)"),
    re.compile(r"(because .*)"),
    re.compile(r"(the expression .* evaluated to 'false')"),
    re.compile(r"(type constraint failed for .*|concept is false for .*)"),
    re.compile(
        r"(candidate .* failed deduction|candidate expects .*|the (?:comparison|final comparison) .*)"
    ),
)


def _requirement(record: _Record) -> tuple[str, ...]:
    """The note that says best what is required.

    Where several overloads were tried, the one whose concepts were followed deepest is nearest to what was
    meant; the innermost of its concepts that has a public name says what is wrong.
    """
    deepest: list[str] = []
    for pattern in _CONCEPTS:
        chain: list[str] = []
        for note in [*record.notes, ""]:
            if found := pattern.match(note):
                chain.append(found[1])
            else:
                deepest = max(deepest, chain, key=len)
                chain = []
    if deepest:
        return (_best_of_chain(deepest),)
    for pattern in _OTHER_REASONS:
        for note in record.notes:
            if found := pattern.match(note):
                return (found[1],)
    return ()


def _best_of_chain(chain: list[str]) -> str:
    """The innermost concept of a chain that has a public name; chains run inwards, but g++'s outwards."""
    public = [note for note in chain if "detail::" not in note.partition("<")[0]] or chain
    if public[0].startswith("required for"):
        return re.sub(
            r"^required for the satisfaction of '(.*?)'?( \[with .*)?$", r"required: \1\2", public[0]
        )
    named = [note for note in public if "does not satisfy" in note]
    return (named or public)[-1]


# --- the text of a CompileError -----------------------------------------------------------------------------


def _render(errors: list[Diagnostic], places: Places) -> str:
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
        lines.append(
            f"... and {more} more error{'s' if more > 1 else ''}: see .diagnostics, and .log for all of it"
        )
    return "\n".join(lines)


_REQUIREMENTS = ("required: ", 'concept "')  # how such notes begin


def _render_one(error: Diagnostic, places: Places) -> list[str]:
    position = "".join(f":{number}" for number in (error.line, error.column) if number)
    # What is required comes first: a refused call says which requirement failed in its first line.
    requirement = [_shortened(note) for note in error.notes if note.startswith(_REQUIREMENTS)][:1]
    what = ": ".join([*requirement, _shortened(error.message)])
    lines = [_cut(f"{_short_path(error.file)}{position}: {error.severity}: {what}")]
    if text := places.line(error.file, error.line):
        if error.message.startswith("expected") and not text[: error.column - 1].strip():
            # What is missing is mostly missing at the end of the line before.
            lines.append(_cut(f"{error.line - 1:5} | {places.line(error.file, error.line - 1)}"))
        lines.append(_cut(f"{error.line:5} | {text}"))
        if 0 < error.column <= min(len(text) + 1, _LINE_WIDTH):
            # Tabs are kept, so that the caret stands below its character.
            indent = re.sub(r"[^\t]", " ", text[: error.column - 1])
            lines.append(f"      | {indent}^")
    rest = [note for note in map(_shortened, error.notes) if note not in requirement]
    return lines + [_cut(f"  {note}") for note in rest]


def _render_raw(log: str, places: Places) -> str:
    lines = [_cut(line) for line in demangled(log).splitlines() if line.strip()]
    head = f"{_short_path(places.source)}: the compiler failed"
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


def _shortened(text: str) -> str:
    for pattern, short in _SHORTER:
        text = pattern.sub(short, text)
    return text


def _cut(line: str) -> str:
    return line if len(line) <= _LINE_WIDTH else line[: _LINE_WIDTH - 4] + " ..."


def _short_path(file: str) -> str:
    """The path relative to the working directory where that is shorter."""
    if not os.path.isabs(file):
        return file
    relative = os.path.relpath(file)
    return relative if len(relative) < len(file) and not relative.startswith("../..") else file
