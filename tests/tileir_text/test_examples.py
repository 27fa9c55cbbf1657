"""The examples of chapter 8 of the manual, each in an entry: parsed, printed, parsed again, verified, run.

Mistakes in the manual are corrected: the body argument of the first reduce, the shape of the second one's
result, and a bitcast to pointers in assume.
"""

from __future__ import annotations

import numpy as np
import pytest
from chapter_examples import EXAMPLES, FILES

from pycuda_tile import tileir
from pycuda_tile.tileir.elements import DTYPES
from pycuda_tile.tileir.ir import Pointer, walk


@pytest.mark.parametrize("name", EXAMPLES)
def test_printed_and_parsed_it_is_the_same(name: str) -> None:
    module = tileir.parse(EXAMPLES[name])
    printed = str(module)
    assert tileir.equal(tileir.parse(printed), module), printed
    assert str(tileir.parse(printed)) == printed


@pytest.mark.parametrize("name", EXAMPLES)
def test_in_a_module_with_prefixes_it_is_the_same(name: str) -> None:
    module = tileir.parse(EXAMPLES[name])
    wrapped = tileir.parse("cuda_tile.module @examples {\n" + EXAMPLES[name] + "\n}\n")
    assert tileir.equal(wrapped, module)
    assert tileir.equal(tileir.parse(str(wrapped)), wrapped)


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_is_written_and_read_as_bytecode(name: str) -> None:
    module = tileir.parse(EXAMPLES[name])
    read = tileir.read_bytecode(tileir.write_bytecode(module))
    assert tileir.equal(read, module)
    assert tileir.equal(tileir.parse(str(read)), module)


def argument(type_):
    """An array that is large enough for every example, or the number one."""
    if isinstance(type_.element, Pointer):
        return np.zeros(8192 * 128, DTYPES[type_.element.pointee.name])
    return DTYPES[type_.element.name].type(1)


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_runs(name: str, capsys) -> None:
    """Loops of the manual that continue while an always true condition holds get a 0 instead."""
    text, endless = EXAMPLES[name], name.startswith(("loop", "break"))
    module = tileir.parse("<i1: 0>".join(text.rsplit("<i1: 1>", 1)) if endless else text)
    tileir.verify(module)
    for entry in module.entries:
        tileir.interpret(module, entry.name, 1, *(argument(value.type) for value in entry.params))
    assert ("Hello world: " in capsys.readouterr().out) == (name == "print_tko-0")


def test_each_file_has_the_operation_of_its_name() -> None:
    named = {"pow": "fpowf", "optimization_hints": "return"}
    for path in FILES:
        names = {"global"} if path.stem == "global" else set()
        for text in path.read_text(encoding="utf-8").split("// -----\n"):
            names.update(op.name for entry in tileir.parse(text).entries for op in walk(entry.body))
        assert named.get(path.stem, path.stem) in names
