"""Translation units: the files of ours that compilers read, and the user's source in them."""

from __future__ import annotations

import os
import re
from pathlib import Path

#: Follows a source: an error if the source's last declaration has not ended.
END = "namespace cuda_tile_end { template <int> struct test; } namespace cuda_tile_ended = ::cuda_tile_end;"
_NAMED = re.compile(r'#line 1 "((?:[^"\\\n]|\\.)*)"\n')
_ERRORS = "surrogateescape"  # since names of files in a text may hold what is not UTF-8


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors=_ERRORS)


def write(file: Path, text: str) -> None:
    """Writes a file, and makes its folder."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", errors=_ERRORS)


def named(text: str, file: str | Path) -> str:
    """The text behind a line from which on compilers call it the lines of `file`."""
    name = re.sub(r'["\\]', r"\\\g<0>", str(file))
    return f'#line 1 "{name}"\n{text}'


def name_and_text(named: str) -> tuple[str, str]:
    """The file whose lines those of a text are called, and the text alone; "" if no file is named."""
    found = _NAMED.match(named)
    return (unescaped(found[1]), named[found.end() :]) if found else ("", named)


def unescaped(name: str) -> str:
    """The name of a file that stands in a string literal, in which bytes may be octal numbers."""

    def byte(found: re.Match[bytes]) -> bytes:
        return bytes([int(found[1], 8)]) if len(found[1]) == 3 else found[1]

    return os.fsdecode(re.sub(rb"\\([0-3][0-7]{2}|.)", byte, os.fsencode(name)))
