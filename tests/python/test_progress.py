"""Long builds show a line on a terminal, which is gone afterwards; nowhere else is anything written."""

from __future__ import annotations

import io
import os
import re
import threading
import time
from types import SimpleNamespace

import pytest

import pycuda_tile as pct
from pycuda_tile.system import progress
from pycuda_tile.targets.target import Target

TURN = 0.02  # seconds until the line appears here


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def screen(self) -> str:
        """What is to be seen in the end."""
        return self.getvalue().rpartition("\r\x1b[K")[2]


@pytest.fixture
def terminal(monkeypatch) -> Terminal:
    terminal = Terminal()
    # Not sys.stderr itself, which pytest replaces after the fixtures.
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=terminal))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(progress, "_DELAY", TURN)
    monkeypatch.setattr(progress, "_PERIOD", TURN)
    return terminal


def wait_for(words: str, terminal: Terminal) -> None:
    end = time.monotonic() + 60
    while words not in terminal.screen():
        assert time.monotonic() < end, terminal.getvalue()
        time.sleep(TURN / 4)


def test_the_line_comes_and_goes(terminal):
    with progress.shown("a"):
        wait_for("a: 0 s", terminal)
        with progress.shown("b"):
            wait_for("a: 0 s, and 1 more", terminal)
        wait_for("a: 0 s", terminal)
        progress.erase()
        assert terminal.screen() in ("", "a: 0 s")  # it may be back already
    assert terminal.screen() == "" and terminal.getvalue().count("\n") == 0
    before = terminal.getvalue()
    time.sleep(3 * TURN)
    assert terminal.getvalue() == before


def test_a_build_shows_its_source_and_target(terminal, monkeypatch, tmp_path):
    def compile(*arguments: object) -> None:
        wait_for("for cpu: 0 s", terminal)
        raise pct.CompileError("enough")

    monkeypatch.setattr(Target, "_implementation", lambda self: SimpleNamespace(compile=compile))
    with pytest.raises(pct.CompileError, match="enough"):
        pct.build("text", target="cpu")
    assert "pycuda_tile: building <source> for cpu: 0 s" in terminal.getvalue() and terminal.screen() == ""


def test_long_names_are_cut_and_control_characters_replaced(terminal):
    with progress.shown("x\x1b[2J\n" + 100 * "y"):
        wait_for("…: 0 s", terminal)
        assert re.fullmatch(r"x\?\[2J\?y+…: 0 s", terminal.screen())
        assert len(terminal.screen()) == 59


def test_threads_share_the_line(terminal):
    def work() -> None:
        for _ in range(20):
            with progress.shown("thread"):
                time.sleep(TURN / 5)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert terminal.screen() == "" and progress._line.works == []


@pytest.mark.parametrize("name, value", [("CI", "true"), ("TERM", "dumb")])
def test_nothing_where_nobody_looks(terminal, monkeypatch, name, value):
    with monkeypatch.context() as context:
        context.setenv(name, value)
        with progress.shown("a"):
            time.sleep(3 * TURN)
    for other in (io.StringIO(), None):
        monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=other))
        with progress.shown("a"):
            time.sleep(3 * TURN)
        assert not other or other.getvalue() == ""
    assert terminal.getvalue() == ""


def test_a_short_build_writes_nothing(terminal, monkeypatch):
    monkeypatch.setattr(progress, "_DELAY", 60.0)
    with progress.shown("a"):
        pass
    assert terminal.getvalue() == ""


def test_the_child_of_a_fork_has_a_line_of_its_own(terminal):
    with progress.shown("a"):
        wait_for("a: 0 s", terminal)
        if (child := os.fork()) == 0:
            try:
                with progress.shown("b"):
                    wait_for("b: 0 s", terminal)
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
