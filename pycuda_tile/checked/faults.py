"""Explains faults, such as a read of unmapped memory: the launcher's message with the line of the source."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Error
from ..spec.element_types import CXX_TYPES
from .lines import find_frames
from .report import excerpt, user_frame, where

if TYPE_CHECKING:
    from ..launching.launcher import Lines

_PLACE = re.compile(r"\n  in (?P<library>.*) at(?P<offsets>(?: 0x[0-9a-f]+)+)$", re.DOTALL)
_TILE = re.compile(rb"\btile<(?P<element>[\w ]+), [\w:]*extents<[\w ]+(?P<lengths>(?:, \d+\w*)*)>")
_STATE = "What the kernel had stored by then remains. All other blocks were stopped; the process continues."
_ADVICE = "\n  A build with checked=True reports the array and the element."


def explain(message: str, find_lines: Callable[[], Lines]) -> str:
    """The message of cuda_tile_fault, with the line of the source instead of offsets in the library."""
    place = _PLACE.search(message)
    if place is None:
        return message
    offsets = [int(offset, 16) for offset in place["offsets"].split()]
    lines, frame = None, None
    with contextlib.suppress(Error, OSError):  # for example if the compiler is gone
        lines = find_lines()
        if _same_code(Path(place["library"]), lines.library, offsets):
            frame = user_frame(find_frames(lines.library, offsets), lines.source)
    text = [message[: place.start()]]
    is_overflow = "stack overflow" in text[0]
    if frame and lines:
        text += [f"  {where(frame)}", *excerpt(frame, lines.source)]
    if is_overflow and lines and (tiles := _largest_tiles(lines.library.read_bytes())):
        text.append(f"  The largest tiles in the source: {'; '.join(tiles)}")
    text.append(f"  {_STATE}")
    return "\n".join(text) + (_ADVICE if lines and not lines.is_checked and not is_overflow else "")


def _largest_tiles(library: bytes) -> list[str]:
    """The largest tile types in the debug information, with their sizes."""
    sizes: dict[str, int] = {}
    for found in _TILE.finditer(library):
        element, lengths = found["element"].decode(), re.findall(r"\d+", found["lengths"].decode())
        if known := CXX_TYPES.get(element):
            sizes[f"tile<{', '.join([element, *lengths])}>"] = known.size * math.prod(map(int, lengths))
    largest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:3]
    return [f"{name}, {_bytes(sizes[name])}" for name in largest]


def _bytes(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size / 1024:g} KiB"


def _same_code(one: Path, other: Path, offsets: list[int]) -> bool:
    """Whether two libraries have the same bytes at these offsets; the source may have changed meanwhile."""
    codes = one.read_bytes(), other.read_bytes()
    return all(len({code[offset - 16 : offset + 16] for code in codes}) == 1 for offset in offsets)
