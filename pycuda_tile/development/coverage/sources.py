"""Which C++ sources the tests give to the compilers of each target.

- Sources that a test built and of which a kernel was instantiated: tests/conftest.py keeps them in the folder
  that PYCUDA_TILE_BUILD_LOG names, as `<target>/<hash>.cu`. The tests themselves check the results.
- tests/programs/positive: static assertions, which the tests there give to a compiler of each target. They
  test what compilers evaluate, such as types and concepts. For NVIDIA's header they count as tests of
  everything that they use.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from ... import targets
from .uses import Source

VARIABLE = "PYCUDA_TILE_BUILD_LOG"
# A statement on which NVIDIA's compiler is known to disagree: a comment after it names the disagreement.
_DISAGREEMENT = re.compile(r"^(?![ \t]*(?://|$))[^;]*;[ \t]*//[^\n]*#[a-z][a-z0-9-]+[^\n]*", re.M)


def record(target: str, text: str) -> None:
    """Keeps a source that was built, unless it is there already."""
    folder = Path(os.environ[VARIABLE]) / target
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.cu"
    if path.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


class Sources:
    """The programs of static assertions in a checkout, and the sources that its tests built."""

    def __init__(self, checkout: Path, built: Path):
        programs = [path.read_text(encoding="utf-8") for path in _files(checkout / "tests/programs/positive")]
        self._programs = [Source(text) for text in programs]
        self._judged = [Source(_DISAGREEMENT.sub("", text)) for text in programs]
        self._built = {
            target: [Source(path.read_text(encoding="utf-8")) for path in _files(built / target)]
            for target in targets.NAMES
        }

    def count(self, target: str) -> int:
        """How many sources tests built for a target."""
        return len(self._built[target])

    def test(self, row: SimpleNamespace, target: str) -> bool:
        return any(source.uses(row) for source in self._of(row, target))

    def _of(self, row: SimpleNamespace, target: str) -> Iterator[Source]:
        if not targets.find(target).own_header:
            yield from self._judged
        elif row.constant == "yes":
            yield from self._programs
        yield from self._built[target]


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.cu"))
