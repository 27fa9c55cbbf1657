"""Errors about names used without their header: cuda_tile.h itself, or the header of a small float.

cuda_tile.h only declares small floats, so each compiler reports incomplete types in several places and
wordings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..errors import Diagnostic
from ..spec import API_VERSIONS
from ..spec.element_types import CXX_TYPES, HEADERS

SMALL_FLOAT_HEADERS = frozenset(HEADERS.values())
_INCOMPLETE = re.compile(r"\bincomplete\b|^forward declaration of ")
_UNNAMED = re.compile(r"^incomplete type is not allowed|to a complete object type")  # NVRTC 12.0
_UNCONVERTIBLE = re.compile(
    r"no known conversion from '[\w ]+' to "
)  # clang does not say that it is incomplete
_TYPE = re.compile(rf"""["'](?:const |struct )*({"|".join(HEADERS)})(?: \w+)?(?: \[\d+\])?["']""")
_API = re.compile(  # how each compiler says that the namespace cuda, or tiles in it, does not exist
    r"""["']cuda["'] has not been declared|["']tiles["'] is not a namespace-name|"""
    r"""["']tiles["'] is not a member of ["']cuda["']|"""
    r"""["']cuda::tiles["'] has not been declared|undeclared identifier ["']cuda["']|"""
    r"""no member named ["']tiles["'] in namespace ["']cuda["']|"""
    r"""namespace ["']cuda["'] has no member ["']tiles["']|"""
    r"""name followed by "::" must be a class or namespace name: cuda ?::"""
)
#: Types that the headers of CUDA 12.0 lack.
_LATER = [name for name, element in CXX_TYPES.items() if element.header and element.since != API_VERSIONS[0]]
_BEGIN = "a header is missing: "
_NO_API = f'{_BEGIN}cuda::tiles needs #include "cuda_tile.h"'


def message(texts: Iterable[str], source: str) -> str:
    """The missing header according to the texts of an error and its notes, in a source with this text; "" if
    none is missing."""
    for text in texts:
        if _API.search(text):
            return _NO_API
        may_be_incomplete = _INCOMPLETE.search(text) or _UNCONVERTIBLE.search(text)
        found = _TYPE.search(text) if may_be_incomplete else None
        if found and (_INCOMPLETE.search(text) or HEADERS[found[1]] not in source):
            return _needs(found[1], source)
        if _UNNAMED.search(text) and (used := [name for name in _LATER if re.search(rf"\b{name}\b", source)]):
            return _needs(used[0], source)
    return ""


def _needs(name: str, source: str) -> str:
    header = HEADERS[name]
    if name in _LATER and re.search(rf"^\s*#\s*include\s*[<\"]{header}", source, re.M):
        return f"{_BEGIN}{name} needs a newer <{header}> than the one of CUDA that is installed"
    return f"{_BEGIN}{name} needs #include <{header}>"


def without_consequences(diagnostics: Sequence[Diagnostic], source: str) -> list[Diagnostic]:
    """Keeps one error for each missing header and drops its consequences: other errors on the same line and
    in other files, and all other errors if cuda_tile.h is missing."""
    missing = {d.message: d for d in reversed(diagnostics) if d.message.startswith(_BEGIN)}
    lines = {d.line for d in diagnostics if d.message in missing}

    def is_consequence(d: Diagnostic) -> bool:
        return bool(missing) and (d.file != source or d.line in lines or _NO_API in missing)

    return [d for d in diagnostics if d is missing.get(d.message) or not is_consequence(d)]
