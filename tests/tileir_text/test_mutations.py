"""Mutated text: each mutation of a module soon gives a module or a ParseError, and nothing else. A module is
printed as text that can be read again, and it is written or rejected."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from chapter_examples import EXAMPLES

from pycuda_tile import tileir

MODULES = {path.stem: path.read_text() for path in (Path(__file__).parent / "modules").glob("*.mlir")}
TEXTS = EXAMPLES | MODULES
_PIECE = re.compile(r"//[^\n]*|%[\w#.]+|\"[^\"]*\"|\d+|\w+|\s+|.", re.DOTALL)
_ALL = sorted({piece for text in TEXTS.values() for piece in _PIECE.findall(text) if not piece.isspace()})
_STRANGE = [
    "\0",
    "é",
    "\U0001f600",
    '"',
    "%",
    "@",
    "-1",
    "1e999",
    "0x",
    "0xFFFFFFFFFFFFFFFFFF",
    "?",
    "9" * 30,
]
_STRANGE += [
    "tile<",
    "tile<2147483648xf32>",
    "tile<1x1x1x1x1x1x1x1x1xf32>",
    "ptr<ptr<f32>>",
    '"0x00"',
    "\\",
    "loc(",
    "loc(unknown)",
    'loc("f.cu":1:2)',
    "{a.b = 1}",
    "^bb0:",
    '"addi"',
    '"cuda_tile.loop"',
]


def mutated(text: str, rng: random.Random) -> str:
    """`text` with a few pieces dropped, doubled, swapped or replaced by others, or with its end cut off."""
    pieces = _PIECE.findall(text)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        i, j = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        kind = rng.randrange(6)
        if kind == 0:
            pieces[i] = ""
        elif kind == 1:
            pieces[i] *= 2
        elif kind == 2:
            pieces[i], pieces[j] = pieces[j], pieces[i]
        elif kind == 3:
            pieces[i] = rng.choice(_ALL)
        elif kind == 4:
            pieces[i] = rng.choice(_STRANGE)
        else:
            at = rng.randrange(len(pieces[i]) + 1)
            pieces[i] = pieces[i][:at] + rng.choice("<>[](){}%@,:=-x?0129a \n") + pieces[i][at:]
    found = "".join(pieces)
    return found[: rng.randrange(len(found) + 1)] if rng.random() < 0.05 else found


@pytest.mark.parametrize("name", TEXTS)
def test_mutations_end_in_a_module_or_in_an_error_with_its_place(name: str) -> None:
    rng = random.Random(name)
    for _ in range(150):
        text = mutated(TEXTS[name], rng)
        try:
            module = tileir.parse(text)
        except tileir.ParseError as error:
            lines = text.split("\n")
            assert 1 <= error.line <= len(lines), text
            assert 1 <= error.column <= len(lines[error.line - 1]) + 1, text
            assert f"line {error.line}, column {error.column}: " in str(error), text
            continue
        printed = str(module)
        again = tileir.parse(printed)
        assert tileir.equal(again, module) and str(again) == printed, text
        try:
            data = tileir.write_bytecode(module)
        except tileir.BytecodeError:
            continue
        assert tileir.equal(tileir.read_bytecode(data), module), text


def test_every_beginning_of_a_text() -> None:
    text = EXAMPLES["break-0"]
    for end in range(len(text.rstrip()) - 1):
        if text[:end].strip():
            with pytest.raises(tileir.ParseError):
                tileir.parse(text[:end])
