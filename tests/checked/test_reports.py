"""The contents of reports: place, block and element in the user's terms, also through helpers and headers."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import pycuda_tile as pct

HELPERS = """#pragma once
template <typename T>
__tile__ T next(T x) {
  auto one = 1;
  return x + one;
}
"""
SOURCE = """#include "cuda_tile.h"
#include "helpers.h"
namespace ct = cuda::tiles;
using tile = ct::tile<int, ct::shape<2, 4>>;

template <typename T>
__tile_global__ void count_up(T* x) {
  auto [i, j, k] = ct::bid();
  auto place = (i + 2 * j + 4 * k) * 8 + ct::iota<ct::tile<unsigned, ct::shape<2, 4>>>();
  ct::store(x + place, next(ct::load(x + place)));
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    (folder / "helpers.h").write_text(HELPERS)
    (folder / "count.cu").write_text(SOURCE)
    return folder


def violation(kernel, *arguments, grid=(2, 2, 2)) -> pct.UndefinedBehaviorError:
    with pytest.raises(pct.UndefinedBehaviorError) as error:
        kernel[grid](*arguments)
    return error.value


def overflowing() -> np.ndarray:
    """Element (1, 2) of block (1, 0, 1) overflows."""
    x = np.zeros(64, np.int32)
    x[5 * 8 + 6] = 2**31 - 1
    return x


@pytest.mark.parametrize("optimisation", ["-O0", "-O1", "-O3"])
def test_place_of_a_helper_in_a_header(folder, optimisation):
    module = pct.build(folder / "count.cu", target="cpu", checked=True, options=[optimisation])
    error = violation(module["count_up<int>"], overflowing())
    assert (error.kind, error.block, error.index) == ("integer-overflow", (1, 0, 1), (1, 2))
    assert (error.file, error.line) == (str(folder / "helpers.h"), 5)
    assert str(error).splitlines() == [
        "integer-overflow: add(2147483647, 1)",
        f"  {folder / 'helpers.h'}:5, kernel count_up<int>, block (1, 0, 1), element (1, 2)",
        "    5 | return x + one;",
        "  A result of arithmetic that is signed or promises not to wrap must be a value of its type. [2.2]",
        '  ignore=("integer-overflow",) in build() suppresses such reports.',
    ]


def test_place_in_a_source_given_as_text(folder):
    module = pct.build(SOURCE, target="cpu", checked=True, include_dirs=[folder])
    error = violation(module["count_up<int>"], np.zeros(60, np.int32))
    assert (error.kind, error.file, error.line) == ("memory-bounds", "<source>", 10)
    assert "    10 | ct::store(x + place, next(ct::load(x + place)));" in str(error)


def test_violation_of_the_block_that_starts_first(folder):
    """All blocks overflow; which one is reported does not depend on the scheduling of threads."""
    kernel = pct.build(folder / "count.cu", target="cpu", checked=True)["count_up<int>"]
    for _ in range(20):
        assert violation(kernel, np.full(64, 2**31 - 1, np.int32)).block == (0, 0, 0)


def test_launches_from_many_threads(folder):
    """Each launch has its own arrays, races and reports."""
    kernel = pct.build(folder / "count.cu", target="cpu", checked=True)["count_up<int>"]
    found = []

    def launch(wrong: bool) -> None:
        for _ in range(20):
            x = overflowing() if wrong else np.zeros(64, np.int32)
            try:
                kernel[2, 2, 2](x)
                found.append((wrong, bool((x == 1).all())))
            except pct.UndefinedBehaviorError as error:
                found.append((wrong, error.index == (1, 2)))

    threads = [threading.Thread(target=launch, args=(number % 2 == 0,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 120 and all(right for _, right in found)


def test_ignored_kinds_wrap_around(folder):
    module = pct.build(folder / "count.cu", target="cpu", checked=True, ignore=["integer-overflow"])
    x = overflowing()
    module["count_up<int>"][2, 2, 2](x)
    assert x[5 * 8 + 6] == -(2**31)


def test_reports_without_a_tool_that_finds_lines(folder, monkeypatch):
    monkeypatch.setattr("pycuda_tile.checked.lines.line_tool", lambda: None)
    error = violation(
        pct.build(folder / "count.cu", target="cpu", checked=True)["count_up<int>"], overflowing()
    )
    assert (error.kind, error.index, error.file, error.line) == ("integer-overflow", (1, 2), "", 0)
    assert "finding it needs addr2line" in str(error)


def test_errors_of_arguments(folder):
    with pytest.raises(pct.Error, match="integer-overflow"):
        pct.build(SOURCE, target="cpu", checked=True, ignore=["integer overflow"], include_dirs=[folder])
    with pytest.raises(pct.Error, match="checked=True"):
        pct.build(SOURCE, target="cpu", ignore=["data-race"], include_dirs=[folder])


def test_unchecked_builds_report_nothing(folder):
    kernel = pct.build(folder / "count.cu", target="cpu")["count_up<int>"]
    x = overflowing()
    kernel[2, 2, 2](x)
    assert x[5 * 8 + 6] == -(2**31)
