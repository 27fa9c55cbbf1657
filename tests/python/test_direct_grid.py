"""Kernel.launch without Python code: grids and streams mean the same as through Python, and those that Python
refuses are passed to it."""

import inspect
import sys
from typing import NamedTuple

import numpy as np
import pytest
from direct_site import Site, parameter

import pycuda_tile as pct
from pycuda_tile.launching.grid import check_grid
from pycuda_tile.launching.parameters import SIGNED
from pycuda_tile.launching.streams import stream_handle

INT = parameter(SIGNED, 4)


class Stream:
    """A stream like those of CUDA's Python packages."""

    def __init__(self, given):
        self.given = given

    def __cuda_stream__(self):
        if isinstance(self.given, BaseException):
            raise self.given
        return self.given


class Pair(NamedTuple):
    version: int
    address: int


class Whole(int):
    pass


GRIDS = [1, 7, 2**31 - 1, (3,), (3, 2), (3, 2, 5), (2**31 - 1, 65535, 65535)]
GRIDS_FOR_PYTHON = [[3, 2], np.int32(3), (np.int64(2), 3), True, (2, True), Whole(3), Pair(3, 2)]
NO_GRIDS = [0, -1, 2**31, 2**32 + 1, 2**64, 1.0, None, "1", (), (1, 2, 3, 4), (0, 1), (1, 65536)]
NO_GRIDS += [(1, 1, 65536), (1, 2.0), (1, None), ((1,),), np.zeros(2), b"1"]
STREAMS = [None, 0, 1, 0x51, 2**63 - 1, Stream((0, 0x52))]
STREAMS_FOR_PYTHON = [2**63, Whole(5), Stream([0, 5]), Stream(Pair(0, 5)), Stream((0, 5, 6))]
STREAMS_FOR_PYTHON += [Stream((0, Whole(5))), Stream((0, np.int64(5)))]
NO_STREAMS = [-1, 2**64, True, 1.0, "s", Stream, Stream(None), Stream(5), Stream(()), Stream((0,))]
NO_STREAMS += [Stream((0, "s")), Stream((0, None)), Stream((0, -1)), Stream((0, 2**64)), object()]


def names(values: list) -> list[str]:
    given = [getattr(value, "given", "" if type(value) is object else value) for value in values]
    return [f"{type(value).__name__} {name}" for value, name in zip(values, given, strict=True)]


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_grids(grid):
    for on_device in (False, True):
        site = Site([INT], on_device)
        site.launch_on(grid, 5)
        assert site.started[0].grid == check_grid("k", grid) and not site.by_python


@pytest.mark.parametrize("grid", GRIDS_FOR_PYTHON + NO_GRIDS, ids=names(GRIDS_FOR_PYTHON + NO_GRIDS))
def test_other_grids_are_left_to_python(grid):
    site = Site([INT], True)
    site.launch_on(1, 4)
    site.launch_on(grid, 5)
    assert len(site.started) == 1 and site.by_python[0][0] is grid and site.by_python[0][1:] == (5,)
    if any(grid is wrong for wrong in NO_GRIDS):
        with pytest.raises(pct.LaunchError, match="grid"):
            check_grid("k", grid)


@pytest.mark.parametrize("stream", STREAMS, ids=names(STREAMS))
def test_streams(stream):
    site = Site([INT], True)
    site.launch_on(1, 5, stream=stream)
    assert not site.by_python
    assert (site.started[0].stream or 0) == (0 if stream is None else stream_handle(stream))


@pytest.mark.parametrize("stream", STREAMS_FOR_PYTHON, ids=names(STREAMS_FOR_PYTHON))
def test_other_streams_are_left_to_python(stream):
    site = Site([INT], True)
    site.launch_on(1, 5, stream=stream)
    assert site.by_python == [(1, 5, {"stream": stream})] and not site.started
    assert stream_handle(stream) in (5, 2**63)


@pytest.mark.parametrize("stream", NO_STREAMS, ids=names(NO_STREAMS))
def test_no_streams(stream):
    site = Site([INT], True)
    site.launch_on(1, 5, stream=stream)
    assert site.by_python == [(1, 5, {"stream": stream})] and not site.started
    with pytest.raises(pct.LaunchError, match="stream"):
        stream_handle(stream)


def test_nothing_of_one_launch_is_left_for_the_next():
    site = Site([INT], True)
    site.launch_on((2, 3), 5, stream=Stream((0, 0x52)))
    site.launch_on(4, 6)
    first, second = site.started
    assert (first.grid, first.stream) == ((2, 3, 1), 0x52)
    assert (second.grid, second.stream) == ((4, 1, 1), None)


def test_what_a_stream_raises():
    site = Site([INT], True)
    with pytest.raises(KeyboardInterrupt):
        site.launch_on(1, 5, stream=Stream(KeyboardInterrupt()))
    assert not site.by_python
    site.launch_on(1, 5, stream=(closed := Stream(RuntimeError("closed"))))
    assert len(site.by_python) == 1 and not site.started
    with pytest.raises(RuntimeError, match="closed"):
        stream_handle(closed)


def test_what_else_is_left_to_python():
    on_host, on_device = Site([INT], False), Site([INT], True)
    on_host.launch_on(1, 5, stream=None)
    assert len(on_host.started) == 1
    on_host.launch_on(1, 5, stream=7)
    assert on_host.by_python == [(1, 5, {"stream": 7})]
    for arguments in ((), (1,), (1, 5, 6), (1, "5")):
        on_device.launch_on(*arguments)
        assert on_device.by_python.pop() == arguments
    for named in ({"x": 5}, {"schedule_seed": 3}, {"stream": 7, "schedule_seed": 3}, {"".join("stream"): 7}):
        on_device.launch_on(1, 5, **named)
        assert on_device.by_python.pop() == (1, 5, named)
    on_device.kernel.load(None)  # its first launch loads it
    on_device.launch_on(1, 5, stream=(unasked := Stream(KeyboardInterrupt())))
    assert on_device.by_python == [(1, 5, {"stream": unasked})] and not on_device.started


def test_launches_keep_nothing_alive():
    site, stream, pair = Site([INT], True), Stream(None), (0, 0x5152)
    stream.given = pair
    counts = sys.getrefcount(stream), sys.getrefcount(pair), sys.getrefcount(pair[1])
    for _ in range(100):
        site.launch_on(1, 5, stream=stream)
        site.launch_on((1, 2), 5, stream=pair[1])
        site.launch_on(1, "5", stream=stream)
    site.started.clear(), site.by_python.clear()
    assert (sys.getrefcount(stream), sys.getrefcount(pair), sys.getrefcount(pair[1])) == counts


def test_launch_of_a_kernel(make_target):
    """The first launch runs Python code and the next one none, with no visible difference."""
    source = (
        '#include "cuda_tile.h"\n__tile_global__ void set(int* out, int value) { out[ct::bid().x] = value; }'
    )
    kernel = make_target("cpu").build(source.replace("ct::", "cuda::tiles::")).kernel("set")
    out = np.zeros(4, np.int32)
    signature = list(inspect.signature(kernel.launch).parameters)[:4]
    assert inspect.ismethod(kernel.launch)
    for grid in (1, 2, (3,), [4]):
        kernel.launch(grid, out, 7)
        assert out.tolist() == [7] * np.prod(grid) + [0] * (4 - np.prod(grid))
        out[:] = 0
    assert inspect.isbuiltin(kernel.launch)
    assert list(inspect.signature(kernel.launch).parameters) == signature
    kernel.launch(2, out, 9, schedule_seed=3)
    assert out.tolist() == [9, 9, 0, 0]
    for arguments, named, words in [
        ((1, out, "7"), {}, "set: argument 2 'value' .* expects an integer"),
        ((1, out), {"value": 7}, "by name value"),
        ((0, out, 7), {}, "grid 0"),
        ((1, out, 7), {"stream": 5}, "no streams"),
    ]:
        with pytest.raises(pct.LaunchError, match=words):
            kernel.launch(*arguments, **named)
