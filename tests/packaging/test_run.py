"""run.py installs only when something has changed. No environment is made here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(tmp_path, monkeypatch):
    """run.py as a module that works in an empty folder, and records in `.commands` what it would run."""
    spec = importlib.util.spec_from_file_location("run_script", ROOT / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.commands = []
    module.VENV, module.STAMP, module.PYTHON = tmp_path, tmp_path / "installed.json", Path(sys.executable)
    monkeypatch.setattr(module, "run", lambda *command: module.commands.append(command[-1]) or 0)
    monkeypatch.setattr(module, "missing_compilers", set)
    monkeypatch.setattr(module, "has_cuda_driver", lambda: False)
    monkeypatch.setattr(module, "make_venv", lambda: module.commands.append("venv"))
    monkeypatch.setattr(module, "venv_works", lambda: True)
    return module


def test_installs_once(script):
    script.set_up(set())
    script.set_up(set())
    assert script.commands == [str(ROOT)]


def test_adds_extras_to_those_installed(script):
    script.set_up({"test"})
    script.set_up({"dev"})
    script.set_up({"test"})
    assert script.commands == [f"{ROOT}[test]", f"{ROOT}[dev,test]"]


@pytest.mark.parametrize("arguments, extra", [([], "[compiler]"), (["--no-clang"], "")])
def test_brings_a_clang_where_there_is_none(script, monkeypatch, capsys, arguments, extra):
    monkeypatch.setattr(script, "missing_compilers", lambda: {"compiler"})
    monkeypatch.chdir(ROOT)
    assert script.main([*arguments, "softmax"]) == 0
    assert script.commands == [f"{ROOT}{extra}", "softmax"]
    assert ("about 100 MB, is installed as well; --no-clang" in capsys.readouterr().out) == bool(extra)


@pytest.mark.parametrize("kinds", [("gcc", "clang"), ("gcc", "zig"), ("zig", "zig"), ("gcc", None)])
def test_compilers_that_are_missing(kinds, monkeypatch):
    from pycuda_tile.compilers import toolchain
    from pycuda_tile.errors import TargetUnavailable

    def find(kind):
        if kind is None:
            raise TargetUnavailable("no clang")
        return toolchain.Compiler((), kind, "20.0.0", "")

    spec = importlib.util.spec_from_file_location("run_script", ROOT / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(toolchain, "find_compiler", lambda: find(kinds[0]))
    monkeypatch.setattr(toolchain, "find_clang", lambda: find(kinds[1]))
    assert module.missing_compilers() == (set() if kinds == ("gcc", "clang") else {"compiler"})


def test_installs_anew_after_a_change(script, monkeypatch):
    script.set_up(set())
    monkeypatch.setattr(script, "what_is_installed", lambda: "something else")
    script.set_up(set())
    assert script.commands == [str(ROOT)] * 2


def test_a_failed_installation_is_tried_again(script, monkeypatch):
    monkeypatch.setattr(script, "run", lambda *command: 1)
    with pytest.raises(SystemExit, match="the installation failed"):
        script.set_up(set())
    monkeypatch.setattr(script, "run", lambda *command: script.commands.append(command[-1]) or 0)
    script.set_up(set())
    assert script.commands == [str(ROOT)]


def test_makes_an_environment_where_there_is_none_that_works(script, monkeypatch):
    monkeypatch.setattr(script, "venv_works", lambda: False)
    script.set_up(set())
    assert script.commands == ["venv", str(ROOT)]
