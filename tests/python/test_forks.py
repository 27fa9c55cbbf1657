"""The child of a fork does not hang because of what other threads of the parent were doing."""

import importlib
import importlib.machinery
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc
from pycuda_tile.launching import direct
from pycuda_tile.system import forks

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
NAME = "pycuda_tile.slow_module_of_the_test"


class SlowImport:
    """A finder and loader of a module that is slow to import."""

    def __init__(self):
        self.began = threading.Event()

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == NAME else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        self.began.set()
        time.sleep(0.3)
        module.value = 7


def ends_well(child: int) -> bool:
    return os.waitpid(child, 0)[1] == 0


def test_a_module_that_a_thread_was_importing(monkeypatch):
    finder = SlowImport()
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    thread = threading.Thread(target=importlib.import_module, args=(NAME,))
    thread.start()
    assert finder.began.wait(60)
    if (child := os.fork()) == 0:
        signal.alarm(120)
        os._exit(importlib.import_module(NAME).value - 7)
    thread.join()
    del sys.modules[NAME]
    assert ends_well(child)


def test_a_program_that_a_thread_was_compiling(make_target, monkeypatch):
    """NVRTC has locks of its own: the fork waits until it is done, and nobody starts it meanwhile."""
    make_target("simt", arch="sm_90").build("")  # skips the test if it is unavailable
    began, ended, compile_program = threading.Event(), [], nvrtc._compile

    def compile_slowly(*arguments):
        began.set()
        time.sleep(0.3)
        program = compile_program(*arguments)
        ended.append(threading.current_thread())
        return program

    def build(value: int) -> None:
        text = f'extern "C" __global__ void k(int* x) {{ x[0] = {value}; }}\n'
        pct.build(text, target="simt", arch="sm_90", cache=False)

    monkeypatch.setattr(nvrtc, "_compile", compile_slowly)
    thread = threading.Thread(target=build, args=(1,))
    thread.start()
    assert began.wait(60)
    if (child := os.fork()) == 0:
        signal.alarm(120)
        before = len(ended)
        build(2)
        os._exit(10 * before + len(ended) - 12)
    thread.join()
    assert ends_well(child)


def test_a_fork_by_a_thread_inside():
    """For example in the handler of a signal that arrives while its thread compiles."""
    with forks.uncut:
        if (child := os.fork()) == 0:
            signal.alarm(120)
            with forks.uncut:
                os._exit(0)
        assert ends_well(child)
    with forks.uncut:
        pass


def test_a_kernel_that_a_thread_was_launching_for_the_first_time(make_target, monkeypatch):
    source = '#include "cuda_tile.h"\n__tile_global__ void set(int* out, int value) { out[0] = value; }\n'
    module = make_target("cpu").build(source + source.splitlines()[1].replace("set", "other"))
    began, make = threading.Event(), direct.make_kernel

    def make_slowly(*arguments):
        began.set()
        time.sleep(0.3)
        return make(*arguments)

    monkeypatch.setattr(direct, "make_kernel", make_slowly)
    out = np.zeros(1, np.int32)
    thread = threading.Thread(target=lambda: module["set"][1](np.zeros(1, np.int32), 5))
    thread.start()
    assert began.wait(60)
    if (child := os.fork()) == 0:
        signal.alarm(120)
        module["set"][1](out, 7)
        module["other"][1](out, out[0] + 1)
        os._exit(out[0] - 8)
    thread.join()
    assert ends_well(child)
