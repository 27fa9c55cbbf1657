"""Random control flow by the open front end, interpreted, against the same programs in Python."""

from __future__ import annotations

import numpy as np
import pytest
from open_front_end import module
from random_control_flow import HEAD, Program

from pycuda_tile import tileir
from pycuda_tile.tileir.cxx import compiler

INPUTS = [(0, 0, 0, 0), (3, 7, 4, 2), (1, 4, -2, 3)]


@pytest.mark.parametrize(
    "batch", [0, 1, *(pytest.param(b, marks=pytest.mark.wide) for b in range(2, 80))]
)  # 3 programs each, as clang reads the header once
def test_random_control_flow(batch: int, monkeypatch: pytest.MonkeyPatch):
    if batch % 2:  # loops as LLVM makes them of its own accord
        monkeypatch.setattr(compiler, "_LOOP_FLAGS", [])
    programs = [Program(1000 * batch + i, arrays=batch % 4 < 2) for i in range(3)]
    made = module(HEAD + "".join(map(str, programs)))
    for program, entry in zip(programs, made.entries, strict=True):
        assert entry.expression in ("", program.name)
        for numbers in INPUTS:
            y, expected = np.arange(64, dtype=np.uint32), np.arange(64, dtype=np.uint32)
            program.run(expected, *numbers)
            tileir.interpret(tileir.Module([entry], []), entry.name, 1, y, *numbers)
            assert list(y) == list(expected), (program.name, numbers)
