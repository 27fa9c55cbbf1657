"""What a build does to its process, and what it needs from it."""

import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from interrupts import interrupted_when

import pycuda_tile as pct
from pycuda_tile.compilers.toolchain import Compiler

SLOW = """echo $$ > "$1"; sleep 600 & echo $! >> "$1"; wait"""  # like g++, which starts cc1plus


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_an_interrupt_ends_all_that_a_compiler_started(tmp_path: Path):
    compiler, started = Compiler(("sh", "-c", SLOW, "sh"), "gcc", "", ""), tmp_path / "started"

    def has_started_all() -> bool:
        return started.exists() and len(started.read_text().split()) >= 2

    with interrupted_when(has_started_all), pytest.raises(KeyboardInterrupt):
        compiler.run([str(started)])
    pids = [int(pid) for pid in started.read_text().split()]
    deadline = time.monotonic() + 100  # the processes would take 600 seconds
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_running, pids))


@pytest.mark.parametrize("moment", ["before the process", "after it"])
def test_an_interrupt_while_a_compiler_is_being_started(monkeypatch, moment: str):
    compiler, popen = Compiler(("sleep",), "gcc", "", ""), subprocess.Popen
    processes, is_starting = [], threading.Event()

    def start_slowly(*arguments, **options) -> subprocess.Popen:
        if moment == "after it":
            processes.append(popen(*arguments, **options))
        is_starting.set()
        time.sleep(0.2)  # the main thread is interrupted meanwhile
        if moment == "before the process":
            processes.append(popen(*arguments, **options))
        return processes[0]

    monkeypatch.setattr(subprocess, "Popen", start_slowly)
    before = time.monotonic()
    with interrupted_when(is_starting.is_set), pytest.raises(KeyboardInterrupt):
        compiler.run(["600"])
    assert time.monotonic() - before < 100
    assert processes[0].returncode == -signal.SIGKILL


def test_a_compiler_that_cannot_be_started(tmp_path: Path):
    with pytest.raises(pct.TargetUnavailable, match=r"gone \(gcc 12.2.0\) cannot be started: .*No such"):
        Compiler((str(tmp_path / "gone"),), "gcc", "12.2.0", "").run([])


def test_working_directory_that_is_gone(tmp_path: Path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(
        pct.Error, match=r"'k\.cu' does not exist, and neither does the working directory"
    ) as caught:
        pct.build(Path("k.cu"), target="cpu")
    assert isinstance(caught.value, FileNotFoundError)
    with pytest.raises(pct.CompileError, match="missing"):
        pct.build("int x = missing;\n", target="cpu")
