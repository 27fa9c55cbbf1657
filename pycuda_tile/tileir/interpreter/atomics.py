"""Atomic updates, applied to one element after another in row-major order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import floats, integers
from .memory import Memory
from .report import Report


def _ignore(kind: str, message: str) -> None:
    """Ignores overflow: the sums of atomic updates wrap."""


#: What replaces the old value, by the name of the mode.
MODES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "and": integers.andi,
    "or": integers.ori,
    "xor": integers.xori,
    "add": lambda old, arg: integers.addi(old, arg, "none", _ignore),
    "addf": lambda old, arg: floats.addf(old, arg, "nearest_even", False),
    "max": lambda old, arg: _extremum(old, arg, integers.maxi, floats.maxf, "signed"),
    "min": lambda old, arg: _extremum(old, arg, integers.mini, floats.minf, "signed"),
    "umax": lambda old, arg: integers.maxi(old, arg, "unsigned"),
    "umin": lambda old, arg: integers.mini(old, arg, "unsigned"),
    "xchg": lambda old, arg: arg,
}


def update(
    memory: Memory, addresses: np.ndarray, arg: np.ndarray, mask: np.ndarray, mode: str, report: Report
) -> np.ndarray:
    """Replace each element by mode(old, arg); returns the old ones, zero where the mask is false."""
    return _each(
        memory, addresses, mask, np.zeros_like(arg), report, lambda old, at: MODES[mode](old, arg[at])
    )


def compare_exchange(
    memory: Memory, addresses: np.ndarray, cmp: np.ndarray, val: np.ndarray, mask: np.ndarray, report: Report
) -> np.ndarray:
    """Replace each element that equals cmp bit for bit by val; returns the old
    ones, cmp where the mask is false."""

    def replace(old: np.ndarray, at: tuple[int, ...]) -> np.ndarray:
        return val[at] if old.tobytes() == cmp[at].tobytes() else old

    return _each(memory, addresses, mask, cmp, report, replace)


def _each(
    memory: Memory,
    addresses: np.ndarray,
    mask: np.ndarray,
    otherwise: np.ndarray,
    report: Report,
    replace: Callable[[np.ndarray, tuple[int, ...]], np.ndarray],
) -> np.ndarray:
    """Two elements of a tile may share an address, so each is read after the previous one is written."""
    result = np.array(otherwise)
    mask = np.broadcast_to(mask, addresses.shape)
    one = np.ones((), bool)
    for at in np.ndindex(addresses.shape):
        if mask[at]:
            address = np.asarray(addresses[at])
            old = memory.load(address, result.dtype, one, np.zeros((), result.dtype), report)
            result[at] = old
            memory.store(address, np.asarray(replace(old, at), result.dtype), one, report)
    return result


def _extremum(
    old: np.ndarray, arg: np.ndarray, of_integers: Callable, of_floats: Callable, sign: str
) -> np.ndarray:
    if old.dtype.kind == "i":
        return of_integers(old, arg, sign)
    return of_floats(old, arg, False, False)
