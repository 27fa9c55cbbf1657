"""Rewrites definitions of kernels: to stubs in the host half; in the device half they enter themselves into
the file's table."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import CompileError
from ...frontend import shared_variables
from ...frontend.declarators import TYPE_WORDS, closing, length_without_default, param_name, split
from ...frontend.tokens import Token
from .names import WITH_ARGUMENTS
from .source import LAUNCH_BOUNDS, MARKS, Source

_GLOBAL = {mark for mark, word in MARKS.items() if word in ("global", "tile_global")}
_SHARED = {mark for mark, word in MARKS.items() if word == "shared"}
_TILE = {mark for mark, word in MARKS.items() if word == "tile_global"}


class Kernel(NamedTuple):
    """A definition: `instance` are template arguments that name the kernel inside, `values` its arguments,
    `most_threads` what __launch_bounds__ says of a block."""

    instance: str
    values: str
    is_tile: bool
    most_threads: str


def is_kernel(words: list[str]) -> bool:
    return not _GLOBAL.isdisjoint(words)


def bounds(source: Source, start: int, end: int) -> dict[str, str]:
    """What __launch_bounds__ says in the declaration of a kernel that is not a template, by its signature."""
    found = _most_threads(source, start, end)
    return (
        {}
        if found == "0" or "template" in source.words[start:end]
        else {_signature(source, start, end): found}
    )


def _signature(source: Source, start: int, end: int) -> str:
    words = source.words[start:end]
    name, opening = _name(source, start, words, 0)
    params = split(source.tokens[start + opening + 1 : start + closing(words, opening) - 1])
    types = []
    for part in params:
        part = part[: length_without_default(part)]
        at = param_name(part)
        types.append(" ".join(token.text for place, token in enumerate(part) if place != at))
    return f"{' '.join(words[name:opening])}({', '.join(types)})"


def rewrite(source: Source, start: int, brace: int, host: bool, declared: dict[str, str]) -> None:
    """Rewrites the definition whose head begins at a token, with its body in braces; `declared` are the
    bounds() of the declarations before it."""
    kernel = _read(source, start, brace)
    if kernel.most_threads == "0" and declared:
        kernel = kernel._replace(most_threads=declared.get(_signature(source, start, brace), "0"))
    if host:
        call = f"::cuda_tile::program::stub<{kernel.instance}>::launch({kernel.values});"
        source.replace_body(brace, f" {call} ")
    else:
        if kernel.is_tile:
            _refuse_shared(source, brace)
        kind = "tile_kernel<" if kernel.is_tile else f"simt_kernel<{kernel.most_threads}, "
        entry = f"::cuda_tile::program::{kind}{kernel.instance}>"
        source.insert_after(brace, f" static_assert({entry}::is_registered());")


def refuse_cluster(source: Source, at: int) -> None:
    """Refuses __cluster_dims__ at a token, unless its clusters have one block."""
    if set(source.words[at + 2 : source.partner(at + 1)]) <= {"1", ","}:
        return
    file, line = source.place(at)
    raise CompileError(
        f"{file}:{line}: error: clusters of blocks do not exist on the CPU: launch the kernel without them, "
        "or keep __cluster_dims__ out of builds for the CPU with #if !defined(CUDA_TILE_PROGRAM)"
    )


def _refuse_shared(source: Source, brace: int) -> None:
    for at in range(brace, source.partner(brace)):
        if source.words[at] in _SHARED:
            file, line = source.place(at)
            raise CompileError(f"{file}:{line}: error: {shared_variables.MESSAGE}\n  {shared_variables.HINT}")


def _read(source: Source, start: int, brace: int) -> Kernel:
    head = source.tokens[start:brace]
    words = source.words[start:brace]
    at = 0
    arguments: list[str] = []
    kinds: list[str] = []
    is_template = False
    while words[at : at + 1] == ["template"]:
        end = closing(words, at + 1)
        is_template = end > at + 3
        arguments, kinds = _template_arguments(source, start + at + 2, start + end - 1)
        at = end
    name, opening = _name(source, start, words, at)
    close = closing(words, opening)
    params = [part for part in split(head[opening + 1 : close - 1]) if [t.text for t in part] != ["void"]]
    names = [_param(source, part, start + opening + 1, place) for place, part in enumerate(params) if part]
    spelled = source.text_of(start + name, start + opening)
    if spelled in (one for one, _ in names):  # inside, the name means the parameter
        spelled = source.namespace(start) + spelled
    if is_template and words[opening - 1] != ">":
        spelled += f"<{', '.join(arguments)}>"
    types = ", ".join(f"::cuda_tile::program::plain<decltype({one})>{dots}" for one, dots in names)
    values = ", ".join(one + dots for one, dots in names)
    instance = ", ".join([f"void({types})", f"&{spelled}", *kinds])
    return Kernel(instance, values, not _TILE.isdisjoint(words), _most_threads(source, start, brace))


def _most_threads(source: Source, start: int, brace: int) -> str:
    """The first argument of __launch_bounds__, an expression that template parameters may be part of; "0"
    without any."""
    for at in range(start, brace):
        if source.words[at] == LAUNCH_BOUNDS:
            first, end = at + 2, source.partner(at + 1)
            (argument, *_) = split(source.tokens[first:end])
            if argument:
                return f"(unsigned)({source.text_of(first, first + len(argument))})"
    return "0"


def _name(source: Source, start: int, words: list[str], at: int) -> tuple[int, int]:
    """Where the kernel's name begins and where its parameters do."""
    while at < len(words):
        word = words[at]
        if word == "[":
            at = closing(words, at)
        elif word in WITH_ARGUMENTS and words[at + 1 : at + 2] == ["("]:
            at = closing(words, at + 1)
        elif source.tokens[start + at].kind == "name" and word not in MARKS:
            end = at + 1
            while words[end : end + 1] == ["::"]:
                end += 2
            opening = closing(words, end) if words[end : end + 1] == ["<"] else end
            if words[opening : opening + 1] == ["("]:
                return at, opening
            at = end
        else:
            at += 1
    raise unreadable(source, start)


def unreadable(source: Source, start: int) -> CompileError:
    file, line = source.place(start)
    return CompileError(
        f"{file}:{line}: error: the name and the parameters of this kernel cannot be made out: write "
        "`__global__ void name(parameters)`"
    )


def _param(source: Source, part: list[Token], first: int, place: int) -> tuple[str, str]:
    """A parameter's name, which it gets if it has none, and "..." if it is a pack."""
    part = part[: length_without_default(part)]
    words = [token.text for token in part]
    dots = "..." if "." in words else ""
    at = param_name(part)
    if at is not None:
        return words[at], dots
    name = f"cuda_tile_parameter_{place}"
    _insert_name(source, part, name)
    return name, dots


def _template_arguments(source: Source, start: int, end: int) -> tuple[list[str], list[str]]:
    """The names of the template parameters in tokens, which they get if they have none, as arguments; and
    those of them that are types."""
    found: list[str] = []
    types: list[str] = []
    for place, part in enumerate(split(source.tokens[start:end])):
        part = part[: length_without_default(part)]
        if not part:
            continue
        words = [token.text for token in part]
        dots = "..." if "." in words else ""
        at = _template_name(part)
        if at is None:
            name = f"cuda_tile_template_parameter_{place}"
            _insert_name(source, part, name)
        else:
            name = words[at]
        found.append(name + dots)
        if words[0] in ("typename", "class"):
            types.append(name + dots)
    return found, types


def _template_name(part: list[Token]) -> int | None:
    """The index of a template parameter's name, None if it has none."""
    last = part[-1]
    is_word = last.kind == "name" and last.text not in TYPE_WORDS
    if is_word and len(part) > 1 and part[-2].text != "::":
        return len(part) - 1
    return param_name(part) if last.text in (")", "]") else None


def _insert_name(source: Source, part: list[Token], name: str) -> None:
    """Names a parameter that has no name."""
    words = [token.text for token in part]
    behind = len(part) - 1
    while words[behind] == "]":
        behind = len(words) - 1 - words[::-1].index("[", len(words) - 1 - behind) - 1
    for at, word in enumerate(words[:-1]):
        if word == "(" and words[at + 1] in ("*", "&"):  # void (*)(int)
            behind = at + 1
            break
    source.insert_behind(part[behind], f" {name}")
