"""The commands given to the compiler of the ziglang package, and the waits announced; uses a stand-in."""

from __future__ import annotations

import os
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from pycuda_tile.compilers import zig

FLAGS = ["-O3", "-shared", "-MD", "-MF", "k.d"]
NO_MUTEX = "ld.lld: error: undefined symbol: std::__1::mutex::lock()\n>>> referenced by k.cpp"
NOT_DEFINED = "ld.lld: error: undefined symbol: scale(float)\n>>> referenced by k.cpp"


class Zig:
    """Records each call after the announcements so far; `refusals` has the errors of the next links."""

    def __init__(self, folder: Path, caplog: pytest.LogCaptureFixture):
        self.program = folder / "zig"
        self.program.write_bytes(b"")
        self.output = folder / "k.so"
        self.calls: list[list[str]] = []
        self.announced: list[int] = []
        self.refusals: list[str] = []
        self._caplog = caplog

    def run(self, *arguments: str) -> CompletedProcess:
        return zig.run(self._start, str(self.program), arguments)

    def build(self) -> CompletedProcess:
        return self.run(*FLAGS, "-o", str(self.output), "k.cpp")

    def _start(self, arguments) -> CompletedProcess:
        self.calls.append(list(arguments))
        self.announced.append(len(self._caplog.messages))
        refusal = self.refusals.pop(0) if self.refusals and "-c" not in arguments else ""
        return CompletedProcess(arguments, bool(refusal), refusal or "one warning\n" * ("-c" in arguments))


@pytest.fixture
def fake(tmp_path, caplog, monkeypatch) -> Zig:
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(tmp_path / "zig-cache"))
    (tmp_path / "zig-cache").mkdir()  # its existence does not mean that it contains anything
    return Zig(tmp_path, caplog)


def have_made(library: str, folder: Path, age: float = 0) -> None:
    made = folder / "zig-cache" / "o" / "hash" / library
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_bytes(b"")
    os.utime(made, (made.stat().st_atime, made.stat().st_mtime - age))


def test_a_kernel_is_linked_without_the_cxx_library(fake, caplog, tmp_path):
    done = fake.build()
    compiling, linking = fake.calls
    assert "-shared" not in compiling and "-MD" in compiling and compiling[-1] == "k.cpp"
    assert {"-shared", "-nostdlib++", str(fake.output)} <= set(linking)
    assert {"-MD", "-MF", "k.d", "k.cpp"}.isdisjoint(linking)  # it would overwrite the list of files read
    assert done.returncode == 0 and done.stdout == "one warning\n"
    (notice,) = caplog.messages
    assert "is being set up for its first use" in notice and fake.announced == [0, 1]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("tmp")] == []


def test_the_cxx_library_is_announced_before_it_is_built(fake, caplog, tmp_path):
    have_made("libcompiler_rt.a", tmp_path)
    fake.refusals = [NO_MUTEX]
    assert fake.build().returncode == 0
    assert len(fake.calls) == 3 and "-nostdlib++" not in fake.calls[2]
    assert not any("for_exceptions" in word for word in fake.calls[2])
    assert fake.announced == [0, 0, 1] and "builds its C++ library" in caplog.messages[0]


def test_what_the_source_itself_does_not_define_needs_no_cxx_library(fake, caplog, tmp_path):
    have_made("libcompiler_rt.a", tmp_path)
    fake.refusals = [NOT_DEFINED]
    assert fake.build().returncode == 0
    assert "-nostdlib++" in fake.calls[2] and "-Wl,-z,defs" not in fake.calls[2] and caplog.messages == []


@pytest.mark.parametrize(("age", "notices"), [(0, 0), (1e6, 1)])
def test_programs_and_many_sources_take_the_cxx_library(fake, caplog, tmp_path, age: float, notices: int):
    have_made("libc++.a", tmp_path, age)  # by this zig or an earlier one
    for arguments in (["-o", "program", "k.cpp"], ["-shared", "-o", "l.so", "a.cpp", "b.cpp"]):
        fake.run(*arguments)
        assert fake.calls.pop() == arguments
        assert len(caplog.messages) == notices
        caplog.clear()


def test_nothing_is_linked_after_an_error(fake, caplog):
    fake._start = lambda arguments: (
        fake.calls.append(arguments) or CompletedProcess(arguments, 1, "error: no")
    )
    assert fake.build().stdout == "error: no" and len(fake.calls) == 1 and caplog.messages == []


@pytest.mark.parametrize("home", [None, "/proc/nosuch"])
def test_zig_starts_without_a_home(monkeypatch, cache_folder, home: str | None):
    """Without HOME, the home of the user database is used; if no folder can be made, our own cache."""
    for name in ("ZIG_GLOBAL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    if home:
        monkeypatch.setenv("HOME", home)
    folder = Path(zig.environment()["ZIG_GLOBAL_CACHE_DIR"])
    assert folder.is_absolute() and (folder == cache_folder / "zig") == bool(home)
