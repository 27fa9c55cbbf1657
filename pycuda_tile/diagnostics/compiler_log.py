"""Reads the log of g++, clang++ or NVRTC, and places its errors in the user's file.

    parse(log, places)          -> list of Diagnostic
    compile_error(log, places)  -> CompileError whose message shows the first few of them

A compiler reports an error inside a header together with the chain of instantiations that led there. An error
is placed at the innermost link of that chain that lies in the user's file. Lines that the parser does not
know are not lost: they remain in CompileError.log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from .. import spec
from ..errors import CompileError, Diagnostic
from . import missing_header
from .advice import advice
from .places import NAME_MAP, Places
from .text import render, render_log

NO_KERNEL_FITS = "no kernel fits this name"
IN_NAME = "in the kernel name"  # begins the note of an error in a requested kernel name


@dataclass
class _Record:
    """One error or warning as the compiler reported it; `trace` is the chain from it outwards."""

    file: str
    line: int
    column: int
    severity: str
    message: str
    trace: list[tuple[str, int, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def parse(log: str, places: Places) -> list[Diagnostic]:
    """The errors and warnings of a compiler's log in order, each placed in the user's file if possible."""
    records = _records(log)
    for at, record in enumerate(records):
        if record.severity == "error" and places.is_end(record.file, record.line):
            return _without_echoes(_place(r, places) for r in records[:at]) or [_unfinished(places)]
    placed = _without_echoes(_advised(_place(record, places), places) for record in records)
    return missing_header.without_consequences(_without_consequences(placed), places.source)


def _unfinished(places: Places) -> Diagnostic:
    message = "the source ends inside a declaration: a } or ; is missing"
    return Diagnostic(places.source, len(places.text.splitlines()), 0, "error", message)


def compile_error(log: str, places: Places) -> CompileError:
    """The CompileError for a failed compilation that printed `log`."""
    log = log.replace(places.path, places.source)
    places = replace(places, path=places.source)
    diagnostics = [*places.found, *parse(log, places)]
    errors = [d for d in diagnostics if d.severity == "error"]
    by_directive = [d for d in errors if d.message.startswith(("#error", '"'))]  # the others follow from it
    message = render(by_directive or errors, places) if errors else render_log(log, places)
    return CompileError(message, diagnostics, log)


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
_EDG_END = re.compile(r"At end of source: (?:catastrophic )?error(?: #[\d-]+D?)?: (.*)")
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
    edg_file = ""  # NVRTC omits a file name that repeats the previous one
    for line in log.splitlines():
        if found := _EDG.match(line):
            edg_file = found["file"]
            _add(records, found["file"], int(found["line"]), 0, found["severity"], found["message"], [])
        elif found := _EDG_END.match(line):
            _add(records, "", 0, 0, "error", f"{found[1]} at the end of the source", [])
        elif records and (found := _EDG_TRACE.match(line) or _EDG_TRACE_12_0.match(line)):
            edg_file = found["file"] or edg_file
            records[-1].trace.append((edg_file, int(found["line"]), 0))
        elif found := _GNU.match(line):
            place = (found["file"], int(found["line"]), int(found["column"] or 0))
            rest = found["rest"]
            if severity := _GNU_SEVERITY.match(rest):
                _add(records, *place, severity[1], severity[2], gnu_trace)
            elif rest.startswith(("required from", "recursively required from")):
                gnu_trace.append(place)
            elif rest.startswith("in 'constexpr' expansion of"):
                gnu_trace.insert(0, place)  # g++ lists it from outside inwards
            elif records and rest.startswith(("required for", "in requirements")):
                records[-1].notes.append(rest)
        elif line.startswith(("In file included from ", "                 from ")):
            continue
        elif ": In " in line:  # "file: In instantiation of ...": a new chain begins
            gnu_trace = []
        elif found := _TOOL.match(line):
            severity = _GNU_SEVERITY.match(found[1])
            if severity and severity[1] != "note":
                _add(records, "", 0, 0, severity[1], severity[2], [])
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
    """Adds a record, or adds a note to the previous record."""
    if severity in ("note", "remark"):
        if records and _CHAIN_NOTE.match(message):
            records[-1].trace.append((file, line, column))
        elif records:
            records[-1].notes.append(message)
        return
    severity = "warning" if severity == "warning" else "error"
    records.append(_Record(file, line, column, severity, message, list(trace)))


# --- what is said of an error ------------------------------------------------------------------------------


HINT = "hint: "
_CONSEQUENCE = re.compile(r"<expression error>|<error-type>|template argument \d+ is invalid")


def _advised(diagnostic: Diagnostic, places: Places) -> Diagnostic:
    """The diagnostic with a note that says what to do about it, if that is known."""
    if diagnostic.severity != "error":
        return diagnostic
    line = places.line(diagnostic.file, diagnostic.line)
    found = advice(diagnostic.message, diagnostic.notes, line)
    return diagnostic._replace(notes=(*diagnostic.notes, HINT + found)) if found else diagnostic


def _without_consequences(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Drops what compilers say of an expression that they have already called wrong."""
    kept: list[Diagnostic] = []
    for diagnostic in diagnostics:
        text = " ".join([diagnostic.message, *diagnostic.notes])
        is_known = any(
            other.severity == "error" and (other.file, other.line) == (diagnostic.file, diagnostic.line)
            for other in kept
        )
        if not (is_known and _CONSEQUENCE.search(text)):
            kept.append(diagnostic)
    return kept


# --- placing a record in the user's file --------------------------------------------------------------------


def _without_echoes(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Keeps the first of several errors about one kernel name, which compilers report repeatedly. Errors that
    name only NVRTC's name map are dropped if there are others, which say more."""
    seen: set[str] = set()
    kept = []
    for diagnostic in diagnostics:
        is_error = diagnostic.severity == "error"
        names = [note for note in diagnostic.notes if is_error and note.startswith(IN_NAME)]
        if not seen.isdisjoint(names):
            continue
        # A place says more than the name.
        notes = tuple(note for note in diagnostic.notes if not (diagnostic.line and note in names))
        kept.append(diagnostic._replace(notes=notes))
        seen.update(names)
    return [diagnostic for diagnostic in kept if diagnostic.file != NAME_MAP] or kept


_FITS_NO_KERNEL = re.compile(  # each compiler's error for the request in core/signature.h
    r"no matching function for call to 'kernel_of|no instance of .*kernel_of|no matches converting function|"
    r"invalid 'static_cast'|static_cast from .* is not allowed|"
    r"address of overloaded function .* cannot be static_cast|"
    r"invalid type conversion|cannot determine which instance of function template"
)
_RETURNS_SOMETHING = re.compile("mismatched types 'void' and|could not match 'void' against")


def _place(record: _Record, places: Places) -> Diagnostic:
    chain = [(record.file, record.line, record.column), *record.trace]
    notes = _requirement(record)
    if violation := _violation(record):
        record, notes = replace(record, message=violation), ()
    elif missing := missing_header.message((_with_name(record, places), *record.notes), places.text):
        record, notes = replace(record, severity="error", message=missing), ()
    for file, line, column in chain:
        if file and places.is_users(file):
            return Diagnostic(places.shown(file), line, column, record.severity, record.message, notes)
    for file, line, _ in chain:
        if name := places.kernel_name(file, line):
            message, place = record.message, (places.source, 0)
            if _FITS_NO_KERNEL.match(message):
                message, notes = NO_KERNEL_FITS, ()
                if any(map(_RETURNS_SOMETHING.search, record.notes)):
                    message, place = "a kernel is a function that returns void", places.declared(name)
            return Diagnostic(*place, 0, record.severity, message, (*notes, f"{IN_NAME}: {name}"))
    return Diagnostic(
        record.file or places.source, record.line, record.column, record.severity, record.message, notes
    )


def _with_name(record: _Record, places: Places) -> str:
    """An error's message; NVRTC's error that a name is not a namespace gets that name."""
    if not record.message.startswith('name followed by "::"'):
        return record.message
    return f"{record.message}: {places.line(places.shown(record.file), record.line)[record.column - 1 :]}"


_VIOLATED = re.compile(r"\bviolated\b.*?(?:Kind = |<)cuda_tile_(\w+)")


def _violation(record: _Record) -> str:
    """The kind of violation [3.1] in a constant expression; "" if there is none."""
    for text in (record.message, *record.notes):
        if found := _VIOLATED.search(text):
            kind = found[1].replace("_", "-")
            for row in spec.load("violations"):
                if row.id == kind:
                    return f"{kind}: {row.requirement} [{row.section}]"
    return ""


_CONCEPTS = (  # how each compiler says that a concept does not hold
    re.compile(r"(required for the satisfaction of '.*)$"),
    re.compile(r"(?:because|and) ('.*'\)? (?:does not satisfy '.*'|evaluated to false))"),
    re.compile(r"(concept .* not satisfied for .*)"),
)
_HAS_NO_POINTER = re.compile(r'^no operator ".*" matches these operands; operand types are: [^*]*$')
_OTHER_REASONS = (
    re.compile(r"candidate template ignored: substitution failure .*: (constraints not satisfied for .*)"),
    re.compile(r"(the required .* is invalid.*)"),
    re.compile(r"(?:candidate .* not viable: )?(no known conversion .*)"),
    re.compile(r"('.*' is defined in header .*)"),
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
    """The note that best says what is required.

    If several overloads were tried, the one whose concepts were followed deepest is probably the intended
    one; its innermost concept with a public name says what is wrong.
    """
    deepest: list[str] = []
    for pattern in _CONCEPTS:
        chain: list[str] = []
        for note in [*record.notes, ""]:
            found = pattern.match(note)
            if found and "pointer_tile" in note and _HAS_NO_POINTER.search(record.message):
                continue  # of an overload for pointers, and there are none
            if found:
                chain.append(found[1])
            else:
                deepest = max(deepest, chain, key=len)
                chain = []
    if deepest:
        best = _best_of_chain(deepest)
        return (best, *_meaning(best))
    for pattern in _OTHER_REASONS:
        for note in record.notes:
            if found := pattern.match(note):
                return (found[1],)
    return ()


_NAMES_CONCEPT = (
    re.compile(r"required: (?:cuda::tiles::)?(?:__1::)?(\w+)"),
    re.compile(r".*does not satisfy '(\w+)"),
    re.compile(r'concept "(?:\w+::)*(\w+)'),
)


def _meaning(note: str) -> tuple[str, ...]:
    """The meaning of a note's concept, in the words of the reference."""
    names = [found[1] for pattern in _NAMES_CONCEPT if (found := pattern.match(note))]
    rows = (row for row in spec.load("api") if row.kind == "concept" and row.name in names)
    return tuple(f"{row.name}: {spec.summaries()[row.id]} [{row.section}]" for row in rows)


def _best_of_chain(chain: list[str]) -> str:
    """The innermost concept of a chain with a public name; chains run inwards, except g++'s."""
    public = [note for note in chain if "detail::" not in note.partition("<")[0]] or chain
    if public[0].startswith("required for"):
        return re.sub(
            r"^required for the satisfaction of '(.*?)'?( \[with .*)?$", r"required: \1\2", public[0]
        )
    named = [note for note in public if "does not satisfy" in note]
    return (named or public)[-1]
