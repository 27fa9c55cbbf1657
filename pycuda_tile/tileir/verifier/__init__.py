"""verify(): checks that a module follows the rules of Tile IR.

The row of an operation in tables/operations.tsv lists its rules, and tables/rules.tsv says what each means.
Each rule is a function of the same name in this package.
"""

from __future__ import annotations

import weakref

from ..module import Module, check_module
from .errors import VerifyError
from .walk import Walk

__all__ = ["VerifyError", "verify", "verify_once"]

_verified: weakref.WeakSet[Module] = weakref.WeakSet()


def verify(m: Module) -> None:
    """Raises VerifyError, with operation, line and rule, if the module m breaks a rule of chapter 8."""
    check_module(m)
    Walk(m).run()


def verify_once(m: Module) -> None:
    """Like verify, but does nothing if this module has already been found valid."""
    check_module(m)
    if m not in _verified:
        verify(m)
        _verified.add(m)
