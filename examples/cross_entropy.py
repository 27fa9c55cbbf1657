"""The cross-entropy of scores and labels with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, parse, random


def cross_entropy(scores: np.ndarray, labels: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy."""
    most = scores.max(axis=1)
    log_sum = most + np.log(np.exp(scores - most[:, None]).sum(axis=1))
    return np.where(labels < 0, 0, log_sum - scores[np.arange(len(labels)), labels])


def problem(rows: int, classes: int, dtype: str) -> Problem:
    """Random scores, and random labels of which every seventh is to be ignored."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, rows, dtype=np.int32)
    labels[6::7] = -1
    return Problem(
        kernel=f"cross_entropy<{CPP_NAMES[dtype]}>",
        arrays=(random(rng, (rows, classes), dtype), labels, np.empty(rows, np.float32)),
        launch=lambda kernel, scores, labels, loss: kernel[rows](scores, labels, loss, rows, classes),
        numpy=cross_entropy,
        tolerance=2e-6,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, dtype="bfloat16", rows=1000, classes=2000)
    return build_and_run(
        "cross_entropy", options.target, problem(options.rows, options.classes, options.dtype)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
