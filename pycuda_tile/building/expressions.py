"""Which kernel of a source a name expression stands for, and what to say if there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import CompileError, KernelNotFound
from ..frontend.kernel_info import KernelInfo
from ..frontend.kernel_names import base_name, split_overload
from ..targets.target import Request


def expression_of(name: str, kernels: Sequence[KernelInfo], request: Request) -> tuple[str, bool]:
    """The expression by which a compiler knows the kernel of that name, and whether the scan found it. Raises
    KernelNotFound for a name that no kernel of the source can have."""
    function, types = split_overload(name)
    base = base_name(name)
    infos = [kernel for kernel in kernels if kernel.is_called(base)]
    if not infos and not _may_exist(base, request.text):
        raise not_found(name, kernels, request)
    if infos and "<" not in function and all(_needs_arguments(info) for info in infos):
        raise KernelNotFound(
            f"{name} is a template, so its name must include the template's arguments: {_example(infos[0])}"
        )
    plain = [info for info in infos if not info.template_params]
    if plain and len(plain) == len(infos) and "<" in function:
        raise KernelNotFound(f"{base} is not a template, so it takes no arguments such as those in {name}")
    if types is None and "<" not in function:
        if plain and len(infos) > 1:
            types_of = [", ".join(param.type for param in info.params) for info in plain]
            listed = ", ".join(f"{base}({types})" for types in types_of)
            raise KernelNotFound(
                f"{name} is overloaded, so its name must include the types of its parameters: {listed}"
            )
        if infos and not plain:
            return f"{name}<>", True  # every template argument has a default
    return name, bool(infos)


def not_found(name: str, kernels: Sequence[KernelInfo], request: Request) -> KernelNotFound:
    listed = ", ".join(str(kernel.name) for kernel in kernels) or "none"
    return KernelNotFound(f"{request.name} has no kernel {name!r}; its kernels are: {listed}")


def with_forms(error: CompileError, name: str, kernels: Sequence[KernelInfo]) -> CompileError:
    """The error that no kernel fits a name, with what such a name looks like."""
    forms = [_form(kernel) for kernel in kernels if kernel.is_called(base_name(name))]
    listed = f"\n  it is declared as {', '.join(forms)}"
    return CompileError(f"{error}{listed}", error.diagnostics, error.log)


def fits_none(error: CompileError) -> bool:
    """Whether a compiler's error says that no kernel fits a name."""
    from ..diagnostics.compiler_log import NO_KERNEL_FITS  # imported by whoever raised the error

    return any(diagnostic.message == NO_KERNEL_FITS for diagnostic in error.diagnostics)


def says_unknown(error: CompileError) -> bool:
    """Whether a compiler's error says that a name is not declared."""
    words = (
        "not declared",
        "undeclared identifier",
        "is undefined",
        "no member named",
        "is not a member",
        "has no member",
    )
    return any(word in diagnostic.message for diagnostic in error.diagnostics for word in words)


def _may_exist(base: str, text: str) -> bool:
    """Whether a kernel that the scan did not find may still exist, because a macro defines it."""
    word = base.rpartition("::")[2]
    return (
        bool(re.search(rf"\b{re.escape(word)}\b", text)) or "##" in text or not re.fullmatch(r"[\w:]+", base)
    )


def _needs_arguments(info: KernelInfo) -> bool:
    return any(param.default is None and not param.pack for param in info.template_params)


def _form(info: KernelInfo) -> str:
    parameters = ", ".join(parameter.type for parameter in info.params)
    return f"{_example(info) if info.template_params else info.name}({parameters})"


def _example(info: KernelInfo) -> str:
    params = ", ".join(f"{param.type or 'typename'} {param.name}".strip() for param in info.template_params)
    return f"{info.name}<{params}>"
