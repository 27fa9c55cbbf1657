"""The table of fused kernels in benchmarks/results says what happens now, and enough kernels are fused."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import pycuda_tile as pct

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
TABLE = (BENCHMARKS / "results" / "fused_kernels.md").read_text(encoding="utf-8")
SOURCES = sorted({line.split(" | ")[0].removeprefix("| ") for line in TABLE.splitlines() if ".cu | " in line})


@pytest.fixture
def table(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("fused_kernels")


@pytest.mark.sampled(12)
@pytest.mark.parametrize("source", SOURCES)
def test_paths(source: str, table):
    """Run benchmarks/fused_kernels.py --write after a change of what is fused."""
    try:
        rows = list(table.rows_of(source, table.wanted()[source]))
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    for row in rows:
        assert any(line.startswith(f"{row} ") for line in TABLE.splitlines())


def test_enough_kernels_are_fused(table):
    """Four in five, each with its speed, of all sources."""
    rows = [line.removesuffix(" |").split(" | ") for line in TABLE.splitlines() if ".cu | " in line]
    assert all(row[4].strip() for row in rows if row[2] == "fused")
    paths = [row[2] for row in rows]
    fused, others = paths.count("fused"), paths.count("in part") + paths.count("by operation")
    assert fused >= 0.8 * (fused + others)
    assert set(SOURCES) == set(table.wanted())
