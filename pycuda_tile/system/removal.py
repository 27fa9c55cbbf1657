"""Keeps the cache small: removes entries that were not used for long, and what killed processes left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path

ENTRY = "entry.json"
_DEFAULT_MEGABYTES = 1024
_VARIANTS = 8  # entries that one key may have


def remove(place: Path) -> None:
    import shutil  # most builds remove nothing, and the import takes longer than they do

    shutil.rmtree(place, ignore_errors=True)


def remove_unfinished(root: Path, key: str) -> None:
    """Removes what a killed process left; the caller holds the key's lock."""
    for place in (root / "tmp").glob(f"{key}.*"):
        remove(place)


def limit() -> int:
    try:
        megabytes = int(os.environ.get("PYCUDA_TILE_CACHE_MEGABYTES", _DEFAULT_MEGABYTES))
    except ValueError:
        megabytes = -1
    return (megabytes if megabytes >= 0 else _DEFAULT_MEGABYTES) << 20


def entries_of(root: Path) -> list[tuple[float, int, Path]]:
    """(time of last use, bytes, folder) of each entry, least recently used first."""
    found = []
    for record in (root / "entries").glob(f"*/*/{ENTRY}"):
        with contextlib.suppress(OSError):
            size = sum(file.stat().st_size for file in record.parent.iterdir())
            found.append((record.stat().st_mtime, size, record.parent))
    return sorted(found)


_UNIT = 1 << 16  # bytes that one byte of `stored` stands for


def much_is_new(root: Path, size: int) -> bool:
    """Whether, with `size` more bytes, a sixteenth of the limit has been stored since this was last true.
    Examining all entries each time would make a large cache slow."""
    path = root / "stored"
    with open(path, "ab") as stream:  # appended to by many processes at once
        stream.write(b"." * max(1, size // _UNIT))
        stream.flush()
        if os.fstat(stream.fileno()).st_size * _UNIT < limit() // 16:
            return False
        stream.truncate(0)
    return True


def drop_oldest(home: Path) -> None:
    variants = sorted(home.iterdir(), key=lambda place: place.stat().st_mtime)
    for place in variants[: max(0, len(variants) - _VARIANTS + 1)]:
        remove(place)


def evict(root: Path, keep: Path) -> None:
    """Removes the least recently used entries while the cache exceeds its limit, and the remains of killed
    processes."""
    entries = entries_of(root)
    total = sum(size for _, size, _ in entries)
    if total > limit():
        for _, size, place in entries:
            if total <= limit() * 0.8:
                break
            if place != keep:
                remove(place)
                with contextlib.suppress(OSError):
                    place.parent.rmdir()
                total -= size
    sweep(root, older_than=3600)


def sweep(root: Path, older_than: float) -> None:
    """Removes locks and unfinished results that no process holds and that are older than so many seconds."""
    for path in (root / "locks").iterdir():
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime < older_than:
                continue
            descriptor = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_unfinished(root, path.name)
                path.unlink()
            finally:
                os.close(descriptor)
