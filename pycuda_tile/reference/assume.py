"""[2.15] Assumptions: each yields its operand; a false one raises UndefinedBehaviorError (assumption)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from .conversions import as_operand
from .pointers import Pointers, check_pointers


def assume_blocked(x: Any, shape: tuple[int, ...]) -> Any:
    """[2.15.1] Elements are equal in each block of `shape`; blocks at the far edges may be smaller."""
    values = _values(x)
    if len(shape) != values.ndim or 0 in shape:
        raise TypeError(f"{shape} does not partition a tile of shape {values.shape} in blocks")
    first = tuple(np.arange(n) // s * s for n, s in zip(values.shape, shape, strict=True))
    return _assumed(x, values == values[np.ix_(*first)], f"equal in blocks of {shape}")


def assume_bounded(x: Any, lower: int, upper: int) -> Any:
    """[2.15.2] Integers from lower to upper."""
    return assume_bounded_above(assume_bounded_below(x, lower), upper)


def assume_bounded_above(x: Any, upper: int) -> Any:
    """[2.15.3] Integers that are at most upper."""
    return _assumed(x, _values(x) <= upper, f"at most {upper}")


def assume_bounded_below(x: Any, lower: int) -> Any:
    """[2.15.4] Integers that are at least lower."""
    return _assumed(x, _values(x) >= lower, f"at least {lower}")


def assume_divisible(x: Any, divisor: int) -> Any:
    """[2.15.5] Integers that are multiples of divisor, a power of two."""
    return _assumed(x, _values(x) % divisor == 0, f"divisible by {divisor}")


def assume_divisible_strided(x: Any, divisor: int, stride: int, dim: int) -> Any:
    """[2.15.6] Along dim, every stride-th integer is a multiple of divisor; between them, each adds 1."""
    values = _values(x)
    expected, starts = _runs(values, stride, dim)
    holds = (values == expected) & (starts % divisor == 0)
    return _assumed(x, holds, f"runs of {stride} from a multiple of {divisor} along {dim}")


def assume_aligned(x: Pointers, alignment: int) -> Pointers:
    """[2.15.7] Pointers to addresses that are multiples of alignment, a power of two."""
    check_pointers(x)
    return _assumed(x, x.addresses % alignment == 0, f"aligned to {alignment} bytes")


def assume_aligned_strided(x: Pointers, alignment: int, stride: int, dim: int) -> Pointers:
    """[2.15.8] Along dim, every stride-th pointer is aligned; those between point to successive elements."""
    check_pointers(x)
    expected, starts = _runs(x.addresses, stride, dim, x.array.itemsize)
    holds = (x.addresses == expected) & (starts % alignment == 0)
    return _assumed(x, holds, f"runs of {stride} from a multiple of {alignment} bytes along {dim}")


def _values(x: Any) -> np.ndarray:
    return np.asarray(x.index if isinstance(x, Pointers) else as_operand(x))


def _runs(values: np.ndarray, stride: int, dim: int, step: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The values that runs of length `stride` along dim have if each counts up by step, and, for each place,
    the first value of its run."""
    place = np.arange(values.shape[dim])
    starts = np.take(values, place // stride * stride, axis=dim)
    shape = [-1 if d == dim else 1 for d in range(values.ndim)]
    return starts + (place % stride * step).reshape(shape), starts


def _assumed(x: Any, holds: np.ndarray, what: str) -> Any:
    if not np.all(holds):
        index = tuple(int(i) for i in np.argwhere(~np.asarray(holds))[0])
        raise UndefinedBehaviorError(
            f"element {index} is {_values(x)[index]}: assumed to be {what}", kind="assumption", index=index
        )
    return x
