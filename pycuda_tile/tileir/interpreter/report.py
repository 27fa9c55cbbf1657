"""How the interpreter's functions report undefined behaviour."""

from __future__ import annotations

from collections.abc import Callable

#: Called with the kind, as in UndefinedBehaviorError, and a message. If it returns, the run continues.
Report = Callable[[str, str], None]
