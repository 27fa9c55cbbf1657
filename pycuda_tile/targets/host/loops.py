"""The loops of a kernels in C++, through the open front end, and which kernels have none, and why."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...compilers import toolchain
from ...errors import CompileError, Error, TargetUnavailable
from ...frontend.kernel_info import KernelInfo
from ...launching.parameters import encode
from ...system import resources
from .. import fusing
from ..kernels import entry_names, find_kernels
from ..target import Request
from . import agreement

if TYPE_CHECKING:
    from ...tileir.cxx.kernels import Kernels
    from ...tileir.ir import Entry

# What kernels see as on a GPU, unless the user defines it; and see include/cuda_tile/config.h.
_MACROS = {"__CUDA_ARCH__": "900", "CUDA_TILE_COMPOSED": "1"}


class NotFused(Exception):
    """Nothing of a source can be fused; the message says why.

    lasts:  whether that depends on nothing but the source and the compilers
    """

    def __init__(self, message: str, lasts: bool = True):
        super().__init__(message)
        self.lasts = lasts


class Loops(NamedTuple):
    """What became of a source's kernels, which are known by their name expressions.

    text:        C++ of the kernels that are fused
    names:       their names in it
    codes:       of their parameters, in the same order
    attributes:  of them
    reasons:     why others are not fused
    kernels:     of the source
    log:         the front end's output
    files:       that all this depends on
    confirm:     raises NotFused unless the host's compiler reads the source as the front end has, which takes
                 a while: to be called before the text is used, but late
    """

    text: str
    names: Mapping[str, str]
    codes: list[list[int]]
    attributes: dict[str, dict[str, int | str]]
    reasons: dict[str, str]
    kernels: list[KernelInfo]
    log: str
    files: list[str]
    confirm: Callable[[], None]


def key_parts(request: Request) -> list[Any]:
    """What the loops depend on besides the source, for the cache's key."""
    front = _for_front_end(request)
    folders = [str(folder) for folder in front.include_dirs]
    return [_MACROS, list(front.options), folders, dict(front.defines), _translation()]


def translate(
    request: Request,
    compiler: toolchain.Compiler,
    names: Sequence[str],
    known: list[KernelInfo] | None,
    find: Callable[[str], str] | None = None,
) -> Loops:
    """compiler:  the host's
    find:      the path of a file by its name in messages, if the text is to have the lines of the source

    Raises NotFused if the front end does not take the source, for whatever reason.
    """
    with _as_reasons("a fault in the translation to loops"):
        return _translate(request, compiler, names, known, find)


@contextlib.contextmanager
def _as_reasons(what: str) -> Iterator[None]:
    """Makes every error a NotFused."""
    try:
        yield
    except NotFused:
        raise
    except Exception as error:
        raise NotFused(f"{what} ({brief(error)})", _lasts(error)) from error


def _lasts(error: Exception) -> bool:
    return not isinstance(error, (TargetUnavailable, ImportError, OSError, MemoryError, RecursionError))


def _translate(
    request: Request,
    compiler: toolchain.Compiler,
    names: Sequence[str],
    known: list[KernelInfo] | None,
    find: Callable[[str], str] | None,
) -> Loops:
    from ...tileir.cxx.kernels import translate_kernels
    from ...tileir.loops import fuse

    if known is None and not names and not entry_names(find_kernels(request, _MACROS)):
        raise NotFused("no kernel is asked for")
    reasons: dict[str, str] = {}
    front = _for_front_end(request)
    try:
        found = translate_kernels(front, names, _MACROS, plain=known is None, known=known, failures=reasons)
    except Exception as error:  # the host's compiler decides what is an error
        said = f"the open front end does not take the source: {brief(error)}"
        raise NotFused(said, _lasts(error)) from error
    disagreement = agreement.start(request, front, _MACROS, found, compiler)
    made = {entry.expression: entry for entry in found.module.entries}
    to_text = functools.partial(fuse, insists=request.optimize is True, find=find, from_cxx=True)
    text, cxx_names, attributes = _loops(found, made, to_text, reasons)
    for name, first in _other_names(found, made).items():
        if first in cxx_names:
            cxx_names[name], attributes[name] = cxx_names[first], attributes[first]
        else:
            reasons[name] = reasons[first]
    reasons = {name: _in_users_words(reason, request) for name, reason in reasons.items()}
    for known_of in attributes.values():
        if reason := known_of.get("reason"):
            known_of["reason"] = _in_users_words(str(reason), request)
    codes = [[encode(parameter) for parameter in found.parameters[name]] for name in cxx_names]

    def confirm() -> None:
        with _as_reasons("a fault in comparing it with the host's compiler"):
            if reason := disagreement():
                raise NotFused(reason)

    return Loops(text, cxx_names, codes, attributes, reasons, found.kernels, found.log, found.files, confirm)


def _loops(
    found: Kernels, made: Mapping[str, Entry], to_text: Callable[..., Any], reasons: dict[str, str]
) -> tuple[str, dict[str, str], dict[str, dict[str, int | str]]]:
    """The C++ text of the kernels that can be fused, their names in it, and their attributes."""
    from ...tileir.module import Module

    def fused(names: Sequence[str]) -> tuple[str, dict[str, str], dict[str, dict[str, int | str]]]:
        module = Module([made[name] for name in names], found.module.globals)
        text, _, attributes = to_text(module)
        return (
            text,
            dict(zip(names, attributes, strict=True)),
            dict(zip(names, attributes.values(), strict=True)),
        )

    results = {}
    for name, entry in made.items():
        if reason := _against(entry, found):
            reasons[name] = reason
            continue
        try:
            result = fused([name])
        except Exception as error:
            reasons[name] = brief(error)
            continue
        (attributes,) = result[2].values()
        if attributes["path"] == "fused":
            results[name] = result
        else:
            reasons[name] = str(attributes["reason"])
    if len(results) == 1:
        return next(iter(results.values()))
    return fused(list(results)) if results else ("", {}, {})


def _other_names(found: Kernels, made: Mapping[str, Entry]) -> dict[str, str]:
    """Name expressions of kernels that have been made under another one."""
    by_symbol = {entry.name: name for name, entry in made.items()}
    symbols = {name: symbol for name, symbol in found.symbols.items() if symbol in by_symbol}
    return {name: by_symbol[symbol] for name, symbol in symbols.items() if name not in made}


def _in_users_words(reason: str, request: Request) -> str:
    """The reason with the source's name as the user gave it."""
    return reason.replace(f"{request.path}:", f"{request.name}:") if request.path else reason


def _against(entry: Entry, found: Kernels) -> str:
    """Why a kernel runs operation by operation whatever the rules; "" if it need not."""
    from ...tileir.ir import walk
    from ...tileir.loops.fallback import place_of

    variables = {each.name for each in found.module.globals if not each.constant}
    for op in walk(entry.body):
        if op.name == "get_global" and op.attributes["name"] in variables:
            return f"{place_of(op)}it uses a variable that kernels may change"
    return ""


def _for_front_end(request: Request) -> Request:
    options = fusing.options_of_compiler() + fusing.options_of_source(request.options)
    if platform.machine() not in ("x86_64", "AMD64"):
        options += ("-funsigned-char",)  # as the host's compiler has it there
    return request._replace(options=options)


def brief(error: Exception) -> str:
    """The line of an error that says most; for one that nobody expected, what it is."""
    if isinstance(error, CompileError) and error.diagnostics:
        first = next((each for each in error.diagnostics if each.severity == "error"), error.diagnostics[0])
        return " ".join(str(first._replace(notes=())).split())
    lines = str(error).splitlines() or [""]
    most = next((line for line in lines if "error: " in line), lines[0])
    if most.endswith(":") and len(lines) > 1:  # what the compiler printed follows
        most = f"{most} {lines[1]}"
    return most if isinstance(error, (Error, NotFused)) else f"{type(error).__name__}: {most}"


@functools.cache
def _translation() -> list[Any]:
    """Identifies the translation itself, for those who work on it: its files, with size and time. The headers
    are among them, because a reason against fused code may be a fault of theirs."""
    own = Path(__file__).parents[2] / "tileir"
    folders = [own, own / "cxx", own / "loops", own / "lower"]
    files = [file for folder in folders for file in os.scandir(folder) if file.is_file()]
    files += _files_within(str(resources.include_dir()))
    return sorted([file.path, file.stat().st_size, file.stat().st_mtime_ns] for file in files)


def _files_within(folder: str) -> Iterator[os.DirEntry[str]]:
    for found in os.scandir(folder):
        if found.is_dir():
            yield from _files_within(found.path)
        else:
            yield found
