"""Kernel programs, the manual's examples and random programs by the open front end, interpreted."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from open_front_end import Interpreted, module
from random_draft import HEAD
from random_programs import Program

from pycuda_tile import tileir

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"


def sibling(name: str):
    """A file of tests/programs, whose folder is on no path."""
    spec = importlib.util.spec_from_file_location(f"programs_{name}", PROGRAMS / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


ALL = sibling("kernel_runs").ALL
RUNS = sibling("manual_runs").RUNS
KERNELS = [(name, expression) for name, kernels in ALL.items() for expression in kernels]


@pytest.mark.parametrize("file, expression", KERNELS, ids=[expression for _, expression in KERNELS])
@pytest.mark.sampled(24)
def test_kernels(file: str, expression: str):
    arguments, grid, expected = ALL[file][expression]
    source = PROGRAMS / "positive" / f"{file}.cu"
    copies = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
    Interpreted(source, include_dirs=[PROGRAMS]).kernel(expression)[grid](*copies)
    arrays = [x for x in copies if isinstance(x, np.ndarray)]
    for array, wanted in zip(arrays, expected, strict=True):
        if wanted is not None:
            np.testing.assert_array_equal(array, wanted)


@pytest.mark.wide
@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("manual/*.cu")), ids=lambda path: path.stem)
def test_manual(path: Path):
    if path.stem == "undefined":
        pytest.skip("what is undefined is not run")
    made = module(path, include_dirs=[PROGRAMS])
    names = [f"ex-{number}" for number in sorted({e.name.partition("ex_")[2][:3] for e in made.entries})]
    for name in names:
        run = RUNS[name]
        arguments = [x.before.copy() if hasattr(x, "before") else x for x in run.arguments]
        (entry,) = [e for e in made.entries if name.replace("-", "_") in e.name]
        tileir.interpret(made, entry.name, run.grid, *arguments)
        for argument, found in zip(run.arguments, arguments, strict=True):
            if hasattr(argument, "before"):
                after = argument.before if argument.after is None else argument.after
                choices = after if isinstance(after, list) else [after]
                kind = {"equal_nan": True} if found.dtype.kind == "f" else {}
                assert any(np.array_equal(found, choice, **kind) for choice in choices), name


@pytest.mark.parametrize(
    "seed", [5, *(pytest.param(s, marks=pytest.mark.wide) for s in range(120) if s != 5)]
)
def test_random_programs(seed: int):
    program = Program(seed)
    name = f"program_{seed}"
    program.launch(Interpreted(HEAD + str(program)).kernel(name))
