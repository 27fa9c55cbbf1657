"""Rewrites the preprocessed text of a CUDA source into C++, once for each half.

    host_half(text, is_users), device_half(text, is_users, relocatable) -> text

`is_users(file)` says whether a file may hold CUDA's words; others are not read. Lines stay where they are.
Names that the device half may share with other files have hidden visibility, by which objects.py knows them;
`relocatable` says that it may define such names, too. Tile functions that are only declared are protected.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from . import functions, kernels, launches, spaces, variables
from .source import CLUSTER, LAUNCH_BOUNDS, MARKS, Source

_MARK = re.compile(rf"\b__cuda_tile_({'|'.join(MARKS.values())}|noinline)__(?!\w)")
_VARIABLES = {"device", "constant", "managed"}


def host_half(text: str, is_users: Callable[[str], bool]) -> str:
    return _rewritten(text, is_users, host=True)


def device_half(text: str, is_users: Callable[[str], bool], relocatable: bool = False) -> str:
    return _rewritten(text, is_users, host=False, relocatable=relocatable)


def _rewritten(text: str, is_users: Callable[[str], bool], host: bool, relocatable: bool = False) -> str:
    source = Source(text, is_users)
    if not host:
        functions.refuse_launches(source)
    spaces.check(source, host)
    _rewrite_declarations(source, host, relocatable)
    launches.rewrite(source)
    return _MARK.sub(lambda found: "static thread_local" if found[1] == "shared" else "", source.edited())


def _rewrite_declarations(source: Source, host: bool, relocatable: bool) -> None:
    """Rewrites each declaration that has one of CUDA's words, and removes these."""
    dynamic: list[variables.DynamicArray] = []
    bodies: list[int] = []
    bounds: dict[str, str] = {}
    seen: set[int] = set()
    for at, word in enumerate(source.words):
        if word == CLUSTER:
            kernels.refuse_cluster(source, at)
        if word in (CLUSTER, LAUNCH_BOUNDS):
            source.replace(at, source.partner(at + 1) + 1, "")
        if word not in MARKS:
            continue
        if functions.is_lambda(source, at):
            continue
        start = source.declaration_start(at)
        if start in seen:
            continue
        seen.add(start)
        end = source.declaration_end(start)
        words = source.words[start:end]
        if not host and (visibility := _visibility(source, start, end, words, relocatable)):
            source.replace(at, at + 1, f'__attribute__((visibility("{visibility}")))')
        if functions.is_function(source, start, end):
            if source.words[end] == "{":
                _rewrite_function(source, start, end, words, host, bounds)
                bodies.append(end)
            elif kernels.is_kernel(words):
                bounds |= kernels.bounds(source, start, end)
        elif kernels.is_kernel(words):
            raise kernels.unreadable(source, start)
        elif any(MARKS.get(word) == "shared" for word in words):
            found = variables.share(source, start, functions.semicolon(source, end))
            dynamic += [found] if found else []
        elif _VARIABLES & {MARKS.get(word) for word in words}:
            variables.register(source, start, functions.semicolon(source, end), host)
    if not host:
        functions.declare(source, bodies, dynamic)


def _visibility(source: Source, start: int, end: int, words: list[str], relocatable: bool) -> str:
    """The visibility of what a declaration is of, if the device half may have it from another file, or give
    it."""
    marks = {MARKS.get(word) for word in words}
    if not marks & {*_VARIABLES, "tile"} or "static" in words or source.scope(start) == "function":
        return ""
    is_function = functions.is_function(source, start, end)
    is_defined = source.words[end] == "{" if is_function else "extern" not in words
    is_missing = not is_defined and not marks & {"host", "managed"}
    if not marks & _VARIABLES:
        return "protected" if is_function and is_missing else ""
    return "hidden" if relocatable or is_missing else ""


def _rewrite_function(
    source: Source, start: int, brace: int, words: list[str], host: bool, bounds: dict[str, str]
) -> None:
    if kernels.is_kernel(words):
        kernels.rewrite(source, start, brace, host, bounds)
    elif host:
        functions.leave_out(source, brace, words)
    if not host:
        functions.refuse_assembly(source, brace, words)
        if {"device", "global"} & {MARKS.get(word) for word in words}:
            functions.take_turns(source, start, brace)
