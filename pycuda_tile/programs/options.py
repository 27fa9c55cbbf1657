"""nvcc's command line: what its options are called, which take a value, and what each means here.

An option is written as nvcc takes it: -name or --name, its value behind = or as the next word, behind single
letters also without a space. Options for GPUs are accepted and mean nothing here; unknown ones are errors.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..errors import BuildValueError


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ---- names -----------------------------------------------------------------------------------------------

_OF_LISTS = {  # may be repeated; values are lists separated by commas
    "I": "include_dirs",
    "include-path": "include_dirs",
    "isystem": "system_dirs",
    "system-include": "system_dirs",
    "include": "headers",
    "pre-include": "headers",
    "D": "defines",
    "define-macro": "defines",
    "U": "undefines",
    "undefine-macro": "undefines",
    "l": "libraries",
    "library": "libraries",
    "L": "library_dirs",
    "library-path": "library_dirs",
    "Xcompiler": "host_options",
    "compiler-options": "host_options",
    "Xlinker": "linker_options",
    "linker-options": "linker_options",
}
_OF_VALUES = {
    "o": "output",
    "output-file": "output",
    "odir": "output_dir",
    "output-directory": "output_dir",
    "std": "standard",
    "O": "optimize",
    "optimize": "optimize",
    "arch": "arch",
    "gpu-architecture": "arch",
    "x": "language",
    "MF": "dependency_file",
    "dependency-output": "dependency_file",
    "MT": "dependency_target",
    "MQ": "dependency_target",
    "dependency-target-name": "dependency_target",
    "ccbin": "host_compiler",
    "compiler-bindir": "host_compiler",
    "rdc": "relocatable",
    "relocatable-device-code": "relocatable",
    "default-stream": "default_stream",
    "run-args": "run_args",
}
_OF_FLAGS = {
    **dict.fromkeys(("c", "compile"), "-c"),
    **dict.fromkeys(("dc", "device-c"), "-dc"),
    **dict.fromkeys(("dw", "device-w"), "-c"),
    **dict.fromkeys(("dlink", "device-link"), "-dlink"),
    **dict.fromkeys(("lib",), "-lib"),
    **dict.fromkeys(("link",), ""),
    **dict.fromkeys(("E", "preprocess"), "-E"),
    **dict.fromkeys(("M", "generate-dependencies"), "-M"),
    **dict.fromkeys(("MM", "generate-nonsystem-dependencies"), "-MM"),
}
_MODULES = ("cubin", "fatbin", "tilecubin")  # here they are shared libraries that cuModuleLoad loads
_OF_FLAGS.update((name, f"-{name}") for name in _MODULES)
_OF_SWITCHES = {
    **dict.fromkeys(("MD", "generate-dependencies-with-compile"), "dependencies"),
    **dict.fromkeys(("MMD", "generate-nonsystem-dependencies-with-compile"), "nonsystem_dependencies"),
    **dict.fromkeys(("MP", "generate-dependency-targets"), "phony_targets"),
    **dict.fromkeys(("g", "debug"), "debug"),
    **dict.fromkeys(("G", "device-debug"), "device_debug"),
    **dict.fromkeys(("lineinfo", "generate-line-info"), "lines"),
    **dict.fromkeys(("pg", "profile"), "profile"),
    **dict.fromkeys(("shared",), "shared"),
    **dict.fromkeys(("w", "disable-warnings"), "no_warnings"),
    **dict.fromkeys(("v", "verbose"), "verbose"),
    **dict.fromkeys(("dryrun",), "dry_run"),
    **dict.fromkeys(("run",), "run"),
    **dict.fromkeys(("V", "version"), "version"),
    **dict.fromkeys(("h", "help"), "help"),
    **dict.fromkeys(("extended-lambda", "expt-extended-lambda"), "extended_lambda"),
    **dict.fromkeys(("expt-relaxed-constexpr",), "relaxed_constexpr"),
    **dict.fromkeys(("forward-unknown-to-host-compiler", "forward-unknown-opts"), "forward_to_compiler"),
    **dict.fromkeys(("forward-unknown-to-host-linker",), "forward_to_linker"),
    **dict.fromkeys(("list-gpu-arch",), "list_arch"),
    **dict.fromkeys(("list-gpu-code",), "list_code"),
    **dict.fromkeys(("toolchain-file",), "toolchain_file"),
    **dict.fromkeys(("print-library",), "print_library"),
    **dict.fromkeys(("print-include-dirs",), "print_include_dirs"),
    **dict.fromkeys(("checked",), "checked"),
    **dict.fromkeys(("no-fuse",), "no_fuse"),
}
_IGNORED_FLAGS = _names(
    """enable-tile tile-only use_fast_math use-fast-math keep save-temps restrict resource-usage res-usage
    m64 no-align-double noprof no-compress nocompress no-device-link nodlink nohdrinitlist
    no-host-device-initializer-list nohdmoveforward no-host-device-move-forward Wreorder
    Wno-deprecated-gpu-targets Wno-deprecated-declarations Wdefault-stream-launch Wmissing-launch-bounds
    Wext-lambda-captures-this source-in-ptx src-in-ptx extra-device-vectorization
    extensible-whole-program ewp dlink-time-opt dlto gen-opt-lto lto clean clean-targets
    objdir-as-tempdir use-local-env allow-unsupported-compiler device-debug-inline
    no-exceptions-in-device-code optix-ir disable-optimizer-constants no-cudart lineinfo-in-ptx
    expt-relaxed-host-device dopt"""
)
_IGNORED_VALUES = _names(
    """gencode generate-code code gpu-code Xptxas ptxas-options Xnvlink nvlink-options Xcudafe
    cudafe-options Xarchive archive-options Xtileiras tileiras-options maxrregcount cudart cudadevrt
    threads t diag-suppress diag-error diag-warn fmad ftz prec-div prec-sqrt keep-dir brief-diagnostics
    brief-diag split-compile split-compile-extended libdevice-directory ldir target-directory target-dir
    machine m compress-mode static-global-template-stub device-stack-protector frandom-seed
    fdevice-time-trace jump-table-density host-linker-script entries e archiver-binary arbin time Werror
    minimal arch-list display-error-number no-display-error-number device-syntax-only-option
    relocatable-ptx drive-prefix dp dependency-drive-prefix ddp input-drive-prefix idp qpp-config
    default-tile-block"""
)
_EQUALS_ONLY = {"fdevice-time-trace", "brief-diagnostics", "brief-diag", "m"}  # else they are flags
_GPU_ONLY = _names("ptx optix-ir ltoir tileir")
_IN_THE_RUN_TIME = _names("cuda cudart cudart_static cudadevrt")  # libraries that our own stands for
_LETTERS = "IDULlOxom"  # their values may follow without a space
_OBJECTS = (".o", ".obj", ".a", ".so")
_SOURCES = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".C", ".c++", ".c")
_MOST_FILES = 16  # of options in files that name each other


class Input(NamedTuple):
    """A file, and its language where -x says it."""

    path: str
    language: str = ""


def is_object(path: str) -> bool:
    """Whether a file goes to the linker as it is."""
    return path.endswith(_OBJECTS) or ".so." in os.path.basename(path)


@dataclass
class Options:
    """What a command line asks for; `action` is "" for a program, or one of -c, -dc, -E, -M, -MM, -dlink,
    -lib, -cubin, -fatbin, -tilecubin."""

    inputs: list[Input] = field(default_factory=list)
    action: str = ""
    include_dirs: list[str] = field(default_factory=list)
    system_dirs: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    defines: list[str] = field(default_factory=list)
    undefines: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    library_dirs: list[str] = field(default_factory=list)
    host_options: list[str] = field(default_factory=list)
    linker_options: list[str] = field(default_factory=list)
    linking: list[str] = field(default_factory=list)  # inputs and libraries in their order
    output: str = ""
    output_dir: str = ""
    standard: str = ""
    optimize: str = ""
    arch: str = ""
    language: str = ""
    dependency_file: str = ""
    dependency_target: str = ""
    host_compiler: str = ""
    relocatable: str = ""
    default_stream: str = ""
    run_args: str = ""
    dependencies: bool = False
    nonsystem_dependencies: bool = False
    phony_targets: bool = False
    debug: bool = False
    device_debug: bool = False
    lines: bool = False
    profile: bool = False
    shared: bool = False
    no_warnings: bool = False
    verbose: bool = False
    dry_run: bool = False
    run: bool = False
    version: bool = False
    help: bool = False
    extended_lambda: bool = False
    relaxed_constexpr: bool = False
    forward_to_compiler: bool = False
    forward_to_linker: bool = False
    list_arch: bool = False
    list_code: bool = False
    toolchain_file: bool = False
    print_library: bool = False
    print_include_dirs: bool = False
    checked: bool = False
    no_fuse: bool = False

    def is_relocatable(self) -> bool:
        """Whether device code of several files is linked."""
        return self.relocatable == "true" or self.action == "-dc"

    def is_module(self) -> bool:
        """Whether what is made is for cuModuleLoad."""
        return self.action.removeprefix("-") in _MODULES

    def compute_capability(self) -> int:
        """The value of __CUDA_ARCH__ in the device half."""
        found = re.search(r"(\d+)", self.arch)
        return 10 * int(found[1]) if found else 900


def read(words: Sequence[str]) -> Options:
    """The options in a command line; raises BuildValueError for what is not one of nvcc's."""
    options = Options()
    language = ""
    words = list(_expanded(words))
    is_linking = any(map(is_object, words)) and not any(word.endswith(_SOURCES) for word in words)
    queue = iter(words)
    for word in queue:
        if not word.startswith("-") or word == "-":
            options.inputs.append(Input(word, language))
            options.linking.append(word)
            continue
        name, value = _split(word)
        _read_one(options, word, name, value, queue, is_linking)
        language = options.language if options.language not in ("none", "") else ""
    return options


def _expanded(words: Sequence[str], depth: int = 0) -> Iterator[str]:
    """The words, with those of files named by @FILE or --options-file FILE."""
    queue = iter(words)
    for word in queue:
        name, value = _split(word)
        if name in ("optf", "options-file") and word.startswith("-"):
            files = (value if value is not None else next(queue, "")).split(",")
        elif word.startswith("@") and Path(word[1:]).is_file():
            files = [word[1:]]
        else:
            yield word
            continue
        for file in files:
            if depth == _MOST_FILES:
                raise BuildValueError(f"nvcc: the file of options {file!r} includes itself")
            try:
                text = Path(file).read_text()
            except OSError as error:
                raise BuildValueError(f"nvcc: the file of options {file!r} cannot be read: {error}") from None
            yield from _expanded(shlex.split(text), depth + 1)


def _split(word: str) -> tuple[str, str | None]:
    """The name of an option, without hyphens, and the value that is part of the word."""
    bare = word[2:] if word.startswith("--") else word[1:]
    name, equals, value = bare.partition("=")
    if name in _OF_LISTS or name in _OF_VALUES or name in _OF_FLAGS or name in _OF_SWITCHES:
        return name, value if equals else None
    if not word.startswith("--") and bare[:1] in _LETTERS and len(bare) > 1 and not _is_known(name):
        return bare[0], bare[1:].removeprefix("=")
    return name, value if equals else None


def _is_known(name: str) -> bool:
    return name in _IGNORED_FLAGS or name in _IGNORED_VALUES or name in _GPU_ONLY or name == "options-file"


def _read_one(
    options: Options, word: str, name: str, value: str | None, queue: Iterator[str], is_linking: bool
) -> None:
    def needed() -> str:
        found = value if value is not None else next(queue, None)
        if found is None:
            raise BuildValueError(f"nvcc: the option {word!r} needs a value")
        return found

    if name in _OF_LISTS:
        attribute = _OF_LISTS[name]
        values = _parts(needed()) if attribute not in ("defines",) else [needed()]
        getattr(options, attribute).extend(values)
        if attribute == "libraries":
            options.linking += [f"-l{one}" for one in values if one not in _IN_THE_RUN_TIME]
        elif attribute == "linker_options":
            options.linking += [f"-Wl,{one}" for one in values]
    elif name in _OF_VALUES:
        setattr(options, _OF_VALUES[name], needed())
    elif name in _OF_FLAGS and value is None:
        options.action = _OF_FLAGS[name]
    elif name in _OF_SWITCHES:
        setattr(options, _OF_SWITCHES[name], value not in ("false", "no", "0"))
    elif name in _GPU_ONLY and value is None:
        raise BuildValueError(
            f"nvcc: {word} writes code for a GPU, which this compiler for the CPU does not: use "
            "pycuda-tile compile FILE --emit tileir, ptx or cubin; -cubin writes a module for the CPU"
        )
    elif name in _IGNORED_FLAGS or name in _EQUALS_ONLY:
        pass
    elif name in _IGNORED_VALUES:
        needed()
    elif options.forward_to_compiler or options.forward_to_linker:
        options.host_options.append(word)
    elif is_linking:  # CMake calls what links as it calls the host's compiler
        options.linking.append(word)
    else:
        raise BuildValueError(
            f"nvcc: unknown option {word!r}: options of the host's compiler go behind -Xcompiler, those of "
            "the linker behind -Xlinker"
        )


def _parts(value: str) -> list[str]:
    r"""The parts of a list: separated by commas, except behind \ and in quotes."""
    found = re.findall(r'(?:\\.|"[^"]*"|[^,"\\])+', value)
    return [re.sub(r'\\(.)|"', lambda part: part[1] or "", one) for one in found]
