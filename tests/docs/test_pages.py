"""The code blocks of the docs run as the pages say.

By default those of pages that differ from main, and a share of the others that changes from commit to commit;
`python3 run.py docs` runs all.
"""

from __future__ import annotations

import re
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest
from page_blocks import blocks_of, read_page
from run_pages import ROOT, all_pages, name_of, run_page

from pycuda_tile import tileir

SHARE = 16  # one page in so many runs by default


def git(*arguments: str) -> str:
    """What git prints; nothing where this is not a git checkout."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


COMMIT = git("rev-parse", "HEAD")
CHANGED = set(git("diff", "--name-only", git("merge-base", "HEAD", "main") or "HEAD").splitlines())


def runs_by_default(page: Path) -> bool:
    name = name_of(page)
    return name in CHANGED or zlib.crc32(f"{name} {COMMIT}".encode()) % SHARE == 0


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name_of(page), marks=() if runs_by_default(page) else pytest.mark.wide)
        for page in all_pages()
    ],
)
def test_blocks_of(page: Path):
    result = run_page(page)
    assert result.passed, result.output
    if result.output:
        pytest.skip(result.output)


def test_every_block_runs_or_says_why_not():
    """Finds blocks without a language or a reason in all pages at once, without running any."""
    for page in all_pages():
        for block in blocks_of(read_page(page)):
            known = block.language in ("python", "console", "mlir", "cuda", "cpp") or block.file_name
            assert known or block.remark, f"{name_of(page)}:{block.line}: a block of {block.language!r}"


def test_modules_of_the_page_on_the_front_end():
    """The kernel's Tile IR that the page shows does what its source says."""
    (block,) = (b for b in blocks_of(read_page(ROOT / "docs/front_end.md")) if b.language == "mlir")
    module = tileir.parse(block.text)
    x, y = np.arange(512, dtype=np.float32), np.zeros(128, np.float32)
    tileir.interpret(module, module.entries[0].name, 1, x, y, x.size)
    assert np.array_equal(y, (x.reshape(4, 128) ** 2).sum(0))


@pytest.mark.parametrize("page", ["README.md", "docs/speed.md"])
def test_figures_of_the_tables_are_measured_ones(page):
    results = (ROOT / "benchmarks/results/cpu.txt").read_text(encoding="utf-8")
    table = (ROOT / page).read_text(encoding="utf-8").split("made by benchmarks/cpu.py -->")[1]
    lines = table.partition("<!-- end")[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if re.search(r"\d to \d", line)]
    assert len(rows) >= 8
    for work, peer, *others in rows:
        figures = re.findall(r"\d+\.\d+", " ".join(others[-2:]))
        start = re.compile(rf"{re.escape(work)}  +{re.escape(peer)}  ")
        (line,) = (line for line in results.splitlines() if start.match(line))
        assert set(figures) <= set(re.findall(r"\d+\.\d+", line)), (work, peer)
