"""build(): compiles a source to a Module. It checks its arguments; the targets do the work."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any

from .. import targets
from ..errors import BuildTypeError, BuildValueError, SourceNotFound, short_traceback
from ..spec import API_MACRO, API_VERSIONS, api_number
from ..targets.fusing import reason_against
from ..targets.target import Request, Target
from .module import Module


@short_traceback()
def build(
    source: str | os.PathLike[str],
    *,
    target: str = "auto",
    arch: str | None = None,
    kernels: Iterable[str] = (),
    include_dirs: Iterable[str | os.PathLike[str]] = (),
    defines: Mapping[str, object] | Iterable[str] | None = None,
    options: Iterable[str] = (),
    num_threads: int | None = None,
    checked: bool | str = False,
    ignore: Iterable[str] = (),
    cache: bool = True,
    front_end: str | None = None,
    api: str | None = None,
    optimize: bool | str = "auto",
) -> Module:
    """Compiles CUDA Tile C++ and returns a Module.

    source:        the text (str), or the path of a .cu or .cuh file (pathlib.Path)
    target:        "cpu", "simt", "tile", "emulated", or "auto": "simt" if a GPU can be used, else "cpu"
    arch:          GPU: "sm_90", ...; default this machine's, else "sm_80". CPU: as -march; default "native"
    kernels:       name expressions to instantiate now, such as "softmax<float, 1024>"
    include_dirs:  folders to search for headers
    defines:       macros: a dict from name to value, or strings such as "SIZE=4", but no single capital
    options:       additional compiler options, each a str
    num_threads:   simt, emulated: number of threads that share one tile block, a power of two
    checked:       find undefined behaviour (cpu finds the most): a launch raises UndefinedBehaviorError.
                   "strict": also report pointers that leave their array but are never accessed
    ignore:        kinds of undefined behaviour that a checked build does not report, such as "data-race"
    cache:         whether to store the result on disk and reuse it
    front_end:     tile: "nvidia", NVIDIA's (default), or "open", our own, which needs clang and no NVRTC
    api:           the version of CUDA Tile C++: "13.3", "13.4" or "13.5" (default); NVIDIA has its own
    optimize:      cpu: "auto" (default), fused into loops where a clang is installed and there are rules: a
                   kernel's attributes say which way it went, and why; False, operation by operation; or
                   True, an error unless every kernel is fused

    Raises CompileError if the source does not compile, KernelNotFound if it has no kernel with a name in
    `kernels`, TargetUnavailable if something that the target needs is not installed, and NotAvailableYet if
    optimize=True and there is no rule for a kernel.
    """
    chosen = targets.best() if target == "auto" else targets.find(target)
    text, name, path = read_source(source)
    request = Request(
        target=chosen,
        text=text,
        name=name,
        path=path,
        arch=_check_arch(arch, chosen),
        include_dirs=check_include_dirs(include_dirs),
        defines=check_api(api, _check_arch_macro(check_defines(defines), chosen)),
        options=check_options(options, chosen),
        num_threads=_check_num_threads(num_threads, chosen),
        cache=_check_bool(cache, "cache"),
        checked=_check_checked(checked),
        strict=isinstance(checked, str),
        ignored=_check_ignored(ignore, checked, chosen),
        front_end=_check_front_end(front_end, chosen),
        api=api or "",
        optimize=optimize,
    )
    return Module(check_optimize(request), check_kernels(kernels))


def _check_bool(value: object, name: str) -> bool:
    if not isinstance(value, (bool, NoneType)):
        raise BuildTypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def _check_checked(checked: bool | str) -> bool:
    if not isinstance(checked, (bool, NoneType)) and checked != "strict":
        raise BuildValueError(f'checked must be True, False or "strict", got {checked!r}')
    return bool(checked)


def _check_ignored(ignore: Iterable[str], checked: bool | str, target: Target) -> tuple[str, ...]:
    kinds = _strings(ignore, "ignore")
    if not checked:
        if kinds:
            raise BuildValueError("ignore applies only to checked builds: pass checked=True as well")
        return ()
    if not target.checked:
        others = _names(lambda other: other.checked)
        raise BuildValueError(f"the target {target.name} does not support checked builds: build for {others}")
    from ..checked import check_ignored

    return check_ignored(kinds)


def _check_front_end(front_end: str | None, target: Target) -> str:
    if front_end is None:
        return next(iter(target.front_ends), "")
    if not target.front_ends:
        others = " or ".join(other.name for other in targets.every() if other.front_ends)
        raise BuildValueError(f"front_end is for the target {others}, not for {target.name}")
    if front_end not in target.front_ends:
        listed = " or ".join(map(repr, target.front_ends))
        raise BuildValueError(f"front_end is {listed}, got {front_end!r}")
    return front_end


def check_optimize(request: Request) -> Request:
    """The request, if its `optimize` is one that it can have."""
    if not isinstance(request.optimize, bool) and request.optimize != "auto":
        raise BuildValueError(f'optimize must be True, False or "auto", got {request.optimize!r}')
    if request.optimize is True and (reason := reason_against(request)):
        raise BuildValueError(f"optimize=True is not for this build: {reason}")
    return request


def nvrtc_build(source: str | os.PathLike[str], **arguments: Any) -> Module:
    """build(source, target="simt", ...): compiles for CUDA GPUs; this machine need not have one.

    source:     as in build
    arguments:  the other arguments of build, except target
    """
    if "target" in arguments:
        raise BuildTypeError("nvrtc_build() takes no argument target: it always builds for simt")
    return build(source, target="simt", **arguments)


def _names(fits: Callable[[Target], bool]) -> str:
    """The names of the targets for which `fits` is true, as a list in words."""
    *first, last = (target.name for target in targets.every() if fits(target))
    return f"{', '.join(first)} or {last}"


def read_source(source: str | os.PathLike[str]) -> tuple[str, str, Path | None]:
    """A source's text, its name for messages, and its absolute path (None if it was given as text)."""
    if isinstance(source, str):
        if "\n" not in source and re.search(r"\.cuh?$", source):
            raise SourceNotFound(
                f"a source given as str is its text; to build a file, pass pathlib.Path({source!r})"
            )
        try:
            source.encode()
        except UnicodeEncodeError as error:
            raise BuildValueError(f"the source is not valid Unicode text: {error}") from None
        return _without_null(source.removeprefix("\ufeff"), "<source>"), "<source>", None
    if not isinstance(source, os.PathLike):
        raise BuildTypeError(
            f"the source must be a str (its text) or a pathlib.Path (a file), got {type(source).__name__}"
        )
    try:
        path = Path(source).absolute()
    except FileNotFoundError:
        raise SourceNotFound(
            f"the source {str(source)!r} does not exist, and neither does the working directory"
        ) from None
    if re.search(r'["\n\r]', str(path)):
        raise BuildValueError(
            f"the source's path {str(source)!r} contains a quote or a line break, which #include "
            "cannot handle"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SourceNotFound(f"the source {str(source)!r} does not exist") from None
    except UnicodeDecodeError as error:
        raise BuildValueError(f"the source {str(source)!r} is not UTF-8 text: {error}") from None
    except OSError as error:
        raise BuildValueError(f"the source {str(source)!r} cannot be read: {error.strerror}") from error
    except ValueError as error:  # a null character
        raise BuildValueError(f"the source {str(source)!r} cannot be read: {error}") from error
    return _without_null(text, str(source)), str(source), path


def _without_null(text: str, name: str) -> str:
    if "\0" in text:
        raise BuildValueError(f"the source {name!r} contains a null character")
    return text


def _elements(values: Iterable[Any], what: str, of: str, single: type | tuple[type, ...]) -> list[Any]:
    """The elements of an argument that takes several; a value of a type in `single` is one element."""
    if isinstance(values, single):
        return [values]
    try:
        return list(values)
    except TypeError:
        raise BuildTypeError(f"{what} must be a sequence of {of}, got {type(values).__name__}") from None


def _strings(values: Iterable[str], what: str) -> list[str]:
    values = _elements(values, what, "str", str)
    for value in values:
        if not isinstance(value, str):
            raise BuildTypeError(f"{what} must contain only str, got {type(value).__name__}")
        _check_characters(value, what)
    return values


def check_kernels(kernels: Iterable[str]) -> tuple[str, ...]:
    """The name expressions; whether a source has such kernels is seen later."""
    return tuple(_strings(kernels, "kernels"))


def _check_characters(text: str, what: str) -> None:
    """Checks text that goes on a compiler's command line."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise BuildValueError(f"{what}: {text!r} is not valid Unicode text") from None
    if "\0" in text:
        raise BuildValueError(f"{what}: {text!r} contains a null character")


def check_options_list(options: Iterable[str]) -> list[str]:
    if isinstance(options, str):  # would become one option, even with blanks in it
        raise BuildTypeError(f"options must be a sequence of str: pass options={options.split()}")
    return _strings(options, "options")


def check_options(options: Iterable[str], target: Target) -> tuple[str, ...]:
    words = check_options_list(options)
    if target.on_gpu:
        for option, following in zip(words, [*words[1:], "sm_80"], strict=False):
            name, _, value = option.partition("=")
            if name in ("-arch", "--gpu-architecture"):
                raise BuildValueError(
                    f"options: {option!r} is set by the argument arch: pass arch={value or following!r}"
                )
    return tuple(words)


def _check_arch(arch: str | None, target: Target) -> str | None:
    if arch is None:
        return None
    if not isinstance(arch, str) or not re.fullmatch(r"[\w.+=-]+", arch):
        raise BuildValueError(f"arch {arch!r} is not an architecture")
    if target.on_gpu and not re.fullmatch(r"sm_\d+[af]?", arch):
        raise BuildValueError(f"arch {arch!r} is not a GPU architecture: expected a name such as 'sm_90'")
    return arch


def check_include_dirs(include_dirs: Iterable[str | os.PathLike[str]]) -> tuple[Path, ...]:
    """Absolute paths of the folders, which must exist: compilers silently skip those that do not."""
    folders = _elements(include_dirs, "include_dirs", "paths", (str, os.PathLike))
    for folder in folders:
        if not isinstance(folder, (str, os.PathLike)):
            raise BuildTypeError(f"include_dirs must contain only paths, got {type(folder).__name__}")
        _check_characters(str(folder), "include_dirs")
        if not os.path.isdir(folder):
            wrong = "is not a folder" if os.path.exists(folder) else "does not exist"
            raise BuildValueError(f"include_dirs: {str(folder)!r} {wrong}")
    return tuple(Path(folder).absolute() for folder in folders)


def check_defines(defines: Mapping[str, object] | Iterable[str] | None) -> dict[str, str]:
    if defines is None:
        return {}
    if isinstance(defines, Mapping):
        pairs = [(name, _macro_value(value)) for name, value in defines.items()]
    else:
        pairs = [
            (name, value or ("" if given else "1"))
            for name, given, value in (define.partition("=") for define in _strings(defines, "defines"))
        ]
    for name, value in pairs:
        _check_characters(value, "defines")
        if not re.fullmatch(r"[A-Za-z_]\w*(\([\w, .]*\))?", str(name)):
            raise BuildValueError(f"defines: {name!r} is not a valid name for a macro")
    return dict(pairs)


def _check_arch_macro(defines: dict[str, str], target: Target) -> dict[str, str]:
    """Rejects definitions of __CUDA_ARCH__ that NVRTC would ignore, and those that are no architecture."""
    value = defines.get("__CUDA_ARCH__")
    if target.on_gpu and value is not None:
        arch = f"sm_{value[:-1]}" if re.fullmatch(r"\d{2,3}0", value) else "sm_80"
        raise BuildValueError(
            f"defines: __CUDA_ARCH__ is set by the argument arch on this target: pass arch={arch!r}"
        )
    if value is not None and not re.fullmatch(r"\d{2,3}0", value):
        raise BuildValueError(
            f"defines: __CUDA_ARCH__ is {value!r}: expected 10 times a compute capability, such as 900"
        )
    return defines


def check_api(api: str | None, defines: dict[str, str]) -> dict[str, str]:
    """The macros with the one that selects this version of the API in our header."""
    if api is None:
        return defines
    if api not in API_VERSIONS:
        raise BuildValueError(f"api must be one of {', '.join(API_VERSIONS)}, got {api!r}")
    if API_MACRO in defines:
        raise BuildValueError(f"defines: {API_MACRO} is set by the argument api: pass only one of them")
    return {**defines, API_MACRO: api_number(api)}


def _macro_value(value: object) -> str:
    if value is None or value is True:
        return "1"  # as -DNAME does
    return "0" if value is False else str(value)


def _check_num_threads(num_threads: int | None, target: Target) -> int | None:
    if num_threads is None:
        return None
    if not hasattr(num_threads, "__index__") or isinstance(num_threads, bool):
        raise BuildTypeError(f"num_threads must be an integer, got {type(num_threads).__name__}")
    num_threads = operator.index(num_threads)
    if target.threads is None:
        others = _names(lambda other: other.threads is not None)
        raise BuildValueError(f"the target {target.name} does not support num_threads: build for {others}")
    smallest = target.threads.fewest
    if num_threads & (num_threads - 1) or not smallest <= num_threads <= 1024:
        raise BuildValueError(
            f"num_threads must be a power of two from {smallest} to 1024 on {target.name}, got {num_threads}"
        )
    return num_threads
