"""The files of a compilation: which are the user's, and what the lines of generated ones represent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..errors import Diagnostic
from ..frontend.kernel_info import KernelInfo
from ..frontend.kernel_names import base_name, from_cxx_expression

NAME_MAP = "__nv_name_map"  # the file that NVRTC names for a bad name expression
NVIDIA_HEADER = "cuda_tile.h"  # how NVRTC names NVIDIA's; ours has its folder


@dataclass
class Places:
    """Where the files of a compilation come from.

    source:       the name by which the user knows the source
    path:         the file that the compiler read, the same unless the source was given as text
    text:         its text
    library_dirs: folders of headers that are not the user's
    generated:    text of generated files, by path: one kernel name per line
    names:        the name expressions of the requested kernels
    found:        errors that were found without a compiler
    kernels:      those of the source, as far as they are known
    end:          the line of a generated file, after the source, that is an error if the source is incomplete
    """

    source: str
    path: str
    text: str
    library_dirs: tuple[str, ...] = ()
    generated: dict[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    found: tuple[Diagnostic, ...] = ()
    kernels: tuple[KernelInfo, ...] = ()
    end: str = ""

    def is_users(self, file: str) -> bool:
        if file == self.path:
            return True
        if file in self.generated or file in (NAME_MAP, NVIDIA_HEADER) or file.startswith("<"):
            return False
        return not any(file.startswith(folder.rstrip("/") + "/") for folder in self.library_dirs)

    def shown(self, file: str) -> str:
        return self.source if file == self.path else file

    def is_end(self, file: str, number: int) -> bool:
        return self.end != "" and self.end in self.generated.get(file, "").splitlines()[number - 1 : number]

    def line(self, file: str, number: int) -> str:
        """The text of a line of a user's file, "" if there is none."""
        text = self.text
        if file != self.source:
            try:
                with open(file, encoding="utf-8", errors="replace") as stream:
                    text = stream.read()
            except OSError:
                return ""
        lines = text.splitlines()
        return lines[number - 1].rstrip() if 0 < number <= len(lines) else ""

    def declared(self, name: str) -> tuple[str, int]:
        """The file and line of the kernel that an expression names; line 0 of the source if it is unknown."""
        found = (kernel for kernel in self.kernels if kernel.is_called(base_name(name)))
        return next(((kernel.file, kernel.line) for kernel in found), (self.source, 0))

    def kernel_name(self, file: str, number: int) -> str:
        """The kernel name that a line of a generated file is about, "" if it is about none."""
        if file == NAME_MAP:
            return " or ".join(self.names)
        lines = self.generated.get(file, "").splitlines()
        found = (
            re.match(r"CUDA_TILE_ENTRY\(\d+, *(.*)\)$", lines[number - 1])
            if 0 < number <= len(lines)
            else None
        )
        return from_cxx_expression(found.group(1)) if found else ""
