"""What functions for the device may not do, and their bodies in the host half, which never runs them."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import CompileError
from ...frontend.declarators import closing
from . import launches, names
from .source import MARKS, Source
from .variables import DynamicArray

_ASSEMBLY = {"asm", "__asm__", "__asm"}
_STAYS = {"constexpr", "consteval", "auto", "decltype"}
_DEVICE_ONLY = {"device", "tile", "global", "tile_global"}


def is_lambda(source: Source, at: int) -> bool:
    """Whether the mark at a token belongs to a lambda: it stands behind its captures or parameters."""
    while at > 0 and source.words[at] in MARKS:
        at -= 1
    if source.words[at] == ")":
        at = source.partner(at) - 1
    if source.words[at] != "]" or source.words[at - 1] == "]":
        return False
    before = source.partner(at) - 1
    return before < 0 or not (
        source.tokens[before].kind == "name" and source.words[before] not in ("return", "co_return")
    )


def is_function(source: Source, start: int, end: int) -> bool:
    """Whether the declaration from `start`, whose body or semicolon is at `end`, is that of a function."""
    at = start
    while source.words[at : at + 1] == ["template"]:
        at += closing(source.words[at + 1 : end], 0) + 1
    while at < end:
        word = source.words[at]
        if word == "operator":
            return True
        if word == "=":
            return False
        if word == "(":
            if source.words[at - 1] in ("__attribute__", "alignas", "decltype", "noexcept", "requires"):
                at = source.partner(at) + 1
                continue
            return source.words[at + 1] not in ("*", "&")
        at = source.partner(at) + 1 if word in ("[", "{") else at + 1
    return False


def semicolon(source: Source, at: int) -> int:
    """The semicolon that ends the declaration which is not yet over at a token."""
    while at < len(source.words) - 1 and source.words[at] != ";":
        at = source.partner(at) + 1 if source.words[at] in ("(", "[", "{") else at + 1
    return at


def leave_out(source: Source, brace: int, words: Sequence[str]) -> None:
    """Empties the body of a function that only the device runs, unless its type depends on it."""
    marks = {MARKS[word] for word in words if word in MARKS}
    if "host" not in marks and marks & _DEVICE_ONLY and not _STAYS & set(words):
        source.replace_body(brace, " __builtin_trap(); ")


def refuse_launches(source: Source) -> None:
    """Raises CompileError for a launch in a function for the device."""
    for launch in launches.find(source):
        brace = source.around(launch.opening)
        while brace >= 0:
            if source.words[brace] == "{" and _is_for_device(source, brace):
                file, line = source.place(launch.opening)
                raise CompileError(
                    f"{file}:{line}: error: a kernel cannot be launched from a kernel here: dynamic "
                    "parallelism is not supported on the CPU; launch it from host code"
                )
            brace = source.around(brace)


def _is_for_device(source: Source, brace: int) -> bool:
    start = source.declaration_start(brace)
    marks = {MARKS.get(word) for word in source.words[start:brace]}
    return bool(marks & _DEVICE_ONLY) and "host" not in marks and is_function(source, start, brace)


def refuse_assembly(source: Source, brace: int, words: Sequence[str]) -> None:
    """Puts a call that does not compile in place of inline PTX in a function for the device."""
    at = brace
    while at < source.partner(brace):
        if source.words[at] in _ASSEMBLY:
            opening = next(i for i in range(at + 1, len(source.words)) if source.words[i] == "(")
            if source.words[source.partner(opening) + 1] == ";":
                source.replace(at, source.partner(opening) + 1, "::cuda_tile::program::inline_ptx()")
                at = source.partner(opening)
        at += 1


def take_turns(source: Source, start: int, brace: int) -> None:
    """Lets other threads of the block run in loops that may wait for what they write, which volatile loads
    tell: threads run one after the other, and a loop without a call would never end. A condition that
    declares a variable stays as it is."""
    end = source.partner(brace)
    if "volatile" not in source.words[start:end] or "constexpr" in source.words[start:brace]:
        return
    for at in range(brace, end):
        if source.words[at : at + 2] == ["while", "("] and not _has_variable(source, at + 1):
            source.insert_after(at + 1, "::cuda_tile::runtime::count_atomic(), ")


def _has_variable(source: Source, opening: int) -> bool:
    """Whether a condition declares a variable: its name follows that of a type."""
    words, tokens = source.words, source.tokens
    return any(
        (words[at] == "{" or (words[at] == "=" and words[at + 1] != "="))
        and source.around(at) == opening
        and tokens[at - 1].kind == "name"
        and (tokens[at - 2].kind == "name" or words[at - 2] in ("*", "&", ">"))
        for at in range(opening + 3, source.partner(opening))
    )


def declare(source: Source, bodies: Sequence[int], dynamic: Sequence[DynamicArray]) -> None:
    """Declares arrays of dynamic shared memory in functions that use them, unless these hide the names."""
    for array in dynamic:
        for brace in bodies:
            is_used = array.name in source.words[brace : source.partner(brace)]
            if is_used and not names.is_parameter_or_local(source, array.name, brace):
                source.insert_after(brace, f" [[maybe_unused]] {array.text}")
