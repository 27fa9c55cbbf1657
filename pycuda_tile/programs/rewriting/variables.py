"""Rewrites the device's variables: those of namespaces are registered, shared ones belong to a block."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import CompileError
from .source import MARKS, Source

_KINDS = {"managed": "cuda_tile_managed", "constant": "cuda_tile_constant", "device": "cuda_tile_device"}
_ALIGNMENTS = ("alignas", "__attribute__")
_CLASS_KEYS = ("struct", "class", "union", "enum")
_NOT_THE_TYPE = ("extern", "static", *MARKS)


class DynamicArray(NamedTuple):
    """`extern __shared__ T name[];` outside functions, and the declaration that stands for it inside."""

    name: str
    text: str


def register(source: Source, start: int, end: int, host: bool) -> None:
    """Registers the variables that a declaration from `start` to the semicolon at `end` defines."""
    words = source.words[start:end]
    marks = {MARKS[word] for word in words if word in MARKS}
    if "extern" in words or "template" in words or source.scope(start) != "namespace":
        return
    kind = next(value for mark, value in _KINDS.items() if mark in marks)
    if "managed" in marks:
        _manage(source, start, end, host)
    for name in declared_names(source, start, end):
        file, line = source.place(start)
        key = f"{name} {file}:{line}".replace("\\", "\\\\").replace('"', '\\"')
        number = source.next_number()
        if host:
            text = (
                f" static const ::cuda_tile::program::variable_handle cuda_tile_variable_{number}"
                f'{{(const void*)&{name}, "{key}"}};'
            )
        else:
            text = (
                f" [[gnu::used]] static constexpr ::cuda_tile::program::image_variable"
                f" cuda_tile_variable_{number} ="
                f' {{{{"{name}", (void*)&{name}, sizeof({name}), {kind}}}, "{key}"}};'
            )
        source.insert_after(end, text)


def _manage(source: Source, start: int, end: int, host: bool) -> None:
    """Leaves the definition of managed variables to the host half, which shares them with the device half."""
    for at in range(start, end):
        if source.words[at] == "static":
            source.remove(at)
    if host:
        return
    source.insert(start, "extern ")
    at = start
    while at < end:
        word = source.words[at]
        if word in ("=", "{"):
            first = at
            while at < end and source.words[at] not in (",", ";"):
                at = source.partner(at) + 1 if source.words[at] in ("(", "[", "{") else at + 1
            source.replace(first, at, "")
        else:
            at = source.partner(at) + 1 if word in ("(", "[") else at + 1


def declared_names(source: Source, start: int, end: int) -> list[str]:
    """The names that the declarators before a semicolon declare."""
    names, at = [], start
    last = ""
    is_value = False
    while at <= end:
        word = source.words[at]
        if word in (",", ";", "=") or (word == "{" and last):
            if last and not is_value:
                names.append(last)
            is_value = word in ("=", "{")
            last = ""
        if word in ("alignas", "__attribute__", "decltype") and source.words[at + 1] == "(":
            at = source.partner(at + 1)
        elif word in _CLASS_KEYS:
            at = _behind_class(source, at) - 1
        elif word == "<" and not is_value:
            at = _behind_angle(source, at, end) - 1
        elif word == "(" and not is_value and source.words[at + 1] in ("*", "&"):  # float (*f)(float)
            inside = [t.text for t in source.tokens[at + 1 : source.partner(at)] if t.kind == "name"]
            last = inside[0] if inside else ""
            at = source.partner(at)
            while source.words[at + 1] in ("(", "["):
                at = source.partner(at + 1)
        elif word in ("(", "[", "{"):
            at = source.partner(at)
        elif source.tokens[at].kind == "name" and not is_value:
            last = word
            while source.words[at + 1] == "::":
                last += "::" + source.words[at + 2]
                at += 2
        at += 1
    return names


def _behind_class(source: Source, at: int) -> int:
    """The token behind the body of the class or enumeration whose keyword is at a token, if it has one."""
    behind = at + 1
    while source.words[behind] not in ("{", ";", "=", ",", "(", "["):
        if source.words[behind] == ":":  # bases, or the type of an enumeration
            behind = source.words.index("{", behind)
        elif source.tokens[behind + 1].kind == "name" and source.words[behind + 1] != "final":
            return at + 1  # of a class that is defined elsewhere
        else:
            behind += 1
    return source.partner(behind) + 1 if source.words[behind] == "{" else at + 1


def _behind_angle(source: Source, at: int, end: int) -> int:
    from ...frontend.declarators import closing

    return at + closing(source.words[at:end], 0)


def share(source: Source, start: int, end: int) -> DynamicArray | None:
    """Rewrites a __shared__ declaration; one outside functions that has no size is returned and removed."""
    words = source.words[start:end]
    if "extern" in words:
        return _dynamic(source, start, end)
    _refuse_value(source, start, end)
    mark = next(at for at in range(start, end) if MARKS.get(source.words[at]) == "shared")
    behind = mark + 1
    while source.words[behind] in _ALIGNMENTS and source.words[behind + 1] == "(":
        behind = source.partner(behind + 1) + 1
    source.remove(mark)
    source.insert(behind, "thread_local " if "static" in words else "static thread_local ")
    return None


def _refuse_value(source: Source, start: int, end: int) -> None:
    """Refuses initialisers of __shared__ variables, which would set them once in each thread of the CPU."""
    at = start
    while at < end:
        word = source.words[at]
        if word in _CLASS_KEYS:
            at = _behind_class(source, at)
        elif word in ("=", "{"):
            file, line = source.place(at)
            raise CompileError(
                f"{file}:{line}: error: a __shared__ variable cannot have an initialiser: assign to it, in "
                "one thread of the block, before __syncthreads()"
            )
        elif word == "<":
            at = _behind_angle(source, at, end)
        else:
            at = source.partner(at) + 1 if word in ("(", "[") else at + 1


def _dynamic(source: Source, start: int, end: int) -> DynamicArray | None:
    """extern __shared__ float name[]: refers to the memory that the launch asked for."""
    at = start
    kept = []
    while at < end:
        word = source.words[at]
        if word in _ALIGNMENTS and source.words[at + 1] == "(":
            at = source.partner(at + 1) + 1
            continue
        if word not in _NOT_THE_TYPE:
            kept.append(at)
        at += 1
    name = max(at for at in kept if source.tokens[at].kind == "name" and source.words[at + 1] in ("[", ";"))
    kind = " ".join(source.words[at] for at in kept if at < name)
    sizes = " ".join(source.words[at] for at in kept if at > name)
    text = (
        f"{kind} (&{source.words[name]}){sizes} ="
        f" *reinterpret_cast<{kind} (*){sizes}>(::cuda_tile_dynamic_shared());"
    )
    if source.scope(start) == "function":
        source.replace(start, end + 1, f"[[maybe_unused]] {text}")
        return None
    source.replace(start, end + 1, "")
    return DynamicArray(source.words[name], text)
