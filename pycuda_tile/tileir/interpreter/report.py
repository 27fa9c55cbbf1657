"""How the interpreter's functions say that a program does what is undefined."""

from __future__ import annotations

from collections.abc import Callable

#: Called with the kind, as in UndefinedBehaviorError, and a message. Where it returns, the run goes on.
Report = Callable[[str, str], None]
