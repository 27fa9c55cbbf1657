"""[2.3.7 to 2.3.18] Changing the shape or order of tiles, and selecting among tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from .conversions import as_operand, convert, is_tile


def reshape(x: Any, shape: tuple[int, ...]) -> np.ndarray:
    """[2.3.7] The elements in row-major order as a tile of `shape`, which has as many."""
    return np.reshape(as_operand(x), shape).copy()


def permute(x: Any, dimensions: tuple[int, ...]) -> Any:
    """[2.3.9] Dimension i of the result is dimension `dimensions[i]` of x."""
    x = as_operand(x)
    return np.transpose(x, dimensions).copy() if is_tile(x) else x


def transpose(x: Any) -> Any:
    """[2.3.11] The first two dimensions interchanged; x itself if it has fewer."""
    x = as_operand(x)
    return np.swapaxes(x, 0, 1).copy() if is_tile(x) and x.ndim >= 2 else x


def broadcast(x: Any, shape: tuple[int, ...]) -> np.ndarray:
    """[2.3.18] x repeated along its dimensions of length 1, and along new ones in front."""
    return np.broadcast_to(as_operand(x), shape).copy()


def cat(x: np.ndarray, y: np.ndarray, dim: int) -> np.ndarray:
    """[2.3.14] x followed by y along dim; they agree in element type, rank and the other lengths."""
    if x.dtype != y.dtype:
        raise TypeError(f"element types must be the same, they are {x.dtype.name} and {y.dtype.name}")
    return np.concatenate([x, y], axis=dim)


def select(condition: Any, lhs: Any, rhs: Any) -> Any:
    """[2.3.15] Elements of lhs where the condition is true, of rhs elsewhere.

    lhs and rhs have one type and shape; the condition is converted to bool and broadcast to it.
    """
    lhs, rhs = as_operand(lhs), as_operand(rhs)
    if lhs.dtype != rhs.dtype or lhs.shape != rhs.shape or is_tile(lhs) != is_tile(rhs):
        raise TypeError(
            f"lhs and rhs must have one type and shape, they are {lhs.dtype.name} of {lhs.shape} "
            f"and {rhs.dtype.name} of {rhs.shape}"
        )
    mask = np.broadcast_to(convert(as_operand(condition), bool), lhs.shape)
    result = np.where(mask, lhs, rhs)
    return result if is_tile(lhs) else result[()]


def insert(x: np.ndarray, part: np.ndarray, *index: int) -> np.ndarray:
    """[13.5] x with the partition `index` of the part's shape replaced by the part; see extract."""
    extract(x, part.shape, *index)
    result = x.copy()
    places = (slice(i * n, (i + 1) * n) for i, n in zip(index, part.shape, strict=True))
    result[tuple(places)] = convert(part, x.dtype)
    return result


def extract(x: np.ndarray, shape: tuple[int, ...], *index: int) -> np.ndarray:
    """[2.3.17] Partition `index` of x when x is divided into partitions of `shape`.

    Raises UndefinedBehaviorError (extract-bounds) if there is no such partition.
    """
    if (
        len(shape) != x.ndim
        or len(index) != x.ndim
        or any(n % s for n, s in zip(x.shape, shape, strict=True))
    ):
        raise TypeError(f"{shape} and {len(index)} indices do not partition a tile of {x.shape}")
    starts = [i * s for i, s in zip(index, shape, strict=True)]
    if not all(0 <= start < n for start, n in zip(starts, x.shape, strict=True)):
        raise UndefinedBehaviorError(f"partition {index} of a tile of {x.shape}", kind="extract-bounds")
    return x[tuple(slice(start, start + s) for start, s in zip(starts, shape, strict=True))].copy()
