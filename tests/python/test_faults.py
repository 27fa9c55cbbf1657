"""Kernels that access invalid memory, overflow their stack or never end raise a LaunchError or
KeyboardInterrupt, and the process continues. If it cannot, it says why."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LINES = (HERE / "faults.cu").read_text().splitlines()
START = f"""
import faulthandler, json, os, signal, sys, threading, time
sys.path.insert(0, {str(HERE)!r})
import numpy as np, pycuda_tile as pct
from interrupts import interrupted_when
from pathlib import Path
x, few = np.zeros(64, np.int32), np.zeros(1 << 20, np.int32)
def build(**options):
    return pct.build(Path({str(HERE / "faults.cu")!r}), **options)
def runs(module):
    counts = np.zeros(100, np.int32)
    module["count"][100](counts)
    return bool((counts == 7).all())
"""


def run(body: str, *options: str) -> subprocess.CompletedProcess:
    command = [sys.executable, *options, "-c", START + body]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


FAULTS = """
found = {}
module = build(**json.loads(sys.argv[1]))
def note(name, grid, *arguments):
    try:
        module[name][grid](*arguments)
    except pct.Error as error:
        found.setdefault(name, []).append([type(error).__name__, str(error)])
    assert runs(module)
note("raw_store", 8, None)
note("tile_load", 1, None, x)
note("tile_load", 1, pct.ptr(x, 1 << 40), x)
note("copy", 3, None, few)
note("divide", 3, x, 0)
note("recurse", 3, x)
if module.target == "cpu":
    big = np.zeros(1 << 24)
    note("large_tiles", 1, big, big)
thread = threading.Thread(target=note, args=("raw_store", 8, None))
thread.start()
thread.join()
print(json.dumps(found))
"""


def faults(**options) -> dict[str, list]:
    body = FAULTS.replace("sys.argv[1]", repr(json.dumps(options)))
    done = run(body, "-X", "faulthandler")  # installed before, and not called for kernels
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(LINES, 1) if text in line)


@pytest.mark.parametrize("target", ["cpu", "emulated"])
def test_faults_are_launch_errors(target):
    found = faults(target=target)
    assert {kind for reports in found.values() for kind, _ in reports} == {"LaunchError"}
    texts = {name: [text for _, text in reports] for name, reports in found.items()}
    line = line_of("*x = 1;")
    expected = [
        "raw_store: kernel 'raw_store', block (2, 0, 0): wrote through a null pointer, at address 0x0",
        f"  {HERE / 'faults.cu'}:{line}",
        f"    {line} | *x = 1;",
        "  What the kernel had stored by then remains. All other blocks were stopped; the process continues.",
        "  A build with checked=True reports the array and the element.",
    ]
    assert [text.splitlines() for text in texts["raw_store"]] == [expected] * 2  # of two threads
    null, far = texts["tile_load"]
    assert "block (0, 0, 0): read through a null pointer" in null
    assert f"faults.cu:{line_of('ct::load(x + ct::iota<ints>()));')}" in null
    assert "read at address 0x" in far and "where there is no memory" in far
    assert "wrote through a null pointer" in texts["copy"][0] and "std::memcpy(x, from" in texts["copy"][0]
    assert "an integer division by zero" in texts["divide"][0] and "5 / n" in texts["divide"][0]
    recursion = texts["recurse"][0]
    size = 2048 if target == "cpu" else 256
    assert f"stack overflow: its local variables take more than the {size} MiB of its stack; its" in recursion
    assert "functions call each other endlessly or too deeply" in recursion and "checked" not in recursion
    if target == "cpu":
        tiles = texts["large_tiles"][0]
        assert "and those of one function alone " in tiles and "use smaller tiles" in tiles
        assert "tile<double, 16777216>, 128 MiB" in tiles


def test_checked_builds_survive_too():
    found = faults(target="cpu", checked=True, options=["-O1"])
    kinds = {name: [kind for kind, _ in reports] for name, reports in found.items()}
    assert kinds == {
        "raw_store": ["LaunchError"] * 2,
        "tile_load": ["UndefinedBehaviorError"] * 2,
        "copy": ["LaunchError"],
        "divide": ["LaunchError"],
        "recurse": ["LaunchError"],
        "large_tiles": ["LaunchError"],
    }
    assert "*x = 1;" in found["raw_store"][0][1] and "With checked" not in found["raw_store"][0][1]
    for name in ("recurse", "large_tiles"):
        assert "stack overflow" in found[name][0][1]


def test_what_cannot_go_on_says_where_it_was():
    done = run("build(target='cpu', options=['-g1'])['print'][1](pct.ptr(x, 1 << 40))")
    assert done.returncode == -11  # SIGSEGV, as without a handler
    assert "kernel 'print', block (0, 0, 0): read at address 0x" in done.stderr
    assert "in a function of another library" in done.stderr
    assert f"faults.cu:{line_of('printf(')}" in done.stderr
    assert "run it with checked=True" in done.stderr
    called = run("build(target='cpu', options=['-g1'])['call'][1](x)").stderr
    assert "kernel 'call', block (0, 0, 0): called a function at address 0x0, where there is none\n" in called


def test_other_faults_go_to_the_handlers_that_were_there():
    start = "faulthandler.enable(); assert runs(build(target='cpu'));"
    done = run(f"{start} import ctypes; ctypes.string_at(0)")
    assert done.returncode == -11
    assert "Fatal Python error: Segmentation fault" in done.stderr and "in string_at" in done.stderr
    assert "kernel" not in done.stderr
    # A handler installed later calls ours in the end.
    done = run(
        "module = build(target='cpu'); runs(module); faulthandler.enable(); module['raw_store'][8](None)"
    )
    assert done.returncode == -11
    assert "Fatal Python error" in done.stderr and "kernel 'raw_store', block (2, 0, 0)" in done.stderr


ENDLESS = """
module = build(target=TARGET)
seen = []
for name, grid in (("endless", 1), ("endless", 4), ("endless_barriers", 2)):
    x[:] = 0
    try:
        with interrupted_when(lambda: x[0]):
            module[name][grid](x)
    except KeyboardInterrupt:
        seen.append(name)
    assert runs(module)
print(seen)
"""


@pytest.mark.parametrize("target", ["cpu", "emulated"])
def test_ctrl_c_ends_endless_blocks(target):
    done = run(ENDLESS.replace("TARGET", repr(target)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "['endless', 'endless', 'endless_barriers']"


ASSERTIONS = '''
source = """#include <cassert>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile__ void check(int n) noexcept { assert(n > 0 && "a count"); }
__tile_global__ void scale(float* x, int n) {
  check(n - int(ct::bid().x));
  auto i = int(ct::bid().x) * 1024 + ct::iota<ct::tile<int, ct::shape<1024>>>();
  ct::store(x + i, ct::load(x + i) * 2.0f);
}
"""
found = {}
for name, options in json.loads(sys.argv[1]).items():
    module, x = pct.build(source, **options), np.ones(1024, np.float32)
    module["scale"][1](x, 1)
    try:
        module["scale"][8](np.ones(8192, np.float32), 3)
    except pct.LaunchError as error:
        found[name] = [str(error), module["scale"].attributes.get("path"), bool((x == 2).all())]
print(json.dumps(found))
'''


@pytest.mark.fused
def test_failed_assertions_end_launches():
    """And not the process, also where no exception could leave the kernel."""
    builds = {
        "fused": {"target": "cpu"},
        "by operation": {"target": "cpu", "optimize": False},
        "checked": {"target": "cpu", "checked": True},
        "emulated": {"target": "emulated", "num_threads": 4},
    }
    done = run(ASSERTIONS.replace("sys.argv[1]", repr(json.dumps(builds))))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.keys() == builds.keys()
    assert found["fused"][1:] == ["fused", True]
    for message, _, is_right in found.values():
        assert re.search(r'block \(3, 0, 0\).*: assertion failed: <source>:4: n > 0 && "a count"$', message)
        assert is_right
