"""printf in kernels on the host: the output appears on sys.stdout in order, whatever sys.stdout is."""

import contextlib
import io
import sys
import threading

import pytest

import pycuda_tile as pct

SOURCE = """
#include <cstdio>
#include "cuda_tile.h"
__tile_global__ void greet(int n) {
  printf("block %d of %d\\n", static_cast<int>(cuda::tiles::bid().x), n);
  std::printf("a line\\n");  // compilers make puts of it
  printf("x");  // and putchar of it
  printf("%s", "\\n");
}
__tile_global__ void long_line(int n) { for (int i = 0; i < n; ++i) printf("%05d %f\\n", i, 0.5); }
__tile_global__ void letters() { printf("gr\\u00fc\\u00df \\u4e16 \\xff.\\n"); }
__tile_global__ void silent() { fputs("to the terminal\\n", stderr); }
"""
GREETING = "block {} of 3\na line\nx\n"


@pytest.fixture(scope="module")
def module() -> pct.Module:
    return pct.build(SOURCE, target="cpu")


@pytest.fixture
def one_worker():
    pct.set_num_workers(1)
    yield
    pct.set_num_workers(None)


def test_in_order_with_pythons_own(module, one_worker, capsys):
    print("before")
    module["greet"][3](3)
    print("after")
    greetings = "".join(GREETING.format(block) for block in range(3))
    assert capsys.readouterr().out == f"before\n{greetings}after\n"


def test_replaced_stdout(module, one_worker):
    """A stream as in notebooks; also launches with more arguments than a bound one."""
    for launch in (lambda: module["greet"][1](3), lambda: module["greet"].launch(1, 3, schedule_seed=1)):
        with contextlib.redirect_stdout(io.StringIO()) as notebook:
            launch()
        assert notebook.getvalue() == GREETING.format(0)


def test_much_from_many_blocks(module):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        module["long_line"][50](200)
    lines = sorted(text.getvalue().splitlines())
    assert lines == sorted(50 * [f"{i:05} 0.500000" for i in range(200)])


def test_from_many_threads(module):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        threads = [threading.Thread(target=module["long_line"][4], args=(100,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert text.getvalue().count("\n") == 1600


def test_nothing_else_is_caught(module, capfd):
    module["silent"][1]()
    captured = capfd.readouterr()
    assert captured.err == "to the terminal\n" and captured.out == ""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("schedule_seed", [None, 1])  # with one, the launch goes through Python
def test_letters_that_stdout_cannot_show(module, monkeypatch, encoding: str, schedule_seed: int | None):
    shown = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", shown)
    module["letters"].launch(1, schedule_seed=schedule_seed)
    shown.flush()
    assert shown.buffer.getvalue() == "gr\u00fc\u00df \u4e16 \ufffd.\n".encode(encoding, "replace")


def test_without_stdout(module, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)  # like under pythonw
    module["greet"][1](3)
