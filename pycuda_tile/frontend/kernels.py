"""Finds the kernels of a source by its tokens, and with libclang those that macros define."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from .kernel_info import KernelInfo
from .scan import scan

NOTE = "libclang is not installed: kernels that macros make are not listed, and the source is not linted"
_MADE_BY_MACRO = re.compile(r"#[ \t]*define\b(?:\\\r?\n|[^\n])*__tile_global__")


def find(
    text: str,
    file: str,
    *,
    path: Path | None = None,
    include_dirs: Iterable[Path] = (),
    macros: Mapping[str, str] | None = None,
    thorough: bool = False,
) -> list[KernelInfo]:
    """Like scan.scan(), but also finds the kernels that macros define, if libclang is installed.

    thorough: uses libclang for every source, not only if macros define kernels, because it can tell whether
              template parameters are types or values
    """
    include_dirs = tuple(include_dirs)
    scanned = scan(text, file, path=path, include_dirs=include_dirs, macros=dict(macros or {}))
    if not thorough and not _MADE_BY_MACRO.search(text):
        return scanned
    from . import clang

    unit = clang.parse(text, file, path=path, include_dirs=include_dirs, macros=macros)
    return merge(scanned, clang.kernels(unit)) if unit else scanned


def merge(scanned: list[KernelInfo], parsed: list[tuple[KernelInfo, bool]]) -> list[KernelInfo]:
    """Combines both: the scanner keeps the user's spelling, libclang knows what macros and concepts mean."""
    known = {(kernel.name, kernel.line): kernel for kernel, _ in parsed}
    places = {(kernel.name, kernel.line) for kernel in scanned}
    merged = [_refined(kernel, known.get((kernel.name, kernel.line))) for kernel in scanned]
    return merged + [
        kernel for kernel, by_macro in parsed if by_macro and (kernel.name, kernel.line) not in places
    ]


def _refined(scanned: KernelInfo, parsed: KernelInfo | None) -> KernelInfo:
    if parsed is None:
        return scanned
    if [param.name for param in parsed.params] != [param.name for param in scanned.params]:
        scanned = scanned._replace(params=parsed.params)  # a macro expands to several, or to names
    if len(parsed.template_params) == len(scanned.template_params):
        params = zip(scanned.template_params, parsed.template_params, strict=True)
        scanned = scanned._replace(
            template_params=tuple(own._replace(kind=sure.kind) for own, sure in params)
        )
    return scanned
