"""What `pycuda-tile check` reports about a source in addition to its compiler: hints and lints.

Compilers other than NVIDIA's ignore hints, so nothing else reports which of them have an effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from ..errors import Diagnostic
from ..system.install import advice
from . import clang
from .hints import ACCESS_KINDS, KERNEL_KINDS, Hint, MalformedHint, attributes, overridden, parse, why_ignored
from .scan import function_name
from .tokens import Token, expand, tokenize

_EFFECTS = {
    "occupancy": "launch bounds on simt, a hint to the compiler on tile, nothing on cpu",
    "num_cta_in_cga": "size of clusters on simt from sm_90, a hint to the compiler on tile, nothing on cpu",
    "num_worker_warps_per_cta": "a hint to the compiler on tile, nothing elsewhere",
    "latency": "a hint to the compiler on tile, nothing elsewhere",
    "allow_tma": "a hint to the compiler on tile, nothing elsewhere",
}
_CONTROL = {"if", "for", "while", "do", "switch", "return", "goto", "break", "continue", "case", "{", "try"}
_BUILTIN = {
    *("auto", "const", "constexpr", "static", "volatile", "unsigned", "signed", "void", "bool", "char"),
    *(
        "short",
        "int",
        "long",
        "float",
        "double",
        "decltype",
        "typename",
        "using",
        "typedef",
        "struct",
        "enum",
    ),
}
_ACCESSES = {"load", "load_masked", "store", "store_masked"}


def check(
    text: str,
    file: str,
    *,
    path: Path | None = None,
    include_dirs: Iterable[Path] = (),
    macros: Mapping[str, str] | None = None,
) -> tuple[list[Diagnostic], str]:
    """(diagnostics of hints and lints, a note if libclang is missing). Severity is "error", "warning", or
    "note" for a hint that has an effect."""
    found = check_hints(text, file, macros)
    unit = clang.parse(text, file, path=path, include_dirs=include_dirs, macros=macros)
    if unit is None:
        return found, f"libclang is not installed, so the source is not linted: {advice(clang.EXTRA)}"
    from .lints import lint

    return found + lint(unit), ""


def check_hints(text: str, file: str, macros: Mapping[str, str] | None = None) -> list[Diagnostic]:
    """One diagnostic for each hint of the source, in source order."""
    macros = dict(macros or {})
    tokens = [token for token in tokenize(text, macros) if token.kind != "include"]
    found: list[Diagnostic] = []
    of_kernels: dict[str, list[Hint]] = {}
    for statement, start in _statements(tokens):
        hints: list[Hint] = []
        for written, line in attributes(text, statement):
            try:
                hints += parse(expand(written, macros), line)
            except MalformedHint as error:
                found.append(Diagnostic(file, line, 0, "error", str(error)))
        if not hints:
            continue
        what, misplaced = _construct(statement, start)
        same = hints
        if what.startswith("kernel"):
            same = of_kernels.setdefault(what, [])
            same += hints
        for hint in hints:
            reason = why_ignored(hint) or misplaced(hint)
            found.append(_diagnostic(file, hint, what, reason))
        for earlier, later in overridden(same):
            found = [
                _diagnostic(file, earlier, what, f"the later one, in line {later.line}, replaces it")
                if d.line == earlier.line and d.severity == "note" and d.message.startswith(f"{earlier} ")
                else d
                for d in found
            ]
    return sorted(found, key=lambda diagnostic: diagnostic.line)


def _diagnostic(file: str, hint: Hint, what: str, reason: str) -> Diagnostic:
    if reason:
        return Diagnostic(file, hint.line, 0, "warning", f"{hint} of {what} is ignored: {reason}")
    number = hint.arch_number
    where = {None: f"where {hint.arch} is the architecture", 0: "everywhere"}.get(
        number, f"on sm_{(number or 0) // 10}"
    )
    applies = "applies if its value is valid" if hint.number is None else "applies"
    message = f"{hint} of {what} {applies} {where}: {_EFFECTS[hint.kind]}"
    return Diagnostic(file, hint.line, 0, "note", message)


# --- what a hint stands before ------------------------------------------------------------------------------


def _statements(tokens: list[Token]) -> Iterator[tuple[list[Token], int]]:
    """(tokens, index after the leading attributes) of each statement or declaration that has an attribute.

    A statement ends before `;`, `{` and `}` outside of round and square brackets.
    """
    statement: list[Token] = []
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text in (";", "{", "}") and depth <= 0:
            depth = 0
            if token.text == "{":
                statement.append(token)
            if any(word.text == "hint" for word in statement):
                yield statement, _behind_attributes(statement)
            statement = []
        else:
            statement.append(token)


def _behind_attributes(statement: list[Token]) -> int:
    at = 0
    while [token.text for token in statement[at : at + 2]] == ["[", "["]:
        depth = 0
        while at < len(statement):
            depth += (statement[at].text == "[") - (statement[at].text == "]")
            at += 1
            if depth == 0:
                break
    return at


def _construct(statement: list[Token], start: int) -> tuple[str, Callable[[Hint], str]]:
    """A name for the kind of statement, and a function that says why a hint is misplaced ("" if not)."""
    words = [token.text for token in statement]
    if "__tile_global__" in words:
        place = function_name(statement)
        name = words[place] if place is not None else "?"
        return f"kernel '{name}'", lambda hint: _only(hint, KERNEL_KINDS, "calls of load and store")
    if "__tile__" in words:
        return "a __tile__ function", lambda hint: "hints belong on kernels and on statements"
    rest = words[start:]
    if rest[:1] and rest[0] in _CONTROL:
        return f"a statement '{rest[0]}'", lambda hint: "only expression statements can have hints"
    if _is_declaration(statement[start:]):
        return (
            "a declaration",
            lambda hint: (
                "only expression statements can have hints: declare the variable first, then assign to it"
            ),
        )
    return "a statement", lambda hint: _of_access(hint, rest)


def _only(hint: Hint, kinds: tuple[str, ...], where: str) -> str:
    return "" if hint.kind in kinds else f"{hint.kind} is for {where}"


def _of_access(hint: Hint, words: list[str]) -> str:
    if reason := _only(hint, ACCESS_KINDS, "kernels"):
        return reason
    calls = [
        at
        for at, word in enumerate(words)
        if word in _ACCESSES and words[at + 1 : at + 2] and words[at + 1] in ("(", "<")
    ]
    of_view = any(at and words[at - 1] in (".", "->", "template") for at in calls)
    if not calls:
        return "the statement itself calls no load or store"
    if hint.kind == "allow_tma" and not of_view:
        return "allow_tma applies only to loads and stores of a partition_view"
    return ""


def _is_declaration(tokens: list[Token]) -> bool:
    """Whether a statement declares something: a type's name, then another name."""
    if not tokens:
        return True
    if tokens[0].text in _BUILTIN:
        return True
    at, depth = 0, 0
    while at < len(tokens):
        token = tokens[at]
        depth += (token.text == "<") - (token.text == ">")
        if (
            depth == 0
            and token.kind == "name"
            and at
            and (tokens[at - 1].kind == "name" or tokens[at - 1].text == ">")
        ):
            return tokens[at - 1].text != "template"
        if depth == 0 and token.kind != "name" and token.text not in ("::", "<", ">"):
            return False
        at += 1
    return False
