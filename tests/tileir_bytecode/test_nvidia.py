"""NVIDIA's tools accept what write_bytecode writes: the disassembler sees the same, tileiras assembles it."""

from __future__ import annotations

import functools
import importlib
import inspect
from pathlib import Path

import pytest
from bytecode_operations import OPERATIONS, module
from nvidia_tools import disassembled, folder

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.targets.tile.assembling import assemble
from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.versions import VERSIONS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: mixed.cu is not a tile program but ordinary CUDA with tile code in it. The others can all be built.
SOURCES = [path.stem for path in sorted(EXAMPLES.glob("*.cu")) if path.stem != "mixed"]


@pytest.mark.parametrize("version", [f"{major}.{minor}" for major, minor in VERSIONS])
def test_the_disassembler_says_the_same(version: str, tmp_path: Path) -> None:
    """All operations of the version, with an entry for each."""
    names = [name for name, (_, needed) in OPERATIONS.items() if needed <= version]
    written = module(*names)
    text = disassembled(tileir.write_bytecode(written, version), tmp_path)
    for name in names:
        assert f"entry @{name}(" in text
    assert tileir.equal(tileir.parse(text), written)


@functools.cache
def front_end(name: str) -> bytes:
    """The bytecode of an example's kernels."""
    example = importlib.import_module(name)
    kernels: tuple[str, ...] = ()
    if hasattr(example, "problem"):
        words = {"dtype": "float16", "causal": True}
        sizes = [words.get(name, 32) for name in inspect.signature(example.problem).parameters]
        kernels = example.problem(*sizes).kernels
    try:
        return pct.build(EXAMPLES / f"{name}.cu", target="tile", arch="sm_100", kernels=kernels).tileir
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SOURCES)
def test_example(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Compiled from C++ by NVIDIA's front end, read and written again: the disassembler prints the same."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    data = front_end(name)
    m = tileir.read_bytecode(data)
    assert m.entries and m.producer and m.version == (13, data[9])
    text = disassembled(data, tmp_path)
    assert tileir.equal(tileir.parse(text), m)
    assert tileir.write_bytecode(m, (13, data[9])) == data
    lowest = tileir.write_bytecode(m)
    for minor in range(lowest[9], VERSIONS[-1][1] + 1):
        written = tileir.write_bytecode(m, (13, minor))
        assert tileir.equal(tileir.read_bytecode(written), m)
    assert disassembled(lowest, tmp_path) == text
    # With locations: of the file written, of the disassembler's text, and of our text.
    located = disassembled(data, tmp_path, "-g")
    assert "#cuda_tile.di_subprogram" in located
    printed = str(m)
    assert str(tileir.parse(printed)) == printed
    for again in (m, tileir.parse(located), tileir.parse(printed)):
        assert tileir.equal(again, m)
        assert disassembled(tileir.write_bytecode(again, "13.5"), tmp_path, "-g") == located


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arch", ["sm_90", "sm_100"])
@pytest.mark.parametrize("name", ["vector_add", "softmax", "matmul", "histogram", "attention"])
def test_example_is_assembled(name: str, arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    folder()
    written = tileir.write_bytecode(tileir.read_bytecode(front_end(name)))
    assert assemble(written, arch).startswith(b"\x7fELF")


@pytest.mark.parametrize("version", ["13.1", "13.3", "13.5"])
def test_every_operation_is_assembled(version: str) -> None:
    folder()
    names = [name for name, (_, needed) in OPERATIONS.items() if needed <= version]
    assert assemble(tileir.write_bytecode(module(*names), version), "sm_100").startswith(b"\x7fELF")


def test_lines_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for operations that were inlined, and for those in a loop."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    source = (EXAMPLES / "matmul.cu").read_text().splitlines()
    (entry,) = tileir.read_bytecode(front_end("matmul")).entries
    found = {op.name: source[op.line - 1] for op in walk(entry.body) if op.line}
    assert "mma(" in found["mmaf"]
    assert "load" in found["load_view_tko"] and "store" in found["store_view_tko"]
