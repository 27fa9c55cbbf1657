"""Runs the host's compiler for the steps of a command line, prints them if asked to, and reports failures."""

from __future__ import annotations

import re
import shlex
import sys

from ..compilers.toolchain import Compiler
from ..errors import CompileError, Diagnostic

_MESSAGE = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?"
    r"(?P<severity>error|warning): (?P<text>.*)$",
    re.MULTILINE,
)


class Steps:
    """The compiler of a command line. With `dry` nothing runs, with `verbose` each step is printed."""

    def __init__(self, compiler: Compiler, verbose: bool = False, dry: bool = False):
        self.compiler = compiler
        self.verbose = verbose or dry
        self.dry = dry

    def run(self, arguments: list[str]) -> str:
        """Returns what the compiler prints; raises CompileError if it fails."""
        if self.verbose:
            sys.stderr.write(f"#$ {shlex.join([*self.compiler.command, *arguments])}\n")
        if self.dry:
            return ""
        done = self.compiler.run(arguments)
        if done.returncode:
            raise failed(done.stdout)
        return done.stdout


def failed(log: str) -> CompileError:
    """The error for what a compiler or linker printed."""
    found = [
        Diagnostic(m["file"], int(m["line"]), int(m["column"] or 0), m["severity"], m["text"])
        for m in _MESSAGE.finditer(log)
    ]
    return CompileError(log.rstrip(), found, log)
