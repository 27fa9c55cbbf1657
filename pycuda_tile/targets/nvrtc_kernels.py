"""Compiles kernels with NVRTC for both GPU targets, and finds their names and parameter types.

NVRTC reports the types of a kernel's parameters through a second name expression for each kernel: the mangled
name of `signature_tag<...>` spells out the parameter codes (core/signature.h).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..compilers import nvrtc, units
from ..frontend.host_code import HOST_HEADERS, OTHER_LIBRARIES, blanked, may_have_host_half
from ..frontend.kernel_info import KernelInfo
from ..frontend.kernel_names import cxx_expression
from ..frontend.refused import marked, tile_words
from ..launching.parameters import Parameter, decode
from ..system import cache, resources
from .kernels import entry_names, find_kernels, find_keywords, front_end, known_macros, param_names
from .target import Request

if TYPE_CHECKING:
    from ..frontend.hints import Hint

SIGNATURE_HEADER = "cuda_tile/core/signature.h"
LAUNCH_HEADER = "cuda_tile/core/launch_hints.h"
_FUNCTION = "cuda_tile::kernel_of({})"
_SIGNATURE = "&cuda_tile::signature_tag<cuda_tile::signature_of<decltype({})>::type>"


@dataclass
class Settings:
    """How a target calls NVRTC: `folders` are searched for headers, `install` is a line for error messages,
    `macros` are those that NVRTC defines."""

    options: list[str]
    folders: list[str]
    library_dirs: list[str]
    install: str
    macros: Mapping[str, str]
    attributes: Callable[[list[Hint]], str] | None = None  # for kernels with hints, in CUDA's syntax

    @property
    def all_options(self) -> list[str]:
        return [
            "-std=c++20",
            "--fmad=false",
            f"--pre-include={SIGNATURE_HEADER}",
            *self.options,
            *(f"-I{folder}" for folder in self.folders),
        ]


def macros(arch: str) -> dict[str, str]:
    """The macros of NVRTC on which the contents of a source may depend."""
    return {"__CUDACC__": "1", "__CUDACC_RTC__": "1", "__CUDA_ARCH__": f"{nvrtc.arch_number(arch)}0"}


def compile_kernels(
    request: Request, settings: Settings, names: Sequence[str], known: list[KernelInfo] | None
) -> tuple[nvrtc.Program, cache.Result]:
    """The program with the kernels instantiated, and what the cache stores besides its code."""
    kernels = find_kernels(request, settings.macros) if known is None else []
    expressions = list(dict.fromkeys([*entry_names(kernels), *names]))
    functions = {name: _FUNCTION.format(cxx_expression(name)) for name in expressions}
    signatures = {name: _SIGNATURE.format(function) for name, function in functions.items()}
    headers = [resources.include_dir() / header for header in (SIGNATURE_HEADER, LAUNCH_HEADER)]
    path = str(request.path or request.name)

    def compile_text(kernels_only: KernelsOnly) -> nvrtc.Program:
        text, hint_options = _apply_hints(request, kernels_only.text, settings)
        return nvrtc.compile_program(
            text,
            path,
            [*settings.all_options, *hint_options, *(f"-I{folder}" for folder in kernels_only.folders)],
            [*functions.values(), *signatures.values()],
            {
                SIGNATURE_HEADER: headers[0].read_text(),
                LAUNCH_HEADER: headers[1].read_text(),
                **kernels_only.headers,
            },
            settings.install,
        )

    try:
        program = _compile_kernels_only(request, settings, expressions, compile_text)
    except nvrtc.NvrtcError as error:
        from ..diagnostics.compiler_log import compile_error
        from ..diagnostics.places import Places

        places = Places(
            request.name,
            path,
            request.text,
            (*map(str, headers), *settings.library_dirs),
            names=tuple(names),
        )
        raise compile_error(str(error), places) from None
    meta = {
        "symbols": {name: program.names[function] for name, function in functions.items()},
        "codes": {name: _codes(program.names[signature]) for name, signature in signatures.items()},
        "kernels": kernels,
        "log": program.log.replace(path, request.name),
    }
    dependencies = nvrtc.dependencies(request.text, request.path, settings.folders, headers)
    absent = nvrtc.absent(request.text, request.path, [*request.user_dirs, *request.include_dirs])
    return program, cache.Result(meta, dependencies, absent)


def _compile_kernels_only(
    request: Request,
    settings: Settings,
    expressions: Sequence[str],
    compile_text: Callable[[KernelsOnly], nvrtc.Program],
) -> nvrtc.Program:
    """Compiles the source without its host half, or all of it if only that compiles."""
    kernels_only = leave_out_host(request, settings, expressions)
    try:
        return compile_text(kernels_only)
    except nvrtc.NvrtcError as error:
        if not kernels_only.left_out:
            raise
        try:
            return compile_text(kernels_only._replace(text=request.text, headers=_EMPTY, folders=()))
        except nvrtc.NvrtcError as of_all:
            about_host = kernels_only.left_out & set(_NOT_THERE.findall(str(error)))
            raise (of_all if about_host else error) from None


def _apply_hints(request: Request, text: str, settings: Settings) -> tuple[str, list[str]]:
    """The text of the source with the attributes that hints request, and the options that these need."""
    if settings.attributes is None or "hint" not in text:
        return text, []
    from ..frontend.launch_hints import mark

    found = find_keywords(request, settings.macros)
    text, macros = mark(text, found, settings.attributes)
    options = [f"-D{word}=__global__ {attributes}" for word, attributes in macros.items()]
    return text, [f"--pre-include={LAUNCH_HEADER}", *options] if options else []


class KernelsOnly(NamedTuple):
    """What NVRTC reads: the source and the user's headers, all without their host halves."""

    text: str
    headers: dict[str, str]  # keyed by the name in an #include
    folders: tuple[Path, ...] = ()  # where these headers lie, so that their own includes are found
    left_out: frozenset[str] = frozenset()  # names of the declarations left out


_NOT_THERE = re.compile(r'(?:identifier|has no member) "(\w+)"')
_WORD = re.compile(r"\w+")
_CUDA_STD = "namespace cuda { namespace std = ::std; }\n"
_LIBRARIES = ("thrust", "cub", "cooperative_groups", "cutlass", "cute", "std")
_NAMESPACES = "\n".join(["#pragma once", *(f"namespace {name} {{}}" for name in _LIBRARIES), _CUDA_STD])
_EMPTY = dict.fromkeys(HOST_HEADERS, "")


def _with_includers(
    headers: set[str], texts: Mapping[str, str], files: Mapping[str, str], folders: Sequence[str | Path]
) -> list[str]:
    """These headers and those that include them, directly or not: compilers look for a header beside the one
    that includes it."""
    included = {
        name: {file for _, file in nvrtc.included(text, Path(files[name]), folders, lambda _: False)}
        for name, text in texts.items()
    }
    found, before = headers, set[str]()
    while found != before:
        before, places = found, {files[name] for name in found}
        found = found | {name for name, names in included.items() if names & places}
    return [name for name in texts if name in found]


def leave_out_host(
    request: Request,
    settings: Settings,
    names: Sequence[str],
    tile_only: bool = False,
    is_marked: bool = False,
) -> KernelsOnly:
    """See frontend/host_code.py. Host-only headers become empty.

    tile_only:  leaves out kernels of threads, too
    is_marked:  marks what tile code must not have
    """
    folders = [*request.user_dirs, *request.include_dirs]
    roots = [f"{folder}/" for folder in folders if not nvrtc.is_nvidias(folder)]

    def is_users(file: str) -> bool:
        return any(file.startswith(root) for root in roots)

    files: dict[str, str] = {}  # the user's headers, keyed by name
    for name, file in nvrtc.included(request.text, request.path, folders, is_users):
        if file and is_users(file) and files.setdefault(name, file) != file:
            files[name] = ""  # two headers of the same name
    texts = {name: nvrtc.read_text(Path(file)) for name, file in files.items() if file}
    read = {name for name, text in texts.items() if may_have_host_half(text, tile_only)}
    left_out: set[str] = set()
    out = {**texts, "": request.text}
    if read or may_have_host_half(request.text, tile_only):
        macros = known_macros(request, settings.macros)
        while True:  # until no other header names what is left out
            others = {name: text for name, text in texts.items() if name not in read}
            files_read = {**{name: texts[name] for name in texts if name in read}, "": request.text}
            made, left_out = blanked(files_read, [*names, *others.values()], macros, tile_only)
            naming = {name for name, text in others.items() if not left_out.isdisjoint(_WORD.findall(text))}
            if not naming:
                break
            read |= naming
        out.update(made)
    if is_marked:
        words = tile_words(out.values())
        out = {name: marked(text, words) for name, text in out.items()}
    copied = _with_includers({name for name in texts if out[name] != texts[name]}, texts, files, folders)
    changed = {name: units.named(out[name], files[name]) for name in copied}
    places = tuple(dict.fromkeys(Path(files[name]).parent for name in changed))
    if tile_only:
        known = [*folders, *resources.header_dirs()]
        missing = (name for name, file in nvrtc.included(request.text, request.path, known) if not file)
        changed |= {name: _NAMESPACES for name in missing if OTHER_LIBRARIES.match(name)}
    return KernelsOnly(out[""], {**_EMPTY, **changed}, places, frozenset(left_out))


def get(key: Sequence[object], request: Request, build: cache.Builder) -> cache.Entry:
    """The cached result of `build`; `key` is what it depends on besides the request's source."""
    if not request.cache:
        return cache.make_uncached(build)
    parts = (*key, request.text, request.name, str(request.path), front_end(request))
    return cache.get(cache.make_key(*parts), build)


def read_kernels(
    meta: dict[str, Any], known: list[KernelInfo] | None
) -> tuple[list[KernelInfo], list[tuple[str, str, tuple[Parameter, ...]]]]:
    """The kernels of the source, and (name, symbol, parameters) of each instantiated one."""
    kernels = known if known is not None else [KernelInfo.from_json(kernel) for kernel in meta["kernels"]]
    instantiated = []
    for name, symbol in meta["symbols"].items():
        codes = meta["codes"][name]
        instantiated.append((name, symbol, decode(name, codes, param_names(kernels, name, len(codes)))))
    return kernels, instantiated


def _codes(lowered: str) -> list[int]:
    """The template arguments in the mangled name of signature_tag."""
    return [int(code) for code in re.findall(r"Lj(\d+)E", lowered)]
