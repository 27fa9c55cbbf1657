"""What a build does to its process, and needs of it."""

import time
from pathlib import Path

import pytest
from interrupts import interrupted_when

import pycuda_tile as pct
from pycuda_tile.toolchain import Compiler

SLOW = """echo $$ > "$1"; sleep 60 & echo $! >> "$1"; wait"""  # as g++ does, which starts cc1plus


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
    deadline = time.monotonic() + 20  # of the 60 seconds that they would take
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_running, pids))


def test_working_directory_that_is_gone(tmp_path: Path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(pct.Error, match=r"'k\.cu' does not exist, nor the working directory") as caught:
        pct.build(Path("k.cu"), target="cpu")
    assert isinstance(caught.value, FileNotFoundError)
    with pytest.raises(pct.CompileError, match="missing"):
        pct.build("int x = missing;\n", target="cpu")
