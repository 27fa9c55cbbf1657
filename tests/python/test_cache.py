"""The cache on disk: entries are found again, made once, and never incomplete or wrong."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.system import cache, removal


def write(folder: Path) -> cache.Result:
    (folder / "data").write_bytes(b"payload")
    return cache.Result({"answer": 42})


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "locks" not in path.parts]


def never(_: Path) -> cache.Result:
    raise AssertionError("made although it is there")


def test_entry_is_found_again(cache_folder: Path):
    first = cache.get("key", write)
    second = cache.get("key", never)
    assert first.folder == second.folder and second.meta == {"answer": 42}
    assert (second.folder / "data").read_bytes() == b"payload"


def test_private_to_the_user(cache_folder: Path):
    cache.get("key", write)
    assert stat.S_IMODE(cache_folder.stat().st_mode) == 0o700
    cache_folder.chmod(0o755)
    cache.get("key", never)
    assert stat.S_IMODE(cache_folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", ["data", "entry.json", "missing"])
def test_damaged_entry_is_made_anew(cache_folder: Path, damage: str):
    entry = cache.get("key", write)
    if damage == "missing":
        (entry.folder / "data").unlink()
    else:
        content = (entry.folder / damage).read_bytes()
        (entry.folder / damage).write_bytes(content[:-1] + b"!")
    again = cache.get("key", write)
    assert (again.folder / "data").read_bytes() == b"payload" and not entry.folder.exists()


def test_failure_leaves_nothing(cache_folder: Path):
    def fail(folder: Path) -> cache.Result:
        write(folder)
        raise pct.CompileError("no")

    with pytest.raises(pct.CompileError):
        cache.get("key", fail)
    assert files(cache_folder) == []


def test_dependencies_decide(cache_folder: Path, tmp_path: Path):
    header = tmp_path / "header.h"
    made = []

    def build(folder: Path) -> cache.Result:
        made.append(header.read_text())
        return cache.Result({"text": header.read_text()}, [str(header)])

    for text in ("one", "two", "one", "two"):
        header.write_text(text)
        os.utime(header, (0, 0))  # the modification time says nothing
        assert cache.get("key", build).meta["text"] == text
    assert made == ["one", "two"]


def test_header_written_during_the_build_is_not_trusted(cache_folder: Path, tmp_path: Path):
    header = tmp_path / "header.h"

    def build(folder: Path) -> cache.Result:
        header.write_text("changed while the compiler ran")
        return cache.Result({}, [str(header)])

    first = cache.get("key", build)
    assert cache.get("key", build).folder != first.folder


def test_bound_on_the_size(cache_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYCUDA_TILE_CACHE_MEGABYTES", "1")

    def build(folder: Path) -> cache.Result:
        (folder / "data").write_bytes(bytes(400_000))
        return cache.Result({})

    for number in range(6):
        entry = cache.get(f"key{number}", build)
        os.utime(entry.folder / "entry.json", (number, number))
    assert cache.info()["bytes"] <= 1 << 20
    assert cache.get("key5", never).folder == entry.folder


def test_the_size_is_looked_at_now_and_then_only(cache_folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Counting all entries at each store would take longer the more there are."""
    monkeypatch.setenv("PYCUDA_TILE_CACHE_MEGABYTES", "16")  # a sixteenth is sixteen entries' worth
    counted = []
    entries = removal.entries_of
    monkeypatch.setattr(removal, "entries_of", lambda root: counted.append(1) or entries(root))
    for number in range(40):
        cache.get(f"key{number}", write)
    assert len(counted) == 2


def die_at(call: int):
    """An audit hook that ends the process at the n-th call of the operating system."""
    left = iter(range(call))
    return lambda event, _: event[:3] in ("ope", "os.") and next(left, None) is None and os._exit(9)


def test_killed_at_any_moment(cache_folder: Path):
    """Whichever call a process dies in, others find the complete entry or make it."""
    for calls in range(100):
        child = os.fork()
        if not child:
            sys.addaudithook(die_at(calls))
            cache.get(f"key{calls}", write)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        entry = cache.get(f"key{calls}", write)
        assert (entry.folder / "data").read_bytes() == b"payload" and entry.meta == {"answer": 42}
        if os.waitstatus_to_exitcode(status) == 0:
            break
    assert calls > 15 and status == 0
    assert list((cache_folder / "tmp").iterdir()) == []


def test_errors_of_a_builder_are_its_own(cache_folder: Path):
    with pytest.raises(FileNotFoundError, match="/nosuch/file"):
        cache.get("k", lambda _: Path("/nosuch/file").read_text())
    with pytest.raises(FileNotFoundError, match="no/file"):
        cache.get("k", lambda folder: (folder / "no" / "file").write_text(""))
    with pytest.raises(pct.CompileError, match="wrong"):
        cache.get(
            "k", lambda folder: (_ for _ in ()).throw(pct.CompileError("wrong", log="nothing of space"))
        )


@pytest.fixture
def warned() -> None:
    cache._say_not_kept.cache_clear()  # warns once per process


def fail_to_write(number: int):
    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
@pytest.mark.parametrize("place", ["_write_record", "_lock"])
def test_a_cache_that_cannot_be_written_to(
    cache_folder: Path, monkeypatch, caplog, warned, number, place: str
):
    """On a full or read-only disk, for example, the result is returned but not kept."""
    monkeypatch.setattr(cache, place, fail_to_write(number))
    entry = cache.get("key", write)
    assert entry.meta == {"answer": 42} and (entry.folder / "data").read_bytes() == b"payload"
    assert cache.get("other", write).meta == {"answer": 42}
    (message,) = caplog.messages
    assert f"the cache folder {cache_folder} cannot be written to ({os.strerror(number)})" in message
    assert "Set PYCUDA_TILE_CACHE_DIR to another" in message
    place = entry.folder
    del entry
    assert not place.exists() or place.is_relative_to(cache_folder)


def test_a_compiler_that_finds_no_room_in_the_cache(cache_folder: Path, caplog, warned):
    def build(folder: Path) -> cache.Result:
        if folder.is_relative_to(cache_folder):
            raise pct.CompileError("no", log="/usr/bin/ld: final link failed: No space left on device")
        return write(folder)

    assert cache.get("key", build).meta == {"answer": 42}
    assert "(No space left on device): this build is not kept" in caplog.text


def test_no_folder_to_write_to_at_all(monkeypatch, warned):
    import tempfile

    monkeypatch.setattr(tempfile, "mkdtemp", fail_to_write(errno.ENOSPC))
    with pytest.raises(
        pct.Error, match=r"temporary files cannot be written: .*No space left on device; set TMPDIR or"
    ):
        cache.make_uncached(write)


def in_child(work) -> int:
    """The exit code of a child that does this work; a child that hangs is killed by a signal."""
    if (child := os.fork()) == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(120)
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return child


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_child_of_a_fork_during_a_build(cache_folder: Path):
    """It has no thread that would release the lock, so others must not wait for it."""
    building, go_on = threading.Event(), threading.Event()

    def slow(folder: Path) -> cache.Result:
        building.set()
        assert go_on.wait(120)
        return write(folder)

    thread = threading.Thread(target=lambda: cache.get("k", slow))
    thread.start()
    assert building.wait(120)
    waiting, go = os.pipe()
    child = in_child(lambda: os.read(waiting, 1))
    go_on.set()
    thread.join()
    cache.clear()
    other = in_child(lambda: cache.get("k", write))
    assert os.waitpid(other, 0) == (other, 0)
    os.write(go, b"x")
    assert os.waitpid(child, 0) == (child, 0)
    os.close(waiting)
    os.close(go)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_child_of_a_fork_whose_parent_is_gone(cache_folder: Path):
    """The child (here a grandchild) does not hold the builder's lock."""
    building = threading.Event()

    def endless(folder: Path) -> cache.Result:
        building.set()
        time.sleep(300)
        raise AssertionError

    ends, done = os.pipe()

    def build_and_go() -> None:
        threading.Thread(target=lambda: cache.get("k", endless), daemon=True).start()
        assert building.wait(120)
        in_child(lambda: (cache.get("k", write), os.write(done, b"x")))

    child = in_child(build_and_go)
    os.close(done)
    assert os.waitpid(child, 0) == (child, 0)
    assert os.read(ends, 1) == b"x"  # nothing, if the grandchild was killed
    os.close(ends)


def test_info_and_clear(cache_folder: Path):
    cache.get("a", write)
    cache.get("b", write)
    info = cache.info()
    assert (info["entries"], info["folder"]) == (2, str(cache_folder)) and info["bytes"] > 0
    assert cache.clear() == 2 and cache.info()["entries"] == 0
    cache.get("a", write)


def test_folder_that_cannot_be_used_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PYCUDA_TILE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert cache.get("key", write).meta == {"answer": 42}
    assert cache.get("key", never).meta == {"answer": 42}
    (warning,) = caplog.messages  # once per process
    assert f"the cache folder {tmp_path / 'file' / 'cache'} cannot be used" in warning


# --- many processes -----------------------------------------------------------------------------------------

COUNTED = """
import sys, time
from pathlib import Path
from pycuda_tile.system import cache
def build(folder):
    with open(sys.argv[1], "a") as log: log.write("x")
    (folder / "data").write_bytes(b"payload")
    time.sleep(float(sys.argv[2]))
    return cache.Result({})
assert (cache.get("key", build).folder / "data").read_bytes() == b"payload"
"""


def start(tmp_path: Path, seconds: float) -> subprocess.Popen:
    root = Path(pct.__file__).resolve().parent.parent
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.Popen(
        [sys.executable, "-c", COUNTED, str(tmp_path / "log"), str(seconds)], env=environment
    )


def test_eight_processes_make_it_once(cache_folder: Path, tmp_path: Path):
    processes = [start(tmp_path, 0.3) for _ in range(8)]
    assert [process.wait(timeout=120) for process in processes] == [0] * 8
    assert (tmp_path / "log").read_text() == "x"


def test_killed_process_leaves_no_trace(cache_folder: Path, tmp_path: Path):
    process = start(tmp_path, 300)
    deadline = time.monotonic() + 120
    while not (tmp_path / "log").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert list((cache_folder / "entries").iterdir()) == []
    assert start(tmp_path, 0).wait(timeout=120) == 0
    assert list((cache_folder / "tmp").iterdir()) == []
