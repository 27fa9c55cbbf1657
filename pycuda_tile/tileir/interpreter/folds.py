"""Reductions and scans: fold a function along an axis, from the first element to the last.

The first element is the initial accumulator, as 8.3.19 allows, and not the identity: so do the header and
NVIDIA's compiler. It matters where the identity is not one: -inf of the maximum beside NaN, 0.0 of the sum
beside -0.0, and the -1 that NVIDIA's front end gives the minimum of signed integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

Tiles = list[np.ndarray]
#: Maps an accumulator and an element for each operand, interleaved, to the next accumulators.
Body = Callable[[Tiles], Tiles]


def reduce(body: Body, operands: Sequence[np.ndarray], dim: int) -> Tiles:
    """Each operand folded along axis `dim`, which the results no longer have."""
    *_, last = _states(body, operands, dim, reverse=False)
    return last


def scan(body: Body, operands: Sequence[np.ndarray], dim: int, reverse: bool) -> Tiles:
    """The partial results of the fold at each position of axis `dim`; from the end with `reverse`."""
    states = list(_states(body, operands, dim, reverse))
    if reverse:
        states.reverse()
    return [np.stack(parts, dim) for parts in zip(*states, strict=True)]


def one_by_one(body: Body) -> Body:
    """Turns a body that takes only zero-dimensional tiles into one for tiles of any shape."""

    def of_tiles(arguments: Tiles) -> Tiles:
        shape = arguments[0].shape
        results: Tiles = []
        for place in np.ndindex(shape):
            parts = body([np.asarray(argument[place]) for argument in arguments])
            results = results or [np.empty(shape, part.dtype) for part in parts]
            for result, part in zip(results, parts, strict=True):
                result[place] = part
        return results

    return of_tiles


def _states(body: Body, operands: Sequence[np.ndarray], dim: int, reverse: bool) -> Iterator[Tiles]:
    moved = [np.moveaxis(operand, dim, 0) for operand in operands]
    elements = [[np.asarray(operand[place]) for operand in moved] for place in range(moved[0].shape[0])]
    accumulators, *rest = reversed(elements) if reverse else elements
    yield accumulators
    for current in rest:
        pairs = zip(accumulators, current, strict=True)
        accumulators = body([tile for pair in pairs for tile in pair])
        yield accumulators
