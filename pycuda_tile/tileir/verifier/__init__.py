"""verify(): whether a module keeps the rules of Tile IR.

What an operation must have stands in its row of tables/operations.tsv, what a rule means in tables/rules.tsv;
each rule is a function of its name here.
"""

from __future__ import annotations

import weakref

from ..module import Module, check_module
from .errors import VerifyError
from .walk import Walk

__all__ = ["VerifyError", "verify", "verify_once"]

_verified: weakref.WeakSet[Module] = weakref.WeakSet()


def verify(m: Module) -> None:
    """Raises VerifyError, with operation, line and rule, where a module breaks a rule of chapter 8."""
    check_module(m)
    Walk(m).run()


def verify_once(m: Module) -> None:
    """As verify, unless this module has been found in order before."""
    check_module(m)
    if m not in _verified:
        verify(m)
        _verified.add(m)
