"""A call site that launches without Python code: what it starts, on which stream, when it passes a launch to
Python, and what it keeps alive."""

import ctypes
import gc
import os
import struct
import sys
import threading
import weakref
from pathlib import Path

import fake_tensors
import numpy as np
import pytest
from direct_site import STREAM, Site, parameter

import pycuda_tile as pct
from pycuda_tile.checked.device import CheckedGpuLauncher
from pycuda_tile.launching import direct
from pycuda_tile.launching.arguments import Packer
from pycuda_tile.launching.gpu_launcher import GpuLauncher, GpuLibrary
from pycuda_tile.launching.parameters import FLOAT, OTHER, SIGNED, kind_of
from pycuda_tile.spec.element_types import CXX_TYPES

BFLOAT16 = kind_of(CXX_TYPES["__nv_bfloat16"])
FLOATS = parameter(FLOAT, 4, True)
INT = parameter(SIGNED, 4)


def test_what_was_started():
    values = np.zeros(4, np.float32)
    site = Site([FLOATS, INT], on_device=False)
    assert site.launch(values, -7) is None
    (started,) = site.started
    assert started.grid == (3, 2, 1)
    assert started.values == [struct.pack("P", values.ctypes.data), struct.pack("i", -7)]
    assert not site.by_python


def test_right_after_wrong_after_right():
    """A launch leaves nothing behind for the next one."""
    site, good = Site([FLOATS, INT], on_device=False), np.zeros(4, np.float32)
    wrong = [
        *((np.zeros(4), 1), (good, "1"), (good, 2**31), (good[::2], 1), (None, 1.0), ()),
        *((good,), (good, 1, 1), (1, good), ("x", None)),
    ]
    for arguments in wrong:
        site.launch(good, 5)
        site.launch(*arguments)
        assert site.by_python.pop() == arguments
    assert len(site.started) == len(wrong)
    assert all(started.values[1] == struct.pack("i", 5) for started in site.started)


def test_errors_of_a_launch_are_raised_once():
    on_host, on_device = Site([INT], False, status=4), Site([INT], True, status=700)
    with pytest.raises(pct.LaunchError, match="as it was told"):
        on_host.launch(1)
    assert on_host.failed == [(4, b"a message")] and not on_host.by_python
    on_device.launch(1)  # nothing runs: Python calls the driver again and reports its error
    assert on_device.by_python == [(1,)]


def test_errors_of_python_are_raised():
    def by_python(*arguments):
        raise pct.LaunchError(f"{arguments} do not fit")

    launch = Site([INT], True).kernel.bind((1, 1, 1), by_python)
    with pytest.raises(pct.LaunchError, match=r"\('x',\) do not fit"):
        launch("x")
    with pytest.raises(TypeError, match="keyword"):
        launch(x=1)


def test_an_interrupt_while_arguments_are_read_is_raised():
    class Number:
        def __init__(self, error):
            self.error = error

        def __index__(self):
            raise self.error

    site = Site([INT], False)
    with pytest.raises(KeyboardInterrupt):
        site.launch(Number(KeyboardInterrupt()))
    assert not site.by_python
    site.launch(Number(ValueError()))
    assert len(site.by_python) == 1 and not site.started


def test_arguments_by_name_are_left_to_python():
    """Which refuses them."""
    calls = []

    def by_python(*arguments, **named):
        calls.append((arguments, named))

    launch = Site([INT, INT], True).kernel.bind((1, 1, 1), by_python)
    value, name = object(), "the name of an argument"
    counts = sys.getrefcount(value), sys.getrefcount(name)
    for _ in range(100):
        launch(1, **{name: value})
        launch(**{name: value, "y": 2})
    assert calls == 100 * [((1,), {name: value}), ((), {name: value, "y": 2})]
    calls.clear()
    assert (sys.getrefcount(value), sys.getrefcount(name)) == counts


@pytest.mark.parametrize("launcher", [GpuLauncher, CheckedGpuLauncher])
def test_arguments_by_name_are_refused_on_gpus(launcher, monkeypatch):
    packer = Packer("k", [INT], on_device=True)
    if launcher is CheckedGpuLauncher:
        launcher = CheckedGpuLauncher("simt", None, "k", 128, packer, ("", Path()), ())
    else:
        launcher = GpuLauncher("simt", GpuLibrary(bytes), "k", 128, packer)
    monkeypatch.setattr(launcher, "_load", lambda: None)
    with pytest.raises(pct.LaunchError, match=r"k takes 1 argument \(int x\), got 0 and by name x"):
        launcher.bind((1, 1, 1))(x=1)


def test_before_its_code_is_loaded_python_launches():
    site = Site([INT], True)
    site.kernel.load(None)
    site.launch(1)
    assert site.by_python == [(1,)] and not site.started


def test_many_threads_at_one_call_site():
    """All wait in the middle of their launches without the GIL, and none sees another one's arguments."""
    count, rounds = 8, 20
    site = Site([INT, FLOATS], on_device=False, wait=threading.Barrier(count, timeout=60).wait)
    arrays = [np.zeros(4, np.float32) for _ in range(count)]
    expected = {}

    def work(number: int) -> None:
        address = struct.pack("P", arrays[number].ctypes.data)
        expected[threading.get_ident()] = [[struct.pack("i", number + i), address] for i in range(rounds)]
        for i in range(rounds):
            site.launch(number + i, arrays[number])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not site.by_python
    for thread, values in expected.items():
        assert [started.values for started in site.started if started.thread == thread] == values


def test_a_launch_within_a_launch():
    """For example in a signal handler."""
    site = Site([INT], on_device=False)

    def again():
        site.wait = lambda: None
        site.launch(2)

    site.wait = again
    site.launch(1)
    assert [started.values for started in site.started] == [[struct.pack("i", i)] for i in (2, 1)]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_the_child_of_a_fork_is_asked_for_an_interrupt():
    """By its main thread, the one that forked, which a Site requires."""
    site, ended = Site([INT], on_device=False), []

    def fork():
        if (child := os.fork()) == 0:
            site.launch(1)
            os._exit(0 if site.started else 1)
        ended.append(os.waitpid(child, 0)[1])

    for start in (fork, lambda: run_in_thread(fork)):
        start()
    assert ended == [0, 0]
    site.launch(1)
    assert len(site.started) == 1


def run_in_thread(work) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_streams(torch, cuda_tensor, current_streams):
    one, other = cuda_tensor(0x1000, (4,)), cuda_tensor(0x2000, (4,), device=1)
    site, given = Site([FLOATS, FLOATS], True), Site([FLOATS, FLOATS], True, STREAM)
    for arguments, stream in [((one, other), 0x70), ((other, one), 0x71), ((None, other), 0x71)]:
        site.launch(*arguments)
        assert site.started[-1].stream == stream
        given.launch(*arguments)
        assert given.started[-1].stream == STREAM
    site.launch(None, None)
    assert site.started[-1].stream is None  # CUDA's default one
    assert not site.by_python and not given.by_python
    current_streams.append(RuntimeError("no such device"))
    site.launch(one, one)
    assert site.by_python == [(one, one)]


def test_what_needs_python():
    for parameters in ([parameter(OTHER, 12)], [parameter(OTHER, 12, True)], [parameter(BFLOAT16, 2)]):
        assert direct.make_kernel(parameters, False, 1) is None
    assert direct.make_kernel([INT] * 33, False, 1) is None
    assert direct.make_kernel([INT] * 32, False, 1) is not None


def test_without_the_library_python_launches(make_target, monkeypatch):
    monkeypatch.setattr(direct, "library", lambda: None)
    source = '#include "cuda_tile.h"\n__tile_global__ void set(int* out, int value) { out[0] = value; }\n'
    kernel, out = make_target("cpu").build(source).kernel("set"), np.zeros(1, np.int32)
    kernel[1](out, 7)
    assert out[0] == 7
    with pytest.raises(pct.LaunchError, match=r"argument 2 'value' .* expects an integer"):
        kernel[1](out, "7")


def test_functions_keep_nothing_alive():
    """They keep neither arguments alive nor, through a cycle that Python cannot see, themselves."""
    site, array = Site([FLOATS], on_device=False), np.zeros(4, np.float32)
    count = sys.getrefcount(array)
    for value in (array, array[::2], pct.strided(array)):
        for _ in range(50):
            site.launch(value)
    del value
    site.by_python.clear()
    assert sys.getrefcount(array) == count
    check_references(site, None, None)
    check_references(site, array, np.dtype(np.float32))
    alive = weakref.ref(site)
    del site
    gc.collect()
    assert alive() is None


@pytest.fixture
def current_streams(torch, monkeypatch):
    """PyTorch's current stream of device i is 0x70 + i, unless this list has an error, which is raised."""
    errors = []

    @ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
    def current_stream(kind: int, device: int, stream: int) -> int:
        ctypes.c_void_p.from_address(stream).value = 0x70 + device
        return -1 if errors else 0

    direct._meet_torch()
    known = direct._objects.torch
    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", None, raising=False)  # and back afterwards
    fake_tensors.give_streams(ctypes.cast(current_stream, ctypes.c_void_p).value)
    yield errors
    direct._objects.torch = known
    direct._publish()


def test_tensors_keep_nothing_alive(torch):
    site, tensor = Site([FLOATS], on_device=False), torch.zeros(4)
    site.launch(tensor)  # PyTorch is noticed
    check_references(site, tensor, tensor)
    check_references(site, tensor, False)


def check_references(site: Site, value: object, single: object) -> None:
    """Launches do not leak references to objects."""
    before = sys.getrefcount(single)
    for _ in range(1000):
        site.launch(value)
        site.started.clear()
    assert abs(sys.getrefcount(single) - before) < 500
