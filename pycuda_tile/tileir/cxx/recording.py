"""The LLVM IR of a source's kernels: clang reads the source over the header in record mode. Kept in the
cache."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...building.expressions import expression_of, not_found, says_unknown
from ...compilers import nvrtc, toolchain, units
from ...compilers.depfile import read_depfile
from ...diagnostics.compiler_log import compile_error
from ...diagnostics.places import Places
from ...errors import CompileError
from ...frontend.kernel_info import KernelInfo
from ...frontend.kernel_names import cxx_expression, in_namespace_of
from ...system import cache, resources
from ...targets.kernels import check_found, entry_names, find_host_errors, find_kernels, overload_names
from ...targets.nvrtc_kernels import Settings, get, leave_out_host
from ...targets.target import Request
from . import compiler
from .hints import annotate
from .lenient import is_unused
from .messages import in_words_of_tile_code

UNIT = "unit.cpp"  # the generated file that includes the source
_SOURCE, _HEADERS = "kernels_only.cu", "headers"  # the user's files without their host halves
_OUTPUT, _LAYOUTS, _DEPENDENCIES = "kernels.ll", "layouts.txt", "kernels.d"
_ENVIRONMENT = ("CPATH", "CPLUS_INCLUDE_PATH")  # variables that clang reads
_INLINED = "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)"
# What clang adds to the error of a bracket that is never closed, and the two lines that it shows of it.
_NOT_POPPED = re.compile(r".*: error: unterminated '#pragma clang attribute push' at end of file\n.*\n.*\n")
# The host may change variables that no kernel changes: they keep their names, and are no constants.
_KEPT = '#pragma clang attribute push(__attribute__((annotate("kept"))), apply_to = variable(is_global))'
_BEFORE = ["#include <nv/target>", '#include "cuda_tile/predefined.h"', _INLINED]
_BEFORE += ['#include "cuda_tile/record/prelude.h"', _KEPT, f'#include "{_SOURCE}"']
_POP = "#pragma clang attribute pop"
# END comes first, so that an error at the end of the source is on its line.
_AFTER = [units.END, _POP, _POP, '#include "cuda_tile/record/entry.h"']


class Recorded(NamedTuple):
    """LLVM IR with a kernel for each name expression, the layouts of classes as clang prints them, and all
    kernels of the source."""

    llvm: str
    layouts: str
    expressions: list[str]
    kernels: list[KernelInfo]
    log: str
    files: list[str]  # that were read


def record(
    request: Request,
    names: Sequence[str],
    macros: Mapping[str, str],
    *,
    plain: bool,
    known: list[KernelInfo] | None = None,
) -> Recorded:
    """The LLVM IR of the kernels called `names`.

    macros:  those that kernels see unless the user defines them
    plain:   whether it also has all kernels that are not templates
    known:   the kernels of the source, if they have been found before

    Raises CompileError if the source does not compile, and KernelNotFound if it lacks one of the kernels.
    """
    clang = toolchain.find_clang()
    flags = compiler.flags(request, macros, _folders(request))

    def build(folder: Path) -> cache.Result:
        kernels = find_kernels(request, macros) if known is None else known
        asked = [expression_of(name, kernels, request) for name in names]
        overloads = overload_names(kernels)
        expressions = [*entry_names(kernels), *overloads] if plain else []
        expressions = list(dict.fromkeys([*expressions, *(expression for expression, _ in asked)]))
        folders, left_out = write_unit(folder, request, macros, expressions, overloads)
        words = compiler.flags(request, macros, folders)
        words += ["-MD", "-MF", str(folder / _DEPENDENCIES)]
        layouts = folder / _LAYOUTS
        right, log, again = compiler.to_llvm(clang, words, folder / UNIT, folder / _OUTPUT, layouts)
        log = _NOT_POPPED.sub("", log).replace(str(folder / _SOURCE), str(request.path or request.name))
        places = _places(request, names, macros, folder, kernels) if again else None
        if places and not (right and is_unused(folder / _OUTPUT, log, places)):
            error = compile_error(in_words_of_tile_code(log, left_out), places)
            if says_unknown(error):
                for expression in (expression for expression, is_known in asked if not is_known):
                    raise not_found(expression, kernels, request) from error
            raise error
        if not ((folder / _OUTPUT).exists() and (folder / _DEPENDENCIES).exists()):
            raise CompileError(f"{request.name}: clang wrote no LLVM IR{options_of(request)}", log=log)
        check_found(request, find_host_errors(request, macros))
        read = [*read_depfile(folder / _DEPENDENCIES), *(file for _, file in _included(request) if file)]
        read = [file for file in map(os.path.abspath, read) if not file.startswith(f"{folder}/")]
        _remove_all_but(folder / _OUTPUT, layouts)
        meta = {"expressions": expressions, "kernels": kernels, "log": log, "files": read}
        return cache.Result(meta, read, nvrtc.absent(request.text, request.path, _folders(request)))

    environment = [os.environ.get(name) for name in _ENVIRONMENT]
    key = ("record", flags, [clang.identity, clang.version, *clang.command], list(names), plain, environment)
    try:
        return _read(get(key, request, build), known)
    except FileNotFoundError:  # another process has just removed the entry: cache clear, or eviction
        return _read(get(key, request, build), known)


def _read(entry: cache.Entry, known: list[KernelInfo] | None) -> Recorded:
    files = [entry.folder / name for name in (_OUTPUT, _LAYOUTS)]
    llvm, layouts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
    kernels = [KernelInfo.from_json(kernel) for kernel in entry.meta["kernels"]] if known is None else known
    meta = entry.meta
    return Recorded(llvm, layouts, meta["expressions"], kernels, meta["log"], meta["files"])


def write_unit(
    folder: Path,
    request: Request,
    macros: Mapping[str, str],
    expressions: Sequence[str],
    overloads: Sequence[str],
) -> tuple[list[Path], frozenset[str]]:
    """Writes what clang reads besides headers, UNIT first of all; returns the folders of the user's headers,
    and the names of declarations that are left out."""
    settings = Settings([], [], [], "", macros)
    kernels_only = leave_out_host(request, settings, expressions, tile_only=True, is_marked=True)
    text, hints = annotate(request, kernels_only.text, macros)
    units.write(folder / _SOURCE, units.named(f"{text}\n", request.path or request.name))
    for header in {name for name, _ in _included(request)} & kernels_only.headers.keys():
        units.write(folder / _HEADERS / header, kernels_only.headers[header])
    entries = [_entry(i, name, name in overloads) for i, name in enumerate(expressions)]
    units.write(folder / UNIT, "\n".join([*hints, *_BEFORE, *_AFTER, *entries, ""]))
    folders = [folder / _HEADERS, *request.user_dirs, *request.include_dirs, *kernels_only.folders]
    return folders, kernels_only.left_out


def _entry(number: int, name: str, is_overload: bool) -> str:
    """What describes a kernel; one that the source gave as an overload in its namespace, where the types of
    its parameters are known."""
    described = f"CUDA_TILE_ENTRY({number}, {cxx_expression(name)})"
    return in_namespace_of(name, described) if is_overload else described


def _places(
    request: Request,
    names: Sequence[str],
    macros: Mapping[str, str],
    folder: Path,
    kernels: Sequence[KernelInfo],
) -> Places:
    unit, path = folder / UNIT, str(request.path or request.name)
    generated = {str(unit): units.read(unit)}
    libraries = (str(resources.include_dir()), str(folder / _HEADERS))
    found = find_host_errors(request, macros)
    return Places(
        request.name,
        path,
        request.text,
        libraries,
        generated,
        tuple(names),
        found,
        tuple(kernels),
        units.END,
    )


def _included(request: Request) -> list[tuple[str, str]]:
    """The names in the #includes of the user's files, and the file that each means; "" if not found."""
    return list(nvrtc.included(request.text, request.path, _folders(request)))


def _folders(request: Request) -> list[Path]:
    """Where the user's headers are."""
    return [*request.user_dirs, *request.include_dirs]


def options_of(request: Request) -> str:
    """The user's options, for messages about what they may have caused."""
    return f" (options: {' '.join(request.options)})" if request.options else ""


def _remove_all_but(*outputs: Path) -> None:
    """Leaves only the outputs to be kept and checked."""
    import shutil

    for path in outputs[0].parent.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path not in outputs:
            path.unlink()
