"""The exceptions of pycuda_tile, and the diagnostics that a CompileError carries.

`Error` is the base of all. The classes below the public five also derive from the builtin that a Python user
would catch: `except ValueError` works for an unknown target, `except KeyError` for an unknown kernel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple, TypeVar


class Diagnostic(NamedTuple):
    """One compiler message, placed where the user's file caused it.

    file:      the user's file; "<source>" for a source given as text
    line:      counted from 1; 0 if the compiler names no line
    column:    counted from 1; 0 if the compiler names no column
    severity:  "error" or "warning"
    message:   the compiler's text
    notes:     additional text from the compiler, such as what is required or which kernel name is at fault
    """

    file: str
    line: int
    column: int
    severity: str
    message: str
    notes: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """file:line:column, as far as they are known."""
        return self.file + "".join(f":{number}" for number in (self.line, self.column) if number)

    def __str__(self) -> str:
        return "\n  ".join([f"{self.place}: {self.severity}: {self.message}", *self.notes])

    def _repr_html_(self) -> str:
        from .system import html

        row = (self.place, self.severity, self.message, "\n".join(self.notes))
        return html.table(("place", "severity", "message", "notes"), [row])


class Error(Exception):
    """Base of all errors of pycuda_tile."""


class CompileError(Error):
    """A source does not compile. `diagnostics` is a list of Diagnostic, `log` is the compiler's entire
    output."""

    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None, log: str = ""):
        super().__init__(message)
        self.diagnostics = diagnostics or []
        self.log = log

    def _render_traceback_(self) -> list[str]:
        """What notebooks show: the message, since the mistake is in the source and not in Python's frames."""
        return [f"{type(self).__name__}: {self}"]


_Function = TypeVar("_Function", bound=Callable)


def short_traceback(*kinds: type[Error]) -> Callable[[_Function], _Function]:
    """Decorates a function that users call: tracebacks of these errors, and of KernelNotFound, end there. The
    mistake is in a source, so the frames below it would only move the user's own line out of sight."""

    shortened: tuple[type[Error], ...] = (CompileError, KernelNotFound, *kinds)

    def decorated(function: _Function) -> _Function:
        @functools.wraps(function)
        def call(*arguments, **named):  # type: ignore[no-untyped-def]
            try:
                return function(*arguments, **named)
            except shortened as error:
                raise error.with_traceback(None) from error.__cause__

        return call  # type: ignore[return-value]

    return decorated


class LaunchError(Error):
    """A launch was rejected before it began, or failed while it ran."""


class TargetUnavailable(Error):
    """This machine lacks something that the target needs; the message says what to install."""


class UndefinedBehaviorError(Error):
    """A checked build found undefined behaviour; `kind`, `message`, `file`, `line`, `block` and `index`
    describe it and its location."""

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
    """An argument of build() has an invalid value."""


class BuildTypeError(Error, TypeError):
    """An argument of build() has the wrong type."""


class SourceNotFound(Error, FileNotFoundError):
    """The source file given to build() does not exist."""


class KernelNotFound(Error, KeyError):
    """A module has no kernel of that name; the message lists its kernels."""

    __str__ = Exception.__str__  # KeyError would print the message quoted, on one line


class NotAvailableYet(Error, NotImplementedError):
    """A right program that this version cannot translate; the message says what, and where."""


class PictureError(Error, ValueError):
    """What pct.show is to draw is not a tile, a layout or a view, or has no such shape."""


class ArgumentTypeError(LaunchError, TypeError):
    """A launch got too few or too many arguments, or one of the wrong kind or element type."""


class ArgumentValueError(LaunchError, ValueError):
    """A launch got a grid or an argument with an unsuitable value, layout or location in memory."""


class ArgumentRangeError(ArgumentValueError, OverflowError):
    """A launch got a number that the parameter's type cannot hold."""
