"""Launches on a GPU, with a driver that only records its calls; no GPU is needed."""

import ctypes
import struct
import sys
import types

import numpy as np
import pytest

import pycuda_tile as pct

SOURCE = """
#include "cuda_tile.h"
__tile_global__ void scale(float* x, int n, double factor) {}
"""


class DeviceArray:
    def __init__(self, address: int, dtype: str = "<f4", readonly: bool = False, strides=None):
        self.__cuda_array_interface__ = {
            "shape": (2, 2),
            "typestr": dtype,
            "data": (address, readonly),
            "strides": strides,
            "version": 3,
        }


class Result(int):
    name = "CUDA_ERROR_OF_THE_TEST"


class FakeDriver(types.ModuleType):
    """The functions of cuda.bindings.driver that a launch calls."""

    class CUresult:
        CUDA_SUCCESS = Result(0)
        CUDA_ERROR_INVALID_CONTEXT = Result(201)

    class CUstreamCaptureMode:
        CU_STREAM_CAPTURE_MODE_RELAXED = 2

    class CUfunction_attribute:
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8

    def __init__(self):
        super().__init__("cuda.bindings.driver")
        self.context = 0
        self.capture_mode = 0
        self.launches = []
        self.kernel_attributes = []
        self.status = self.CUresult.CUDA_SUCCESS

    def cuInit(self, flags):
        return (Result(0),)

    def cuCtxGetCurrent(self):
        return Result(0), self.context

    def cuDevicePrimaryCtxRetain(self, device):
        return Result(0), 77 + device

    def cuCtxSetCurrent(self, context):
        self.context = context
        return (Result(0),)

    def cuLibraryLoadData(self, code, *options):
        assert code[:4] == b"\x7fELF" and len(options) == 6
        return Result(0), "library"

    def cuLibraryGetKernel(self, library, name):
        assert library == "library"
        self.symbol = name
        return Result(0), 1234

    def cuThreadExchangeStreamCaptureMode(self, mode):
        before, self.capture_mode = self.capture_mode, mode
        return Result(0), before

    def cuKernelGetFunction(self, kernel):
        assert self.capture_mode == 2
        return Result(0), "function"

    def cuCtxGetDevice(self):
        return Result(0), 3

    def cuKernelSetAttribute(self, attribute, value, kernel, device):
        self.kernel_attributes.append((attribute, value, kernel, device))
        return (Result(0),)

    def cuGetErrorString(self, status):
        return Result(0), b"the words of the driver"

    def cuLaunchKernel(self, kernel, *numbers):
        if not self.context:
            return (self.CUresult.CUDA_ERROR_INVALID_CONTEXT,)
        *sizes, stream, parameters, extra = numbers
        pointers = struct.unpack("3P", ctypes.string_at(parameters, 24))
        x, n, factor = (ctypes.string_at(p, size) for p, size in zip(pointers, (8, 4, 8), strict=True))
        values = (*struct.unpack("P", x), *struct.unpack("i", n), *struct.unpack("d", factor))
        self.launches.append((kernel, sizes, stream, values, extra))
        return (self.status,)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    from pycuda_tile.launching import gpu, gpu_launcher

    fake = FakeDriver()
    pytest.importorskip(
        "cuda.bindings.nvrtc", reason="cuda-bindings is not installed"
    )  # uses the real driver
    bindings = sys.modules["cuda.bindings"]
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", fake)
    monkeypatch.setattr(bindings, "driver", fake, raising=False)
    monkeypatch.setattr(gpu, "compute_capability", lambda: (9, 0))
    monkeypatch.setattr(gpu_launcher, "_launch_address", lambda: None)  # test_direct.py has the other way
    return fake


@pytest.fixture
def scale(make_target, driver) -> pct.Kernel:
    return make_target("simt").build(SOURCE).kernel("scale")


def test_launch(scale, driver):
    scale[3, 2](DeviceArray(4096), 7, 0.5)
    ((kernel, sizes, stream, values, extra),) = driver.launches
    assert (kernel, stream, extra, driver.symbol) == (1234, 0, 0, b"_Z5scalePfid")
    assert sizes == [3, 2, 1, scale.attributes["threads"], 1, 1, 0]
    assert values == (4096, 7, 0.5)


SHARED = """
#include "cuda_tile.h"
namespace platform = cuda::tiles::platform;

template <int Bytes>
__tile_global__ void share(float* x, int n, double factor) {
  auto* memory = static_cast<volatile char*>(platform::scratch<Bytes>());
  memory[n] = 1;
  static_cast<volatile char*>(platform::scratch<16>())[0] = memory[n + 1];
}
"""


@pytest.mark.parametrize(("size", "asks"), [(48 * 1024, False), (48 * 1024 + 16, True)])
def test_dynamic_shared_memory(make_target, driver, size, asks):
    names = [f"share<{size}>", "share<64>"]
    module = make_target("simt").build(SHARED, kernels=names)
    kernel = module.kernel(names[0])
    assert kernel.attributes["dynamic_shared_bytes"] == kernel.attributes["shared_bytes"] == size
    assert module.kernel(names[1]).attributes["shared_bytes"] == 64  # not that of another kernel
    kernel[1](DeviceArray(4096), 7, 0.5)
    assert driver.launches[0][1][-1] == size
    assert driver.kernel_attributes == ([(8, size, 1234, 3)] if asks else [])


def test_a_new_thread_gets_a_context(scale, driver):
    scale[1](DeviceArray(4096), 7, 0.5)
    driver.context = 0
    scale[1](DeviceArray(8192), 8, 0.5)
    assert driver.context == 77 and len(driver.launches) == 2


def test_streams(scale, driver):
    class Stream:
        def __cuda_stream__(self):
            return 0, 99

    scale.launch(1, DeviceArray(4096), 7, 0.5, stream=Stream())
    scale.launch(1, DeviceArray(4096), 7, 0.5, stream=55)
    assert [launch[2] for launch in driver.launches] == [99, 55]
    with pytest.raises(pct.LaunchError, match="__cuda_stream__"):
        scale.launch(1, DeviceArray(4096), 7, 0.5, stream="s")


class Current:
    """A framework's module, which has its own current stream."""

    class cuda:
        @staticmethod
        def current_stream(device):
            assert device == "cuda:0"
            return types.SimpleNamespace(cuda_stream=11)

        @staticmethod
        def get_current_stream():
            return types.SimpleNamespace(ptr=12)


@pytest.mark.parametrize(("framework", "stream"), [("torch", 11), ("cupy", 12), ("numba", 13)])
def test_the_frameworks_current_stream_is_the_default(
    scale, driver, monkeypatch, framework: str, stream: int
):
    array = type("Array", (DeviceArray,), {"__module__": f"{framework}.core"})(4096)
    array.is_cuda, array.device = True, "cuda:0"
    array.__cuda_array_interface__["stream"] = 13
    current = Current()
    current.Tensor = type(None)
    monkeypatch.setitem(sys.modules, framework, current)
    scale[1](array, 7, 0.5)
    scale[1](pct.ptr(array), 7, 0.5)
    scale.launch(1, array, 7, 0.5, stream=99)
    assert [launch[2] for launch in driver.launches] == [stream, stream, 99]


@pytest.mark.parametrize(
    "stream",
    [
        types.SimpleNamespace(cuda_stream=5),
        types.SimpleNamespace(ptr=5),
        types.SimpleNamespace(handle=ctypes.c_void_p(5)),
        types.SimpleNamespace(__cuda_stream__=lambda: (0, 5), ptr=6),
    ],
    ids=["torch", "cupy", "numba", "protocol"],
)
def test_streams_of_frameworks(scale, driver, stream):
    scale.launch(1, DeviceArray(4096), 7, 0.5, stream=stream)
    assert driver.launches[0][2] == 5


def test_clusters_only_where_they_divide_the_grid(make_target, driver):
    """CUDA refuses other grids, but a hint must not make a launch fail."""
    source = SOURCE.replace("__tile_global__", "[[cutile::hint(0, num_cta_in_cga=4)]] __tile_global__")
    scale = make_target("simt", arch="sm_90").build(source).kernel("scale")
    loaded = []
    load = driver.cuLibraryLoadData
    driver.cuLibraryLoadData = lambda code, *options: loaded.append(code) or load(code, *options)
    for grid in (8, (4, 3), 6, 3):
        scale[grid](DeviceArray(4096), 7, 0.5)
    assert [launch[1][:2] for launch in driver.launches] == [[8, 1], [4, 3], [6, 1], [3, 1]]
    assert len(loaded) == 2 and loaded[0] == scale.binary != loaded[1]


def test_errors_of_the_driver(scale, driver):
    driver.status = Result(700)
    with pytest.raises(pct.LaunchError, match="scale: CUDA_ERROR_OF_THE_TEST: the words of the driver"):
        scale[1](DeviceArray(4096), 7, 0.5)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(4, np.float32), "on the GPU, got one in host memory"),
        (DeviceArray(4096, "<f8"), "float64"),
        (DeviceArray(4096, readonly=True), "read-only"),
        (DeviceArray(4096, strides=(4, 8)), "C-contiguous"),
        (DeviceArray(4098), "aligned"),
    ],
)
def test_wrong_arrays(scale, driver, array, words: str):
    with pytest.raises(pct.LaunchError, match=f"argument 1 'x' .*{words}"):
        scale[1](array, 7, 0.5)
    assert driver.launches == []


def test_a_gpu_chooses_its_own_order(scale):
    with pytest.raises(pct.LaunchError, match="schedule_seed"):
        scale.launch(1, DeviceArray(4096), 7, 0.5, schedule_seed=3)


def test_auto_takes_the_gpu(driver):
    module = pct.build(SOURCE)
    if module.target == "cpu":
        pytest.skip("no NVRTC for sm_90 is installed")
    assert (module.target, module.arch) == ("simt", "sm_90a")


def test_outputs_of_one_byte_leave_python_alone():
    """Python shares one object for each single byte, so NVRTC must not write into it."""
    try:
        module = pct.build(SOURCE, target="tile", arch="sm_90", cache=False)
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    assert module.kernel("scale").tileir and not module.log  # the log consists of its final zero only
    assert [bytes([value])[0] for value in range(256)] == list(range(256))
