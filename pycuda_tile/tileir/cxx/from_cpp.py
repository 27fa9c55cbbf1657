"""from_cpp(): CUDA Tile C++ to a module of Tile IR, by clang and this package alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ... import targets
from ...building import builder
from ...errors import KernelNotFound, short_traceback
from ...frontend.kernel_names import normalized
from ...targets.target import Request
from ..module import Module
from .compiler import MACROS
from .kernels import translate_kernels


@short_traceback()
def from_cpp(
    source: str | os.PathLike,
    *,
    kernels: Iterable[str] = (),
    include_dirs: Iterable[str | os.PathLike] = (),
    defines: Mapping[str, object] | Iterable[str] | None = None,
    options: Iterable[str] = (),
    api: str | None = None,
) -> Module:
    """A module with an entry for each kernel.

    source:   the text (str), or the path of a .cu or .cuh file (pathlib.Path)
    kernels:  name expressions such as "softmax<float, 1024>"; none: all kernels that are not templates
    api:      the version of CUDA Tile C++: "13.3", "13.4" or "13.5"

    The other arguments are those of build(). Entries have the names that C++ gives symbols; interpret() also
    takes a name expression. CompileError if the source does not compile, KernelNotFound if there is no such
    kernel, NotAvailableYet with file and line for what has no translation, TargetUnavailable if no clang is
    installed.
    """
    text, name, path = builder.read_source(source)
    host = targets.find("cpu")  # options and macros are as on the host
    request = Request(
        target=host,
        text=text,
        name=name,
        path=path,
        include_dirs=builder.check_include_dirs(include_dirs),
        defines=builder.check_api(api, builder.check_defines(defines)),
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
