"""Which compiler is taken for kernels on the host, and which clang for Tile IR; uses stand-ins."""

from __future__ import annotations

from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import toolchain

GCC, CLANG = "g++ {}, by the Free Software Foundation", "clang version {}"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_folder: Path):
    """Puts a program on PATH that says it is a compiler; at first there is none, and no ziglang package."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("PYCUDA_TILE_CXX", raising=False)
    monkeypatch.setattr(toolchain, "of_ziglang", lambda: None)

    def install(name: str, says: str, version: str) -> Path:
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{says.format(version)}'\n")
        program.chmod(0o755)
        return program

    return install


def test_a_clang_is_looked_for_beside_gcc(install):
    gcc = install("g++", GCC, "12.2.0")
    install("clang++", CLANG, "18.1.0")
    with pytest.raises(pct.TargetUnavailable, match=r"no clang 19 or newer.*clang\+\+ \(clang 18.1.0\)"):
        toolchain.find_clang()
    recent = install("clang++-20", CLANG, "20.1.2")
    assert toolchain.find_clang().command == (str(recent),)
    assert toolchain.find_compiler().command == (str(gcc),)  # which a clang does not replace


def test_the_users_compiler_is_taken_if_it_is_a_recent_clang(install, monkeypatch):
    gcc, other = install("g++", GCC, "12.2.0"), install("mine", CLANG, "21.1.0")
    on_path = install("clang++", CLANG, "19.1.7")
    for command, expected in (
        (f"{other} -Wall", (str(other), "-Wall")),
        (str(gcc), (str(on_path),)),
        (str(install("old", CLANG, "17.0.6")), (str(on_path),)),
    ):
        monkeypatch.setenv("PYCUDA_TILE_CXX", command)
        assert toolchain.find_clang().command == expected
        assert list(toolchain.find_compiler().command) == command.split()
    monkeypatch.setenv("PYCUDA_TILE_CXX", "nosuch")
    with pytest.raises(pct.TargetUnavailable, match="PYCUDA_TILE_CXX='nosuch'"):
        toolchain.find_clang()


def test_zig_is_called_as_clang(install, monkeypatch):
    """As `zig c++` it would take its own headers."""
    zig = toolchain.Compiler(("zig", "c++", "-Wall"), "zig", "22.1.8", "")
    monkeypatch.setattr(toolchain, "of_ziglang", lambda: zig)
    assert toolchain.find_clang().command == ("zig", "clang", "-Wall")
    assert toolchain.find_compiler() == zig
    monkeypatch.setattr(toolchain, "of_ziglang", lambda: zig._replace(version="18.1.8"))
    with pytest.raises(pct.TargetUnavailable, match=r"too old: zig c\+\+ -Wall \(with clang 18.1.8\)"):
        toolchain.find_clang()
