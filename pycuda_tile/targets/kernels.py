"""The kernels of a source, their names and their hints, as every target needs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import Diagnostic
from ..frontend.kernel_info import KernelInfo
from ..frontend.kernel_names import base_name, normalized, split_overload
from ..spec import API_MACRO, API_VERSIONS, api_number
from .target import Request


def find_kernels(request: Request, macros: Mapping[str, str]) -> list[KernelInfo]:
    """The kernels of the source and of the user's own headers; `macros` are the compiler's."""
    from ..frontend.kernels import find  # slow to import, and builds from the cache do not need it

    return find(request.text, request.name, **_places(request, macros))


def find_hint_errors(request: Request, macros: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Errors in the source's hints that NVIDIA's compiler reports; `macros` are the compiler's."""
    if "hint" not in request.text:
        return ()
    from ..frontend.hint_errors import hint_errors

    return tuple(hint_errors(request.text, request.name, known_macros(request, macros)))


def find_host_errors(request: Request, macros: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Errors that host compilers do not see: in hints, and __shared__ variables in tile code."""
    if "__shared__" not in request.text:
        return find_hint_errors(request, macros)
    from ..frontend.shared_variables import shared_variables

    known = known_macros(request, macros)
    return (*shared_variables(request.text, request.name, known), *find_hint_errors(request, macros))


def check_hints(request: Request, macros: Mapping[str, str]) -> None:
    """Raises CompileError for a source that compiles but has invalid hints."""
    check_found(request, find_hint_errors(request, macros))


def check_found(request: Request, errors: tuple[Diagnostic, ...]) -> None:
    """Raises CompileError for a source that compiles, if errors were found in it."""
    if errors:
        from ..diagnostics.compiler_log import compile_error
        from ..diagnostics.places import Places

        path = str(request.path or request.name)
        raise compile_error("", Places(request.name, path, request.text, found=errors))


def front_end(request: Request) -> str:
    """What finds the kernels of a source, for a cache key: libclang takes part only if macros may define
    kernels."""
    if "#define" not in request.text.replace(" ", ""):
        return ""
    import importlib.util

    try:
        return "libclang" if importlib.util.find_spec("clang") else ""
    except ValueError:  # its import is blocked in sys.modules
        return ""


def find_keywords(request: Request, macros: Mapping[str, str]) -> list[tuple[int, tuple[str, ...]]]:
    """Where `__tile_global__` stands in the source, and the hints of each kernel."""
    from ..frontend.scan import keywords

    return keywords(request.text, request.name, **_places(request, macros))


def _places(request: Request, macros: Mapping[str, str]) -> dict[str, Any]:
    return {
        "path": request.path,
        "include_dirs": (*request.user_dirs, *request.include_dirs),
        "macros": known_macros(request, macros),
    }


def known_macros(request: Request, macros: Mapping[str, str]) -> dict[str, str]:
    """What a source sees: the compiler's macros, the version of the API, and those that the user defines."""
    ours = {"__cplusplus": "202002L", API_MACRO: api_number(API_VERSIONS[-1])}
    return {**ours, **macros, **request.defines}


def entry_names(kernels: list[KernelInfo]) -> list[str]:
    """The kernels that are compiled without being requested: all but templates and overloads."""
    names = [kernel.name for kernel in kernels]
    return [kernel.name for kernel in kernels if not kernel.template_params and names.count(kernel.name) == 1]


def overload_names(kernels: list[KernelInfo]) -> list[str]:
    """The kernels that are not templates and share their name with others, with the types of their
    parameters, which are those of the kernel's namespace."""
    names = [kernel.name for kernel in kernels]
    overloads = [k for k in kernels if not k.template_params and names.count(k.name) > 1]
    return [normalized(f"{k.name}({', '.join(param.type for param in k.params)})") for k in overloads]


def _same_text(one: str, other: str) -> bool:
    return "".join(one.split()) == "".join(other.split())


def param_names(kernels: list[KernelInfo], expression: str, count: int) -> list[str]:
    """The parameter names of the kernel that an expression like `a::k<float, 4>` names; [] if unknown."""
    _, types = split_overload(expression)
    base = base_name(expression)
    fitting = [kernel for kernel in kernels if kernel.is_called(base) and len(kernel.params) == count]
    if types is not None:
        exact = [kernel for kernel in fitting if _same_text(", ".join(p.type for p in kernel.params), types)]
        fitting = exact or fitting
    return [param.name for param in fitting[0].params] if fitting else []
