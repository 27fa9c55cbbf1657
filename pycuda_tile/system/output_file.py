"""The files that commands write."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ..errors import Error


def write_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Writes a file completely or not at all. Something other than a file, such as /dev/stdout or a pipe, is
    written to directly, and links are followed. Raises Error, which names the file.
    """
    try:
        if _is_file(path):
            _replace(Path(os.path.realpath(path)), write)
        else:
            with open(path, "wb") as file:
                write(file)
    except OSError as error:
        raise Error(f"cannot write {path}: {error.strerror or error}") from error


def _is_file(path: Path) -> bool:
    """Whether the path is a file or can become one."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _replace(path: Path, write: Callable[[BinaryIO], object]) -> None:
    aside = path.with_name(f".{path.name}.new")
    try:
        with aside.open("wb") as file:
            write(file)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
