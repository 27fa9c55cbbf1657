"""compile_program(): builds a whole program from Python, as `pycuda-tile nvcc` does."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..building.builder import check_options_list
from ..errors import BuildTypeError, SourceNotFound, short_traceback
from ..system import progress
from . import options as command_line
from .driver import Driver


@short_traceback()
def compile_program(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    checked: bool = False,
    options: Iterable[str] = (),
) -> Path:
    """Compiles a CUDA program, host code and kernels, for this machine's CPU, and returns its path.

    path:    a .cu file; more files go into options
    output:  the program that is written
    checked: find undefined behaviour in tile kernels: the program prints a report and ends with exit code 1
    options: those of nvcc, each a str, such as "-O2" or "-lm"

    Raises CompileError if the program does not compile or link, and BuildValueError for an unknown option.
    """
    for name, value in (("path", path), ("output", output)):
        if not isinstance(value, (str, os.PathLike)):
            raise BuildTypeError(f"{name} must be a path, got {type(value).__name__}")
    if not isinstance(checked, bool):
        raise BuildTypeError(f"checked must be True or False, got {checked!r}")
    if not os.path.isfile(path):
        raise SourceNotFound(f"the program {os.fspath(path)!r} does not exist")
    words = [os.fspath(path), "-o", os.fspath(output), *(["--checked"] if checked else [])]
    driver = Driver(command_line.read([*words, *check_options_list(options)]))
    with progress.shown(f"pycuda_tile: building {os.fspath(output)}"):
        driver.run()
    return Path(output)
