"""The order of memory operations of one tile block: as tokens require, otherwise in program order or random.

A token stands for the operations that it comes after. With a seed, operations are delayed: each happens when
its value is used, when an operation that must come after it happens, at the end of the block, or at random
before that. Every resulting order is legal; a program that lacks a token shows different results.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any


class Access:
    """A memory operation, pending or done. Its result is None while it is pending."""

    __slots__ = ("after", "done", "result", "run")

    def __init__(self, run: Callable[[], Any], after: Token):
        self.run, self.after = run, after
        self.done, self.result = False, None

    def finish(self) -> Any:
        """Performs it after all that must come before it, and returns its result."""
        pending = [self]
        while pending:
            access = pending[-1]
            before = [a for a in access.after if not a.done]
            if before and not access.done:
                pending += before
                continue
            pending.pop()
            if not access.done:
                access.result = access.run()
                access.done, access.after = True, ()
        return self.result


#: What a token comes after.
Token = tuple[Access, ...]


class Order:
    """The memory operations of one tile block, in program order."""

    def __init__(self, chance: random.Random | None):
        self._chance = chance
        self._waiting: list[Access] = []

    def add(self, run: Callable[[], Any], after: Token = ()) -> Access:
        """Adds an operation that comes after those of a token."""
        access = Access(run, tuple(a for a in after if not a.done))
        if self._chance is None:
            access.finish()
        else:
            self._waiting.append(access)
            while self._waiting and self._chance.random() < 0.5:
                self._finish_any(self._chance)
        return access

    def finish(self) -> None:
        """Performs all pending operations at the end of the block."""
        while self._chance is not None and self._waiting:
            self._finish_any(self._chance)

    def _finish_any(self, chance: random.Random) -> None:
        place = chance.randrange(len(self._waiting))
        self._waiting[place].finish()
        self._waiting = [a for a in self._waiting if not a.done]
