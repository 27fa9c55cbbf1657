"""The command pycuda-tile tileir: what it prints, writes and returns."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from pycuda_tile import tileir
from pycuda_tile.cli import main

TWICE = """\
module @m {
  entry @twice(%x: tile<ptr<f32>>, %factor: tile<i32>) {
    %block, %y, %z = get_tile_block_id : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %first = muli %block, %four : tile<i32>
    %row = iota : tile<4xi32>
    %f1 = reshape %first : tile<i32> -> tile<1xi32>
    %f4 = broadcast %f1 : tile<1xi32> -> tile<4xi32>
    %index = addi %row, %f4 : tile<4xi32>
    %p1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p4 = broadcast %p1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %p = offset %p4, %index : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
    %v, %t = load_ptr_tko weak %p : tile<4xptr<f32>> -> tile<4xf32>, token
    %s = itof %factor signed : tile<i32> -> tile<f32>
    %s1 = reshape %s : tile<f32> -> tile<1xf32>
    %s4 = broadcast %s1 : tile<1xf32> -> tile<4xf32>
    %w = mulf %v, %s4 : tile<4xf32>
    %u = store_ptr_tko weak %p, %w : tile<4xptr<f32>>, tile<4xf32> -> token
    return
  }
}
"""
COPY = """\
module @m {
  entry @copy(%x: tile<ptr<bf16>>, %y: tile<ptr<bf16>>) {
    %v, %t = load_ptr_tko weak %x : tile<ptr<bf16>> -> tile<bf16>, token
    %u = store_ptr_tko weak %y, %v : tile<ptr<bf16>>, tile<bf16> -> token
    return
  }
  entry @nothing() { return }
}
"""


def run(*words: object) -> int:
    try:
        return main(["tileir", *map(str, words)])
    except SystemExit as end:
        return end.code


@pytest.fixture(params=["text", "bytecode"])
def twice(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "twice"
    if request.param == "text":
        path.write_text(TWICE)
    else:
        path.write_bytes(tileir.write_bytecode(tileir.parse(TWICE)))
    return path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    path = tmp_path / "copy.mlir"
    path.write_text(COPY)
    return path


def test_print(capsys, twice: Path):
    assert run("print", twice) == 0
    assert tileir.equal(tileir.parse(capsys.readouterr().out), tileir.parse(TWICE))


def test_print_with_locations(capsys, tmp_path: Path):
    path = tmp_path / "placed.mlir"
    path.write_text('entry @k() {\n  return loc("f.cu":1:2)\n}\n')
    assert main(["tileir", "print", str(path)]) == 0
    assert capsys.readouterr().out == "entry @k() {\n  return\n}\n"
    assert main(["tileir", "print", "-g", str(path)]) == 0
    assert (
        capsys.readouterr().out == path.read_text().replace('"f.cu":1:2', "#loc") + '#loc = loc("f.cu":1:2)\n'
    )


def test_verify(capsys, twice: Path, copy: Path):
    assert run("verify", twice) == 0
    expected = f"{twice}: follows the rules, 17 operations: twice(tile<ptr<f32>>, tile<i32>)\n"
    assert capsys.readouterr().out == expected
    assert run("verify", copy) == 0
    assert "copy(tile<ptr<bf16>>, tile<ptr<bf16>>), nothing()" in capsys.readouterr().out


def test_verify_names_the_line_and_the_rule(capsys, tmp_path: Path):
    path = tmp_path / "bad.mlir"
    path.write_text(TWICE.replace("muli %block, %four : tile<i32>", "mulf %block, %four : tile<i32>"))
    assert run("verify", path) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith(f"pycuda-tile: {path}: line 5: mulf: ")
    assert run("run", path, "zeros:f32:4", 1) == 1
    assert "line 5: mulf" in capsys.readouterr().err


def test_run_changes_the_array_and_prints_it(capsys, twice: Path):
    assert run("run", twice, "arange:f32:8", 3, "--grid", 2) == 0
    expected = np.arange(8, dtype=np.float32) * 3
    head, body = capsys.readouterr().out.split("\n", 1)
    assert head.startswith("argument 1") and head.endswith("float32[8]")
    assert body == f"{expected}\n"


def test_run_saves_arrays(capsys, twice: Path, tmp_path: Path):
    source, output = tmp_path / "in.npy", tmp_path / "out.npy"
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.save(source, x)
    assert run("run", "--out", f"1={output}", twice, "--grid=3x1", source, -2, "--entry", "twice") == 0
    np.testing.assert_array_equal(np.load(output), x * -2)
    np.testing.assert_array_equal(np.load(source), x)
    assert capsys.readouterr().out == "" and len(list(tmp_path.iterdir())) == 3


def test_run_chooses_an_entry(capsys, copy: Path, tmp_path: Path):
    assert run("run", copy, "ones:bf16:1", "zeros:bf16:1") == 2
    assert "copy, nothing" in capsys.readouterr().err
    assert run("run", copy, "--entry", "nothing") == 0
    # numpy.save keeps bf16 as two bytes without a type.
    source, output = tmp_path / "x.npy", tmp_path / "y.npy"
    np.save(source, np.array(1.5, ml_dtypes.bfloat16))
    assert run("run", copy, source, "zeros:bf16:", "--entry", "copy", "--out", f"2={output}") == 0
    assert np.load(output).view(ml_dtypes.bfloat16).item() == 1.5


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("zeros:f32:4", [0, 0, 0, 0]),
        ("ones:f32:2x2", [[2, 2], [2, 2]]),
        ("arange:f32:1x4", [[0, 2, 4, 6]]),
    ],
)
def test_arrays_made_on_the_spot(spec: str, expected: list, twice: Path, tmp_path: Path):
    output = tmp_path / "out.npy"
    assert run("run", twice, spec, 2, "--out", f"1={output}") == 0
    np.testing.assert_array_equal(np.load(output), np.array(expected, np.float32), strict=True)


def test_random_arrays_are_the_same_each_time(twice: Path, tmp_path: Path):
    first, second = tmp_path / "a.npy", tmp_path / "b.npy"
    for path in (first, second):
        assert run("run", twice, "random:f32:4", 1, "--out", f"1={path}") == 0
    x = np.load(first)
    assert len(set(x.tolist())) == 4 and (x >= 0).all() and (x < 1).all()
    np.testing.assert_array_equal(x, np.load(second))


def test_undefined_behaviour_is_reported(capsys, twice: Path):
    assert run("run", twice, "ones:f32:4", 2, "--grid", 2) == 1
    assert "load_ptr_tko: block (1, 0, 0)" in capsys.readouterr().err
    assert run("run", twice, "ones:f32:4", 2, "--grid", 2, "--on-ub", "continue", "--seed", 7) == 0
    assert "[2. 2. 2. 2.]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["zeros:f32:4"], 2, "takes 2 arguments, got 1"),
        (["zeros:f33:4", "1"], 2, "'zeros:f33:4': expected a number, a file .npy, or an array"),
        (["zeros:f32:4x", "1"], 2, "expected extents such as 64"),
        (["zeros:f32:4", "1", "--grid", "2,2"], 2, "--grid: expected extents"),
        (["zeros:f32:4", "1", "--grid", "0"], 1, "grid: extents must be from 1"),
        (["zeros:f32:4", "1", "--grid", "1x1x1x1"], 1, "one to three"),
        (["zeros:f32:4", "1", "--out", "2=x.npy"], 2, "where argument N is an array: 1"),
        (["zeros:f32:4", "1", "--out", "x.npy"], 2, "expected N=FILE.npy"),
        (["zeros:f32:4", "1", "--entry", "once"], 2, "the module has twice, not once"),
        (["zeros:f32:4", "1.5"], 1, "argument 2"),
        (["zeros:f64:4", "1"], 1, "expects an array of float32, got one of float64"),
        (["zeros:f32:999999999999999999", "1"], 1, "zeros:f32:999999999999999999: "),
        (["nosuch.npy", "1"], 1, "cannot read nosuch.npy"),
        (["zeros:f32:4", "1", "--out", "1=no/such/folder.npy"], 1, "cannot write no/such/folder.npy"),
        (["zeros:f32:4", "1", "--out", "1=."], 1, "cannot write ."),
    ],
)
def test_wrong_arguments(capsys, monkeypatch, tmp_path: Path, words: list[str], code: int, message: str):
    monkeypatch.chdir(tmp_path)
    Path("twice.mlir").write_text(TWICE)
    assert run("run", "twice.mlir", *words) == code
    captured = capsys.readouterr()
    assert message in captured.err and captured.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["twice.mlir"]


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"nonsense", b"\x93NUMPY\x01\x00\xff\xff{"])
def test_files_that_are_no_array(capsys, tmp_path: Path, twice: Path, content: bytes):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    assert run("run", twice, path, 1) == 1
    assert f"{path} is not an array that numpy.save wrote" in capsys.readouterr().err


@pytest.mark.parametrize("action", ["print", "verify", "run"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x7fTileIR\0\x0d\x07\0\0", "byte 8: version 13.7"),
        (b"\x7fTileIR\0\x0d\x05\0\0", "byte 12: "),
        (b"module @m {\n  entry @e( {\n", "line 2"),
        (b"\xff\xfe\0", "neither Tile IR bytecode nor text"),
    ],
)
def test_files_that_are_no_module(capsys, tmp_path: Path, action: str, content: bytes, message: str):
    path = tmp_path / "x"
    path.write_bytes(content)
    assert run(action, path) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith(f"pycuda-tile: {path}: ") and message in captured.err
    assert captured.out == "" and captured.err.count("\n") <= 3  # lines that say where the error is
    assert run(action, tmp_path) == 1
    assert f"cannot read {tmp_path}: Is a directory" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["bogus"], ["print"], ["verify", "a", "b"], ["run"]])
def test_wrong_usage(capsys, words: list[str]):
    assert run(*words) == 2
    assert "usage: pycuda-tile tileir" in capsys.readouterr().err


def test_help(capsys):
    assert run("run", "--help") == 0
    assert "FILL:TYPE:SHAPE" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "tileir" in capsys.readouterr().out
