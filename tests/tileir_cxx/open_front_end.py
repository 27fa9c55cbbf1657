"""What the open front end makes of sources, checked: verified, written and read in both forms."""

from __future__ import annotations

from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile import tileir


def module(source: str | Path, *kernels: str, **arguments) -> tileir.Module:
    """A module, as it comes back from bytecode."""
    try:
        made = tileir.from_cpp(source, kernels=kernels, **arguments)
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))  # it says what to install
    tileir.verify(made)
    assert tileir.equal(tileir.parse(str(made)), made)
    read = tileir.read_bytecode(tileir.write_bytecode(made))
    assert tileir.equal(read, made)
    for entry, written in zip(read.entries, made.entries, strict=True):
        # Which bytecode has no place for.
        entry.expression, entry.others = written.expression, written.others
    return read


class Interpreted:
    """A source in the place of a built module: kernels are translated, and interpreted when launched."""

    target = "cpu"  # where its arrays are

    def __init__(self, source: str | Path, seed: int | None = None, **arguments):
        self._source, self._seed, self._arguments = source, seed, arguments
        self._known: dict[str, tileir.Module] = {}

    def kernel(self, expression: str) -> _Kernel:
        if expression not in self._known:
            self._known[expression] = module(self._source, expression, **self._arguments)
        return _Kernel(self._known[expression], self._seed)


class Kernels:
    """All kernels of a source, translated at once, by their names in the source; see Interpreted."""

    def __init__(self, source: str | Path, **arguments):
        made = module(source, **arguments)
        self._entries = {entry.expression: tileir.Module([entry], made.globals) for entry in made.entries}

    def __getitem__(self, name: str) -> _Kernel:
        return _Kernel(self._entries[name], None)


class _Kernel:
    def __init__(self, made: tileir.Module, seed: int | None):
        self._made, self._seed = made, seed

    def __getitem__(self, grid):
        (entry,) = self._made.entries
        return lambda *arguments: tileir.interpret(self._made, entry.name, grid, *arguments, seed=self._seed)
