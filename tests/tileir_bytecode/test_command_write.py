"""pycuda-tile tileir write: converts text or bytecode to bytecode."""

from __future__ import annotations

from pathlib import Path

import pytest
from bytecode_operations import module

from pycuda_tile import tileir
from pycuda_tile.cli import main


@pytest.mark.parametrize("form", ["text", "bytecode"])
def test_write(capsys, tmp_path: Path, form: str) -> None:
    written, source, output = module("atan2"), tmp_path / "in", tmp_path / "out"
    source.write_bytes(str(written).encode() if form == "text" else tileir.write_bytecode(written, "13.5"))
    for words, version in (([], (13, 2)), (["--version", "13.4"], (13, 4))):
        assert main(["tileir", "write", str(source), "-o", str(output), *words]) == 0
        read = tileir.read_bytecode(output.read_bytes())
        assert tileir.equal(read, written) and read.version == version
        size = output.stat().st_size
        assert capsys.readouterr().out == f"{output}: {size} bytes, version 13.{version[1]}\n"


def test_failures_leave_no_file(capsys, tmp_path: Path) -> None:
    source, output = tmp_path / "in", tmp_path / "out"
    source.write_text(str(module("atan2")))
    for version, message in (
        ("13.1", "atan2: bytecode 13.1 cannot hold"),
        ("13", "version '13': expected one"),
    ):
        assert main(["tileir", "write", str(source), "-o", str(output), "--version", version]) == 1
        error = capsys.readouterr().err
        assert error.startswith(f"pycuda-tile: {source}: ") and message in error
    assert main(["tileir", "write", str(source), "-o", str(tmp_path / "no" / "folder")]) == 1
    assert "cannot write" in capsys.readouterr().err
    with pytest.raises(SystemExit) as caught:
        main(["tileir", "write", str(source)])
    assert caught.value.code == 2
    assert list(tmp_path.iterdir()) == [source]
