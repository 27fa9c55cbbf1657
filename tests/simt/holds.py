"""Checks conditions on the header's compile-time functions by running them, since compilers take minutes to
evaluate what runs in milliseconds."""

from __future__ import annotations

import numpy as np

import pycuda_tile as pct


def broken(source: str, conditions: dict[str, str], threads: int, options: tuple[str, ...] = ()) -> list[str]:
    """The names of the conditions (C++ expressions over `source`) that fail with this number of threads."""
    lines = "\n".join(f"  holds[{i}] = {condition};" for i, condition in enumerate(conditions.values()))
    one = "if (ct::platform::thread() != 0)\n    return;"
    source += f"__tile_global__ void test(bool* holds) {{\n  {one}\n{lines}\n}}\n"
    module = pct.build(source, target="emulated", num_threads=threads, options=("-O0", *options))
    holds = np.zeros(len(conditions), bool)
    module.kernel("test")[1](holds)
    return [name for name, held in zip(conditions, holds, strict=True) if not held]
