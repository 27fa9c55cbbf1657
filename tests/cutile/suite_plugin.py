"""A plugin for cuTile Python's own suite (run_suite.py): its tests meet a GPU that is the CPU."""

from __future__ import annotations

import collections
import runpy
import subprocess
import sys
from pathlib import Path

import cuda.tile._compile as compile_
import pytest

import pycuda_tile.cutile
from pycuda_tile.cutile.torch_cuda import cuda_is_cpu

# What the suite asks of the device beside what cuda_is_cpu() answers.
compile_.get_sm_arch = lambda *device: "sm_100"

_popen = subprocess.Popen.__init__


def _start(self, command, *arguments, **named):
    """Scripts that tests start in processes of their own run on the CPU, too."""
    if isinstance(command, (list, tuple)) and command[0] == sys.executable:
        at = next((i for i, word in enumerate(command) if str(word).endswith(".py")), None)
        if at is not None:
            command = [*command[:at], __file__, *command[at:]]
    _popen(self, command, *arguments, **named)


subprocess.Popen.__init__ = _start  # type: ignore[method-assign]

_device = cuda_is_cpu()
_device.__enter__()  # while the tests are collected, too


@pytest.fixture(autouse=True)
def _device_of_a_test(request):
    how = {name: request.config.getoption(name) for name in ("checked", "interpret")}
    with cuda_is_cpu(), pycuda_tile.cutile.options(**how):
        yield


class _HooksOfBenchmarks:
    """The suite's conftest.py has these hooks of pytest-benchmark, which need not be installed."""

    def pytest_benchmark_update_machine_info(self, config, machine_info) -> None: ...

    def pytest_benchmark_update_json(self, config, benchmarks, output_json) -> None: ...


def pytest_addhooks(pluginmanager) -> None:
    if not pluginmanager.has_plugin("benchmark"):
        pluginmanager.add_hookspecs(_HooksOfBenchmarks)


def pytest_addoption(parser) -> None:
    parser.addoption("--cases", type=int, help="run at most so many cases of each test function")
    parser.addoption("--checked", action="store_true", help="find undefined behaviour")
    parser.addoption("--interpret", action="store_true", help="interpret kernels")


def pytest_collection_modifyitems(config, items) -> None:
    most = config.getoption("cases")
    if most is None:
        return
    seen: collections.Counter = collections.Counter()
    kept = []
    for item in items:
        function = item.nodeid.partition("[")[0]
        seen[function] += 1
        if seen[function] <= most:
            kept.append(item)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


if __name__ == "__main__":  # a script of a process of its own
    del sys.argv[0]
    sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
    runpy.run_path(sys.argv[0], run_name="__main__")
