"""Runs the examples of the reference; `python example_runs.py WORD ...` writes what they print into files.

The kernels of many examples stand in one source, so that a compiler reads the header once for all.
"""

from __future__ import annotations

import contextlib
import functools
import io
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.development.reference import examples
from pycuda_tile.development.reference.examples import Argument, Example
from pycuda_tile.spec.element_types import CXX_TYPES, TILEIR_TYPES, ElementType


def batches(kind: str, size: int = 40) -> list[object]:
    """The examples of a folder as parameters of a test, many at a time.

    What differs from the main branch runs by default, and of the rest one batch, another one for each commit.
    """
    found, old = examples.load(kind), _on_main(kind)
    new = cut([example for example in found if example not in old], size)[:2]
    rest = cut(found, size)
    chosen = zlib.crc32(_git("rev-parse", "HEAD").encode()) % len(rest)
    return [pytest.param(batch, id=f"changed-{batch[0].place}") for batch in new] + [
        pytest.param(batch, id=batch[0].place, marks=() if number == chosen else pytest.mark.wide)
        for number, batch in enumerate(rest)
    ]


def cut(found: Sequence[Example], size: int) -> list[Sequence[Example]]:
    """Examples in batches."""
    return [found[start : start + size] for start in range(0, len(found), size)]


def _on_main(kind: str) -> set[Example]:
    """The examples where this branch began; all where git or the branch is absent."""
    base = _git("merge-base", "HEAD", "main") or _git("merge-base", "HEAD", "origin/main")
    if not base:
        return set(examples.load(kind))
    names = [path.name for path in (examples.FOLDER / kind).glob("*.txt")]
    texts = {name: _git("show", f"{base}:docs/reference/examples/{kind}/{name}") for name in names}
    return {example for name, text in texts.items() for example in examples.parse(text, name)}


def _git(*arguments: str) -> str:
    if not shutil.which("git"):
        return ""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=examples.FOLDER, capture_output=True, text=True).stdout.strip()


def run(batch: Sequence[Example], target: str = "cpu") -> list[str]:
    """What each of these examples in C++ prints."""
    kernels = [examples.source(number, example) for number, example in enumerate(batch)]
    module = pct.build("\n".join([examples.HEAD, *kernels]), target=target, optimize=False)
    return [
        _printed(example, CXX_TYPES, module.kernel(f"example_{number}")[_grid(example)])
        for number, example in enumerate(batch)
    ]


def interpret(example: Example) -> str:
    """What an example in Tile IR prints."""
    module = tileir.parse(examples.module(example))
    tileir.verify(module)
    launch = functools.partial(tileir.interpret, module, "example", _grid(example))
    return _printed(example, TILEIR_TYPES, launch)


def _grid(example: Example) -> int:
    return int(example.grid or 1)


def _printed(example: Example, types: Mapping[str, ElementType], launch: Callable[..., object]) -> str:
    values = [_value(argument, types) for argument in example.arguments]
    before = [np.copy(value) for value in values]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        launch(*values)
    return printed.getvalue() + changes(example.arguments, before, values)


def _value(argument: Argument, types: Mapping[str, ElementType]) -> object:
    numbers = [float(text) if "." in text else int(text) for text in argument.values]
    return np.array(numbers).astype(types[argument.type].dtype) if argument.pointer else numbers[0]


def changes(arguments: Iterable[Argument], before: Sequence[object], after: Sequence[object]) -> str:
    """A line for each array that is not as it was."""
    lines = []
    for argument, old, new in zip(arguments, before, after, strict=True):
        if argument.pointer and np.asarray(old).tobytes() != np.asarray(new).tobytes():
            numbers = ", ".join(format(number, "g") for number in np.asarray(new).tolist())
            lines.append(f"{argument.name} = {{{numbers}}}\n")
    return "".join(lines)


def write(words: Sequence[str]) -> None:
    """Puts what the examples print into the files whose names contain one of these words."""
    for path in sorted(examples.FOLDER.glob("*/*.txt")):
        if any(word in str(path) for word in words):
            found = list(examples.parse(path.read_text(encoding="utf-8"), path.name))
            outputs = run(found) if path.parent.name == "cpp" else map(interpret, found)
            parts = [_with_output(example, output) for example, output in zip(found, outputs, strict=True)]
            path.write_text("".join(parts), encoding="utf-8")


def _with_output(example: Example, output: str) -> str:
    parts = {**example.parts, "prints": output.rstrip("\n")}
    lines = [f"=== {' '.join(example.entities)}"]
    for name in ("with", "grid", "before", "code", "prints"):
        if text := parts.get(name):
            lines += [f"--- {name}"] * (name != "code" or len(lines) > 1) + [text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    write(sys.argv[1:])
