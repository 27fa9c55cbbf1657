"""Errors about what a source uses without its header: cuda_tile.h itself, or that of a small float.

cuda_tile.h only declares small floats, so that each compiler finds them incomplete in several places and
words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .errors import Diagnostic

_HEADERS = {
    "__half": "cuda_fp16.h",
    "__nv_bfloat16": "cuda_bf16.h",
    "__nv_fp8_e4m3": "cuda_fp8.h",
    "__nv_fp8_e5m2": "cuda_fp8.h",
    "__nv_fp8_e8m0": "cuda_fp8.h",
    "__nv_fp4_e2m1": "cuda_fp4.h",
    "__nv_tf32": "cuda_tf32.h",
}
SMALL_FLOAT_HEADERS = frozenset(_HEADERS.values())
_INCOMPLETE = re.compile(r"\bincomplete\b|^forward declaration of ")
_TYPE = re.compile(rf"""["'](?:const |struct )*({"|".join(_HEADERS)})(?: \[\d+\])?["']""")
_KEYWORD = re.compile(
    r"""unknown type name '(__tile\w*__)'|["'](__tile\w*__)["'] (?:does not name a type|is undefined)"""
)
_IGNORED = "parsing for Tile constructs is not enabled"  # a warning of NVRTC 13.5
_BEGIN = "a header is missing: "


def message(texts: Iterable[str]) -> str:
    """Which header is missing, by what a compiler says in an error and its notes; "" if none is."""
    for text in texts:
        keyword = _KEYWORD.search(text)
        if keyword or text.startswith(_IGNORED):
            word = (keyword[1] or keyword[2]) if keyword else "__tile_global__"
            return f'{_BEGIN}{word} needs #include "cuda_tile.h"'
        found = _TYPE.search(text) if _INCOMPLETE.search(text) else None
        if found:
            return f"{_BEGIN}{found[1]} needs #include <{_HEADERS[found[1]]}>"
    return ""


def without_consequences(diagnostics: Sequence[Diagnostic], source: str) -> list[Diagnostic]:
    """Each missing header once; where one is, not what else is said of the same line and of other files."""
    missing = {d.message: d for d in reversed(diagnostics) if d.message.startswith(_BEGIN)}
    lines = {d.line for d in diagnostics if d.message in missing}

    def is_consequence(d: Diagnostic) -> bool:
        return bool(missing) and (d.file != source or d.line in lines)

    return [d for d in diagnostics if d is missing.get(d.message) or not is_consequence(d)]
