"""Every element type at every rank from 0 to 4, in tiles that are held in different ways, on all targets.

Each case is a chain of operations of one chapter, so that each one works on the result of another; the final
result must equal the reference's exactly. The default run takes a twelfth of the cases and `--wide` another
third, different ones for each type and target, which together cover all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from cases import CPP_TYPES, Case, assert_same_bits, portion_of, run, shape_text
from targets import ALL
from values import BOOL, FLOATS, INTEGERS, SMALL_FLOATS, mixed

from pycuda_tile import reference
from pycuda_tile.compilers import nvrtc

# Fewer elements than threads, equally many, and more; lengths of 1 at either end.
SHAPES = [
    [()],
    [(1,), (4,), (32,), (256,)],
    [(1, 1), (2, 16), (64, 1), (1, 64), (16, 32)],
    [(2, 1, 2), (4, 8, 16), (1, 32, 1)],
    [(2, 2, 2, 2), (1, 4, 2, 16), (8, 1, 4, 8)],
]


def _values(dtype: np.dtype, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Extreme values; for integers, only those whose sums and negations are defined."""
    size = int(np.prod(shape, dtype=int))
    values = mixed(dtype, size, seed)
    if np.issubdtype(dtype, np.integer):
        values = (values // 4 + (dtype.kind == "i" and 1)).astype(dtype)
    return values.reshape(shape)


def _elementwise(dtype: np.dtype, shape: tuple[int, ...]) -> Iterator[tuple[Case, np.ndarray]]:
    x, y = (_values(dtype, shape, seed) for seed in (1, 2))
    with np.errstate(all="ignore"):
        least = reference.min(x, y)
        yield _case("ct::min(x0, x1)", [x, y], least)
        yield _case("ct::select(x0 < x1, x0, x1)", [x, y], reference.select(reference.less(x, y), x, y))
        yield _case("ct::add(x0, x1)", [x, y], reference.add(x, y))
        yield _case("x0 == ct::max(x0, x1)", [x, y], reference.equal(x, reference.max(x, y)))


def _along(dtype: np.dtype, shape: tuple[int, ...], d: int) -> Iterator[tuple[Case, np.ndarray]]:
    """Operations along a dimension."""
    x, y = (_values(dtype, shape, seed) for seed in (3, 4))
    yield _case(f"ct::reduce_max<{d}>(x0)", [x], reference.reduce_max(x, d))
    yield _case(f"ct::any_of(x0 < x1, {d}_ic)", [x, y], reference.any_of(reference.less(x, y), d))
    yield _case(f"ct::cat(x0, x1, {d}_ic)", [x, y], reference.cat(x, y, d))
    ones = np.ones(shape, dtype)
    if dtype != BOOL:  # sums of few ones are exact in every type
        ones[shape[d] > 128 :] = 0
        yield _case(f"ct::partial_sum<{d}>(x0)", [ones], reference.partial_sum(ones, d))
    half = tuple(n // 2 if k == d and n > 1 else n for k, n in enumerate(shape))
    index = [int(k == d and shape[d] > 1) for k in range(len(shape))]
    arguments = ", ".join(map(str, index))
    yield _case(
        f"ct::extract(x0, {shape_text(half)}{{}}, {arguments})", [x], reference.extract(x, half, *index)
    )


def _shaped(dtype: np.dtype, shape: tuple[int, ...]) -> Iterator[tuple[Case, np.ndarray]]:
    x = _values(dtype, shape, 5)
    rank, size = len(shape), x.size
    order = [*range(1, rank), 0]
    mapping = ", ".join(f"{k}_ic" for k in order)
    if rank:
        expected = reference.permute(x, tuple(order))
        yield _case(f"ct::permute(x0, ct::dimension_map{{{mapping}}})", [x], expected)
        yield _case(f"ct::reshape<ct::shape<{size}>>(x0)", [x], reference.reshape(x, (size,)))
    wide = (4, *(n if n > 1 else 2 for n in shape)) if rank < 4 else tuple(n if n > 1 else 2 for n in shape)
    yield _case(f"ct::broadcast<{shape_text(wide)}>(x0)", [x], reference.broadcast(x, wide))
    yield _case(f"ct::full<ct::tile<{CPP_TYPES[dtype]}, {shape_text(wide)}>>(1)", [], np.ones(wide, dtype))


def _case(expression: str, inputs: list[np.ndarray], expected: np.ndarray) -> tuple[Case, np.ndarray]:
    expected = np.asarray(expected)
    return Case(expression, inputs, expected.shape, expected.dtype), expected


def _cases(dtype: np.dtype, rank: int) -> Iterator[tuple[Case, np.ndarray]]:
    for shape in SHAPES[rank]:
        yield from _elementwise(dtype, shape)
        yield from _shaped(dtype, shape)
        for d in range(rank):
            yield from _along(dtype, shape, d)


DTYPES = [BOOL, *INTEGERS, *FLOATS, *SMALL_FLOATS]


@pytest.mark.sampled(24)
@pytest.mark.parametrize("portion", ["some", pytest.param("a third", marks=pytest.mark.wide)])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_agrees_with_reference(dtype, portion, target):
    if dtype in SMALL_FLOATS and not nvrtc.include_dirs():
        pytest.skip('needs cuda_fp16.h: pip install -e ".[gpu]"')
    every = [entry for rank in range(5) for entry in _cases(dtype, rank)]
    dtype_number, target_number = DTYPES.index(dtype), list(ALL.values()).index(target)
    if portion == "some":
        made = portion_of(every, "some", 12, dtype_number + 3 * target_number)
    else:
        made = portion_of(every, "some", 3, dtype_number + target_number)
    assert len(made) > 12
    run([case for case, _ in made], target, options=("-O0",))
    for case, expected in made:
        assert_same_bits(case, expected)
