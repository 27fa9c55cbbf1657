"""Runs the code blocks of all pages of the docs: `python tests/docs/run_pages.py [PAGE ...]`.

Each page runs in a process and a temporary folder of its own (page_runner.py), as many at once as there are
cores. The pictures that a page makes are kept in build/docs_pictures/PAGE with a key of the page and of the
package: while that stays the same, the page is not run again.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PICTURES = ROOT / "build" / "docs_pictures"
KEY = "passed.key"
LIMIT = 600  # seconds a page may take
# What the outputs of a page depend on, besides the page.
SOURCES = ("pycuda_tile", "include", "lib", "examples", "tests/docs")
SUFFIXES = frozenset([".py", ".tsv", ".h", ".cpp", ".cu", ".cuh", ".j2", ".txt", ".toml", ".cmake"])
# Pages whose examples a test of their own runs, by tens in one build.
ELSEWHERE = (ROOT / "docs/reference/cpp", ROOT / "docs/reference/tileir")
OUTSIDE = ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")  # of docs/ and examples/


@dataclass(frozen=True)
class Result:
    page: Path
    passed: bool
    output: str = ""
    seconds: float = 0.0


def all_pages() -> list[Path]:
    pages = [ROOT / name for name in OUTSIDE]
    pages += [page for folder in ("docs", "examples") for page in sorted((ROOT / folder).rglob("*.md"))]
    return [page for page in pages if not set(ELSEWHERE) & set(page.parents)]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def run_page(page: Path) -> Result:
    """Runs a page, whatever the cache says."""
    start = time.monotonic()
    pictures = PICTURES / name_of(page).removesuffix(".md")
    environment = {name: value for name, value in os.environ.items() if name != "PYCUDA_TILE_OPTIMIZE"}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, HERE / "page_runner.py", page, folder, pictures]
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Result(page, False, f"{name_of(page)}: not done after {LIMIT} s", LIMIT)
    return Result(page, done.returncode == 0, done.stdout, time.monotonic() - start)


def run_page_once(page: Path, sources: str) -> Result:
    """Runs a page unless it has passed with the same contents of the package."""
    key = hashlib.sha256(sources.encode() + page.read_bytes()).hexdigest()
    stamp = PICTURES / name_of(page).removesuffix(".md") / KEY
    if stamp.exists() and stamp.read_text() == key:
        return Result(page, True)
    stamp.unlink(missing_ok=True)
    result = run_page(page)
    if result.passed and not result.output:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(key)
    return result


def key_of_sources() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def main(names: list[str]) -> int:
    pages = [Path(name).resolve() for name in names] or all_pages()
    sources = key_of_sources()
    passed = True
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for result in pool.map(lambda page: run_page_once(page, sources), pages):
            if result.seconds or not result.passed:
                say = "ran" if result.passed else "failed"
                print(f"{name_of(result.page)}: {say} in {result.seconds:.1f} s", flush=True)
            print(result.output, end="", flush=True)
            passed = passed and result.passed
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
