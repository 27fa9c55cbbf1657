"""`run`: each way to run a module that gives one result."""

import pytest

from pycuda_tile import tileir


def run_interpreter(module, grid, *arguments) -> None:
    tileir.interpret(module, "kernel", grid, *arguments)


def run_shuffled(module, grid, *arguments) -> None:
    tileir.interpret(module, "kernel", grid, *arguments, seed=7)


def run_built(module, grid, *arguments) -> None:
    tileir.build(module, options=("-O1",)).kernel("kernel")[grid](*arguments)


@pytest.fixture(params=[run_interpreter, run_shuffled, run_built], ids=["interpret", "shuffled", "cpu"])
def run(request):
    return request.param
