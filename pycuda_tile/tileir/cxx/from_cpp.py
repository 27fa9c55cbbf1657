"""from_cpp(): CUDA Tile C++ to a module of Tile IR, by clang and this package alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ... import targets
from ...building import builder
from ...errors import BuildValueError, KernelNotFound, NotAvailableYet
from ...frontend.kernel_names import normalized
from ...targets.target import Request
from ..module import Module
from .compiler import MACROS
from .kernels import translate_kernels

_VERSIONS = ("13.3", "13.4", "13.5")


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
    api:      the version of CUDA Tile C++; only 13.5, all that the header has, is available yet

    The other arguments are those of build(). Entries have the names that C++ gives symbols; interpret() also
    takes a name expression. CompileError if the source does not compile, KernelNotFound if there is no such
    kernel, NotAvailableYet with file and line for what has no translation, TargetUnavailable if no clang is
    installed.
    """
    if api not in _VERSIONS:
        raise BuildValueError(f"api must be one of {', '.join(_VERSIONS)}, got {api!r}")
    if api != "13.5":
        raise NotAvailableYet(
            f"api={api!r}: the header does not restrict itself to the API of {api} yet; leave api out to "
            "compile the source with all that the header has"
        )
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
    translated = translate_kernels(request, names, MACROS, plain=not names)
    if not translated.module.entries:
        templates = ", ".join(map(str, translated.kernels))
        if not templates:
            raise KernelNotFound(f"{name} has no kernels (functions declared __tile_global__)")
        raise KernelNotFound(
            f"{name} has only kernels that are templates: {templates}; name instances of them in "
            "kernels=(...)"
        )
    return translated.module
