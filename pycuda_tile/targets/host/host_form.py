"""NVIDIA's headers for a host compiler whose source sees `__CUDA_ARCH__`.

Their device code is for NVIDIA's compilers, so they are read without the macro, in host form. To that end,
each one that the user's files include is wrapped by a header of the same name, earlier on the include path.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...compilers import nvrtc, units
from ...diagnostics.missing_header import SMALL_FLOAT_HEADERS

_OURS = ("nv/target", "cuda_tile.h", "crt/cuda_tile.h")
_TEXT = """#pragma push_macro("__CUDA_ARCH__")
#undef __CUDA_ARCH__
#if defined(NV_IF_TARGET)
#include <nv/target>
#endif
#include_next <{name}>
#pragma pop_macro("__CUDA_ARCH__")
#if defined(NV_IF_TARGET)
#include <nv/target>
#endif
"""


def write(folder: Path, text: str, path: Path | None, include_dirs: Sequence[str | Path]) -> None:
    """Writes these headers into `folder`, for a source and the user's headers in `include_dirs`."""
    for name in _headers(text, path, include_dirs):
        units.write(folder / name, _TEXT.format(name=name))


def _headers(text: str, path: Path | None, include_dirs: Sequence[str | Path]) -> set[str]:
    """The names of NVIDIA's headers that the user's files include."""
    nvidia = nvrtc.host_include_dirs()
    theirs = {folder for folder in map(str, (*include_dirs, *nvidia)) if nvrtc.is_nvidias(folder)}

    def is_theirs(header: str) -> bool:
        return any(header.startswith(f"{folder}/") for folder in theirs)

    found = set()
    for name, header in nvrtc.included(
        text, path, [*include_dirs, *nvidia], lambda file: not is_theirs(file)
    ):
        if name in _OURS or ".." in name or name.startswith("/"):
            continue
        if is_theirs(header) if header else name in SMALL_FLOAT_HEADERS:
            found.add(name)
    return found
