"""What NVIDIA's compiler made of compiled/*.cu: read, printed as its disassembler prints it, written, run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk

FOLDER = Path(__file__).parent / "compiled"


@pytest.fixture(scope="module")
def module() -> tileir.Module:
    return tileir.read_bytecode((FOLDER / "api_13_5.tileir").read_bytes())


def lines(text: str) -> list[str]:
    """The lines without names of values and runs of blanks."""
    text = re.sub(r"^(\s*)%[^=]*= ", r"\1", text, flags=re.M)
    text = re.sub(r"%[\w$.-]+(#\d+)?", "%", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]


def test_text(module: tileir.Module) -> None:
    tileir.verify(module)
    text = (FOLDER / "api_13_5.txt").read_text()
    assert lines(module.text(locations=False)) == lines(text)
    assert tileir.equal(tileir.parse(text), module)
    used = {op.name for entry in module.entries for op in walk(entry.body)}
    newer = {"alloca", "make_strided_view", "make_gather_scatter_view", "atomic_red_view_tko", "insert"}
    assert used >= {*newer, "fpowi", "pack", "mmaf_scaled"}


def test_bytes(module: tileir.Module) -> None:
    assert tileir.write_bytecode(module, "13.5") == (FOLDER / "api_13_5.tileir").read_bytes()
    lowest = tileir.write_bytecode(module)
    assert lowest[8:10] == bytes((13, 4))  # for the flags `inbounds`
    assert tileir.equal(tileir.read_bytecode(lowest), module)
    with pytest.raises(tileir.BytecodeError, match=r"bytecode 13\.3 cannot hold .* it needs version 13\.4"):
        tileir.write_bytecode(module, "13.3")


@pytest.mark.parametrize("way", ["interpret", "cpu", pytest.param("fused", marks=pytest.mark.wide)])
@pytest.mark.parametrize("values, count, expected", [
    ([1, 2, 9, 0], 4, [1, 2, 5, 0]),
    ([1, 3, 9, 0], 4, [1, 3, 9, 0]),
    ([9, 1, 7, 0], 1, [9, 11, 7, 0]),
    ([1, 1, 7, 0], 1, [1, 11, 7, 0]),
    ([9, 9, 7, 0], 2, [9, 19, 7, 0]),
])  # fmt: skip
def test_control_flow(module: tileir.Module, way: str, values: list, count: int, expected: list) -> None:
    """`return` in a loop, `switch`, and an array that is indexed at run time."""
    (name,) = (entry.name for entry in module.entries if "control" in entry.name)
    array = np.array(values, np.int32)
    only = tileir.Module([e for e in module.entries if e.name == name], module.globals, module.version)
    if way == "interpret":
        tileir.interpret(only, name, 1, array, count)
    else:
        how = {"optimize": "auto"} if way == "fused" else {"options": ("-O1",)}
        tileir.build(only, **how).kernel(name)[1](array, count)
    assert array.tolist() == expected
