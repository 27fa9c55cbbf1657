"""A layer of a mixture of experts with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build, ceildiv, parse, run

GROUP, TILE_COLUMNS = 16, 32  # as in experts.cu


def grouped(expert_of_token: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The tokens of each expert, filled up with `count`, and the expert of each group of them."""
    tokens, experts = [], []
    for expert in np.unique(expert_of_token):
        chosen = np.flatnonzero(expert_of_token == expert)
        groups = ceildiv(len(chosen), GROUP)
        tokens.append(np.pad(chosen, (0, groups * GROUP - len(chosen)), constant_values=count))
        experts += [expert] * groups
    return np.concatenate(tokens).astype(np.int32), np.array(experts, np.int32)


def experts(
    x: np.ndarray,
    weights: np.ndarray,
    tokens: np.ndarray,
    expert_of: np.ndarray,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The same in NumPy."""
    out = np.empty((len(x), weights.shape[2]), x.dtype) if out is None else out
    for group, expert in zip(tokens.reshape(-1, GROUP), expert_of, strict=True):
        chosen = group[group < len(x)]
        out[chosen] = x[chosen] @ weights[expert]
    return out


def problem(count: int, width: int, columns: int, number: int) -> Problem:
    """`count` random tokens, each for one of `number` experts."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((count, width), dtype=np.float32)
    weights = rng.standard_normal((number, width, columns), dtype=np.float32)
    tokens, expert_of = grouped(rng.integers(0, number, count), count)
    grid = (ceildiv(columns, TILE_COLUMNS), len(expert_of))
    sizes = (count, number, len(expert_of), width, columns)
    return Problem(
        kernel="experts",
        arrays=(x, weights, tokens, expert_of, np.empty((count, columns), np.float32)),
        launch=lambda kernel, *arrays: kernel[grid](*arrays, *sizes),
        numpy=experts,
        tolerance=1e-5,
        flops=2 * count * width * columns,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, tokens=1000, width=128, columns=256, experts=8)
    sizes = (options.tokens, options.width, options.columns, options.experts)
    return run(build("experts", options.target), problem(*sizes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
