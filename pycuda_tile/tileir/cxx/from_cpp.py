"""from_cpp(): CUDA Tile C++ to a module of Tile IR, by clang and this package alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ... import targets
from ...building import builder
from ...compilers import toolchain
from ...errors import BuildValueError, CompileError, KernelNotFound, NotAvailableYet
from ...frontend.kernel_info import KernelInfo
from ...frontend.kernel_names import base_name, cxx_expression, normalized
from ...launching.parameters import BOOL, SIGNED, UNSIGNED, VOID, Parameter, decode
from ...system import resources
from ...targets.kernels import check_hints, entry_names, find_hint_errors, find_kernels
from ...targets.target import Request
from ...version import VERSION
from ..ir import Pointer, Scalar, Tile
from ..module import Module
from . import compiler
from .llvm import Aggregate, Global, Number
from .llvm_text import Text
from .translate import NotTranslated, translate
from .types import integer

_VERSIONS = ("13.3", "13.4", "13.5")
_END = "namespace cuda_tile_end { template <int> struct test; } namespace cuda_tile_ended = ::cuda_tile_end;"
_INLINED = "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)"


def from_cpp(
    source: str | os.PathLike,
    *,
    kernels: Iterable[str] = (),
    include_dirs: Iterable[str | os.PathLike] = (),
    defines: Mapping[str, object] | Iterable[str] | None = None,
    options: Iterable[str] = (),
    api: str = "13.5",
) -> Module:
    """A module with an entry for each kernel.

    source:   the text (str), or the path of a .cu or .cuh file (pathlib.Path)
    kernels:  name expressions such as "softmax<float, 1024>"; none: all kernels that are no templates
    api:      the version of CUDA Tile C++

    The other arguments are those of build(). Entries have the names that C++ gives symbols; interpret() also
    takes a name expression. CompileError if the source does not compile, KernelNotFound if there is no such
    kernel, NotAvailableYet with file and line for what has no translation, TargetUnavailable if no clang is
    installed.
    """
    if api not in _VERSIONS:
        raise BuildValueError(f"api is one of {', '.join(_VERSIONS)}, got {api!r}")
    if api != "13.5":
        raise NotAvailableYet(f"the header shows the API of 13.5, not of {api}")
    text, name, path = builder.read_source(source)
    host = targets.find("cpu")  # options and macros are as on the host
    request = Request(
        target=host,
        text=text,
        name=name,
        path=path,
        include_dirs=builder.check_include_dirs(include_dirs),
        defines=builder.check_defines(defines),
        options=builder.check_options(options, host),
    )
    names = [normalized(kernel) for kernel in builder.check_kernels(kernels)]
    known = find_kernels(request, compiler.MACROS)
    expressions = list(dict.fromkeys(names)) or entry_names(known)
    _check_names(request, expressions, known)
    clang = toolchain.find_clang()
    with tempfile.TemporaryDirectory(prefix="pycuda_tile_") as folder:
        llvm = _compile(request, clang, expressions, names, Path(folder))
    check_hints(request, compiler.MACROS)
    return _module(request, llvm, expressions)


def _check_names(request: Request, expressions: list[str], known: list[KernelInfo]) -> None:
    there = ", ".join(str(kernel) for kernel in known) or "none"
    if not expressions:
        raise KernelNotFound(
            f"{request.name} has no kernel that is no template; its kernels are: {there}; name instances of "
            "templates in kernels=(...)"
        )
    for expression in expressions:
        if base_name(expression) not in {kernel.name for kernel in known}:
            raise KernelNotFound(f"{request.name} has no kernel {expression!r}; its kernels are: {there}")


def _compile(
    request: Request,
    clang: toolchain.Compiler,
    expressions: list[str],
    names: list[str],
    folder: Path,
) -> Text:
    """What clang makes of the kernels."""
    from ...targets.nvrtc_kernels import Settings, leave_out_host

    settings = Settings([], [], [], "", compiler.MACROS)
    kernels_only = leave_out_host(request, settings, expressions)
    file = request.path or request.name
    source = folder / "kernels_only.cu"
    source.write_text(f'#line 1 "{file}"\n{kernels_only.text}\n', encoding="utf-8")
    for header, text in kernels_only.headers.items():
        place = folder / "headers" / header
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    lines = ["#include <nv/target>", '#include "cuda_tile/predefined.h"', _INLINED]
    lines += [
        '#include "cuda_tile/record/prelude.h"',
        f'#include "{source}"',
        "#pragma clang attribute pop",
        _END,
    ]
    lines += ['#include "cuda_tile/record/entry.h"']
    lines += [f"CUDA_TILE_ENTRY({i}, {cxx_expression(name)})" for i, name in enumerate(expressions)]
    unit, output = folder / "unit.cpp", folder / "kernels.ll"
    unit.write_text("\n".join(lines) + "\n", encoding="utf-8")
    folders = [*request.user_dirs, *request.include_dirs, *kernels_only.folders]
    words = compiler.flags([folder / "headers", *folders], dict(request.defines), request.options)
    right, log = compiler.to_llvm(clang, words, unit, output)
    if right:
        return Text(output.read_text(encoding="utf-8"))
    from ...diagnostics.compiler_log import Places, compile_error

    generated = {str(unit): unit.read_text(encoding="utf-8")}
    libraries = (str(resources.include_dir()), str(folder / "headers"))
    found = find_hint_errors(request, compiler.MACROS)
    log = log.replace(str(source), str(file))
    raise compile_error(
        log, Places(request.name, str(file), request.text, libraries, generated, tuple(names), found, _END)
    )


def _module(request: Request, llvm: Text, expressions: list[str]) -> Module:
    """An entry for each kernel."""
    own = str(resources.include_dir())

    def is_user_file(file: str) -> bool:
        return not file.startswith(own) and not file.endswith("unit.cpp")

    globals_: dict = {}
    entries = []
    for number, expression in enumerate(expressions):
        variable = llvm.variable(f"cuda_tile_kernel_{number}")
        if variable is None or not isinstance(variable.value, Aggregate):
            raise CompileError(f"{request.name}: the compiler lost the kernel {expression}")
        function, codes = variable.value.elements
        assert isinstance(function, Global)
        types = [_tile(parameter, request) for parameter in decode(expression, _codes(codes)[:-1])]
        try:
            entry = translate(llvm, function.name, types, is_user_file, globals_)
        except NotTranslated as error:
            raise _not_available(request, expression, error) from error
        entry.expression = expression
        entries.append(entry)
    module = Module(entries, list(globals_.values()), producer=f"pycuda_tile {VERSION}")
    return module


def _codes(operand: object) -> list[int]:
    assert isinstance(operand, Aggregate)
    return [integer(element) if isinstance(element, Number) else 0 for element in operand.elements]


def _tile(parameter: Parameter, request: Request) -> Tile:
    """The type of a parameter in the entry: a bool is a byte."""
    if parameter.kind == BOOL or (parameter.kind == VOID and parameter.pointer):
        element = Scalar("i8")
    elif parameter.element is not None and parameter.kind in (SIGNED, UNSIGNED):
        element = Scalar(f"i{8 * parameter.size}")
    elif parameter.element is not None:
        element = Scalar(parameter.element.tileir)
    else:
        raise NotAvailableYet(f"{request.name}: {parameter}: no number, and no pointer to numbers")
    return Tile(Pointer(element) if parameter.pointer else element, ())


def _not_available(request: Request, expression: str, error: NotTranslated) -> NotAvailableYet:
    place = ""
    if error.place is not None:
        file = (
            request.name
            if error.place.file in (str(request.path), "") or not request.path
            else error.place.file
        )
        place = f"{file}:{error.place.line}: "
    return NotAvailableYet(f"{place}{expression}: no Tile IR is made yet of {error.reason}")
