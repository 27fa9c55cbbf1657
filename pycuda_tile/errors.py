"""The exceptions of pycuda_tile, and the diagnostics that a CompileError carries.

`Error` is the base of all. The classes below the public five also derive from the builtin that a Python user
would catch: `except ValueError` works for an unknown target, `except KeyError` for an unknown kernel.
"""

from __future__ import annotations

from typing import NamedTuple


class Diagnostic(NamedTuple):
    """One message of a compiler, at the place in the user's file that caused it.

    file:      the user's file; "<source>" for a source given as text
    line:      counted from 1; 0 where the compiler names no line
    column:    counted from 1; 0 where the compiler names no column
    severity:  "error" or "warning"
    message:   the compiler's words
    notes:     what the compiler adds: what is required, which kernel name it was about
    """

    file: str
    line: int
    column: int
    severity: str
    message: str
    notes: tuple[str, ...] = ()


class Error(Exception):
    """Base of all errors of pycuda_tile."""


class CompileError(Error):
    """A source does not compile. `diagnostics` is a list of Diagnostic, `log` all that the compiler
    printed."""

    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None, log: str = ""):
        super().__init__(message)
        self.diagnostics = diagnostics or []
        self.log = log


class LaunchError(Error):
    """A launch was refused before it began, or failed while it ran."""


class TargetUnavailable(Error):
    """What a target needs is missing on this machine; the message says what to install."""


class UndefinedBehaviorError(Error):
    """A checked build found undefined behaviour; `kind`, `message`, `file`, `line`, `block` and `index` say
    what and where."""

    def __init__(
        self,
        message: str,
        kind: str = "",
        file: str = "",
        line: int = 0,
        block: tuple[int, ...] | None = None,
        index: tuple[int, ...] | None = None,
    ):
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.file = file
        self.line = line
        self.block = block
        self.index = index


class BuildValueError(Error, ValueError):
    """An argument of build() has a value that it cannot have."""


class BuildTypeError(Error, TypeError):
    """An argument of build() has the wrong type."""


class SourceNotFound(Error, FileNotFoundError):
    """The source file given to build() does not exist."""


class KernelNotFound(Error, KeyError):
    """A module has no kernel of that name; the message lists those that it has."""

    __str__ = Exception.__str__  # KeyError would print the message quoted, on one line


class NotAvailableYet(Error, NotImplementedError):
    """Part of the interface that this version does not have yet."""


class ArgumentTypeError(LaunchError, TypeError):
    """A launch got too few or too many arguments, or one of the wrong kind or element type."""


class ArgumentValueError(LaunchError, ValueError):
    """A launch got an argument or a grid whose value, layout or place in memory does not fit."""


class ArgumentRangeError(ArgumentValueError, OverflowError):
    """A launch got a number that its parameter's type cannot hold."""
