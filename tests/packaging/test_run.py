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
    monkeypatch.setattr(module, "has_compiler", lambda: True)
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


def test_installs_a_compiler_where_there_is_none(script, monkeypatch):
    monkeypatch.setattr(script, "has_compiler", lambda: False)
    script.set_up({"test"})
    assert script.commands == [f"{ROOT}[compiler,test]"]


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
