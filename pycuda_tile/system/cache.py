"""The cache of compiled results on disk: one folder per entry, found by a key that the caller makes.

    <cache>/entries/<key>/<number>/   files of one result, with entry.json: checksums, dependencies, meta data
    <cache>/tmp/<key>.<number>/       an unfinished result: moved to entries/ when it is complete
    <cache>/locks/<key>               held during a build: one process builds the result, others wait
    <cache>/stored                    its length tells how much was stored since the size was last checked

A key covers everything known before a build (source, flags, compiler, ...). The headers that a build reads
are known only afterwards: an entry lists them with their checksums and is valid only while none has changed,
and while no file has appeared that an #include would find before them.
Entries with the same key differ in such headers. Every file is checked when an entry is used; a damaged entry
is removed and rebuilt.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import hashlib
import json
import os
import stat
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import CompileError, Error
from ..version import VERSION
from .forks import lock_files
from .removal import (
    ENTRY,
    drop_oldest,
    entries_of,
    evict,
    limit,
    much_is_new,
    remove,
    remove_unfinished,
    sweep,
)

_LAYOUT = 4  # of the meta data that builders write: a new number invalidates all entries
_NO_ROOM = ("No space left on device", "Disk quota exceeded", "Read-only file system")  # compilers' words
_PACKAGE = Path(__file__).parent.parent
_WRITERS = ("frontend", "targets", "tileir/cxx")


class Entry:
    """One result: `folder` holds its files, `meta` what the builder recorded about it."""

    def __init__(self, folder: Path, meta: dict[str, Any]):
        self.folder = folder
        self.meta = meta


class Result(NamedTuple):
    """What a builder returns: meta data (JSON), the files that the result depends on, and those on whose
    absence it depends."""

    meta: dict[str, Any]
    dependencies: Iterable[str] = ()
    absent: Iterable[str] = ()


Builder = Callable[[Path], Result]  # writes the files of a result into an empty folder


def make_key(*parts: object) -> str:
    """A key made from the parts and the package's version; parts are str, numbers, None, lists and dicts."""
    everything = [VERSION, _LAYOUT, _writers(), *parts]
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()[:40]


@functools.cache
def _writers() -> list[tuple[str, int, int]]:
    """The modules that write what compilers read; in a checkout they change under one version."""
    found = []
    for folder in _WRITERS:
        for module in sorted((_PACKAGE / folder).rglob("*.py")):
            status = module.stat()
            found.append((module.name, status.st_size, status.st_mtime_ns))
    return found


def get(key: str, build: Builder) -> Entry:
    """The entry for `key`. If there is none, `build` makes it, in only one process even if many ask at once.

    If the cache cannot be written to, because it is full or read-only, the result is not kept.
    """
    root = folder()
    if entry := _find(root, key):
        return entry
    try:
        with _lock(root, key):
            if entry := _find(root, key):
                return entry
            return _make(root, key, build)
    except (OSError, CompileError) as error:
        reason = _why_not_kept(error, root)
        if not reason:
            raise
    _say_not_kept(str(root), reason)
    return make_uncached(build)


def make_uncached(build: Builder) -> Entry:
    """An entry outside the cache; its folder is removed with the entry object."""
    place = _temporary_folder("pycuda_tile-")
    try:
        entry = Entry(place, build(place).meta)
    except BaseException:
        remove(place)
        raise
    weakref.finalize(entry, _remove_if_own, place, os.getpid())
    return entry


def info() -> dict[str, Any]:
    """The location and size of the cache: folder, entries, bytes, limit_bytes."""
    root = folder()
    entries = entries_of(root)
    return {
        "folder": str(root),
        "entries": len(entries),
        "bytes": sum(size for _, size, _ in entries),
        "limit_bytes": limit(),
    }


def clear() -> int:
    """Removes all entries and the remains of killed processes; returns the number of entries."""
    root = folder()
    entries = entries_of(root)
    remove(root / "entries")
    sweep(root, older_than=0)
    return len(entries)


# --- where it is --------------------------------------------------------------------------------------------


def folder() -> Path:
    """The cache's folder, created if necessary and private to the user; a temporary one if that fails."""
    explicit = os.environ.get("PYCUDA_TILE_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return _folder(explicit or os.path.join(base, "pycuda_tile"))


def _folder(name: str) -> Path:
    root = Path(name).absolute()
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = root.stat()
        if status.st_uid == os.geteuid():
            if stat.S_IMODE(status.st_mode) != 0o700:
                root.chmod(0o700)
            return _with_parts(root)
    except OSError:
        pass
    # The home may be read-only, or the folder another user's, whose compiled code cannot be trusted.
    return _with_parts(_scratch_folder(name, os.getpid()))


def _with_parts(root: Path) -> Path:
    for part in ("entries", "tmp", "locks"):
        (root / part).mkdir(mode=0o700, exist_ok=True)
    return root


@functools.cache
def _scratch_folder(instead_of: str, process: int) -> Path:
    place = _temporary_folder("pycuda_tile-cache-")
    _warn(
        f"the cache folder {instead_of} cannot be used: it must be a folder that this user owns and "
        f"can write to. This process uses {place} instead, and removes it at the end"
    )
    atexit.register(_remove_if_own, place, process)
    return place


def _temporary_folder(prefix: str) -> Path:
    import tempfile

    try:
        return Path(tempfile.mkdtemp(prefix=prefix))
    except OSError as error:  # also where none of the usual folders can be written to
        raise Error(
            f"temporary files cannot be written: {error}; set TMPDIR or PYCUDA_TILE_CACHE_DIR to a folder "
            "that can be written to"
        ) from error


def _why_not_kept(error: OSError | CompileError, root: Path) -> str:
    """Why the cache cannot be written to; "" if the error is about something else."""
    if isinstance(error, CompileError):  # the compiler writes to the cache, too
        return says_no_room(error)
    if isinstance(error, Error):
        return ""
    of_the_cache = not isinstance(error.filename, str) or error.filename.startswith(f"{root}/")
    return (error.strerror or str(error)) if of_the_cache else ""  # else a file of the user's


def says_no_room(error: CompileError) -> str:
    """The compiler's words about a cache that cannot be written to; "" if the error is another one."""
    return next((words for words in _NO_ROOM if words in error.log), "")


@functools.cache
def _say_not_kept(root: str, reason: str) -> None:
    _warn(
        f"the cache folder {root} cannot be written to ({reason}): this build is not kept. "
        "Set PYCUDA_TILE_CACHE_DIR to another folder, or empty this one with `pycuda-tile cache clear`"
    )


def _warn(text: str) -> None:
    import logging

    logging.getLogger("pycuda_tile").warning(f"pycuda_tile: {text}")


def _remove_if_own(place: Path, process: int) -> None:
    """Removes a folder that this process made; a forked child leaves its parent's alone."""
    if os.getpid() == process:
        remove(place)


# --- finding an entry ---------------------------------------------------------------------------------------


def _find(root: Path, key: str) -> Entry | None:
    try:
        variants = os.listdir(root / "entries" / key)
    except OSError:
        return None
    for variant in variants:
        place = root / "entries" / key / variant
        if record := _read(place):
            if all(_checksum(path) == digest for path, digest in record["dependencies"].items()):
                _touch(place / ENTRY)
                return Entry(place, record["meta"])
        else:
            remove(place)
    return None


def _read(place: Path) -> dict[str, Any] | None:
    """The contents of entry.json, or None if it or any file beside it is damaged."""
    try:
        digest, _, body = (place / ENTRY).read_bytes().partition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != digest:
            return None
        record = json.loads(body)
    except (OSError, ValueError):
        return None
    if all(_checksum(place / name) == digest for name, digest in record["files"].items()):
        return record
    return None


def _checksum(path: str | os.PathLike[str]) -> str | None:
    try:
        with open(path, "rb") as stream:
            return hashlib.sha256(stream.read()).hexdigest()
    except OSError:
        return None


def _touch(path: Path) -> None:
    """Records that an entry is in use, at most once an hour."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > 3600:
            os.utime(path)


# --- making an entry ----------------------------------------------------------------------------------------


def _make(root: Path, key: str, build: Builder) -> Entry:
    remove_unfinished(root, key)
    place = root / "tmp" / f"{key}.{os.urandom(6).hex()}"
    place.mkdir(mode=0o700)
    try:
        started = time.time_ns()
        result = build(place)
        _write_record(place, result, started)
        final = _move_into(root / "entries" / key, place)
    finally:
        remove(place)
    with contextlib.suppress(OSError):  # the entry is complete even if removing others fails
        if much_is_new(root, sum(file.stat().st_size for file in final.iterdir())):
            evict(root, keep=final)
    return Entry(final, result.meta)


def final_place(place: Path) -> Path:
    """The final location of files that a builder writes into `place`, for the paths in debug information."""
    key, _, number = place.name.partition(".")
    return place.parent.parent / "entries" / key / number if number else place


def _move_into(home: Path, place: Path) -> Path:
    final = final_place(place)
    for attempt in range(3):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            drop_oldest(home)
            return place.rename(final)
        except FileNotFoundError:  # another process has just removed `home`: evict(), clear()
            if attempt == 2:
                raise
    raise AssertionError


def _write_record(place: Path, result: Result, started: int) -> None:
    files = {str(path.relative_to(place)): _checksum(path) for path in place.rglob("*") if path.is_file()}
    dependencies: dict[str, str | None] = {os.path.abspath(path): None for path in result.absent}
    for path in result.dependencies:
        path = os.path.abspath(path)
        if not path.startswith(f"{place}/"):
            dependencies[path] = _checksum_before(path, started)
    record = {"meta": result.meta, "files": files, "dependencies": dependencies}
    body = json.dumps(record).encode()
    aside = place / f"{ENTRY}.new"
    aside.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    aside.rename(place / ENTRY)


def _checksum_before(path: str, started: int) -> str | None:
    """The checksum of a header; None if the header was written while the compiler ran, which may have read
    another version. Such an entry is used only once."""
    try:
        changed = os.stat(path).st_mtime_ns >= started
    except OSError:
        return "missing"
    return "changed during the build" if changed else _checksum(path)


@contextlib.contextmanager
def _lock(root: Path, key: str) -> Iterator[None]:
    path = root / "locks" / key
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        lock_files.add(descriptor)
        try:
            with contextlib.suppress(OSError):  # some network file systems have no locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _same_file(descriptor, path):  # not removed by sweep() meanwhile
                yield
                return
        finally:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing is not enough if a child has it open
            lock_files.discard(descriptor)
            os.close(descriptor)


def _same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False
