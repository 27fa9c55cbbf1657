"""A GPU through cuda.bindings.driver: its memory, kernels of cubins, launches, times."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from cuda.bindings import driver

_GUARD = 512  # bytes before and after an allocation that nothing may write to
_FILL = 0xA5


class DeviceError(Exception):
    """A call of the driver failed; `status` is its name."""

    def __init__(self, function: str, status: Any):
        self.status = getattr(status, "name", str(status))
        super().__init__(f"{function}: {self.status}")


def call(function: Callable, *arguments: object) -> Any:
    """Calls the driver: its only result, or all if there are several."""
    status, *results = function(*arguments)
    if int(status):
        raise DeviceError(function.__name__, status)
    return results[0] if len(results) == 1 else tuple(results)


def open_device() -> None:
    """Makes the first GPU's primary context this thread's."""
    call(driver.cuInit, 0)
    device = call(driver.cuDeviceGet, 0)
    call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, device))


def about() -> dict[str, Any]:
    """The first GPU and its driver, in words and numbers."""
    device = call(driver.cuDeviceGet, 0)
    name = driver.CUdevice_attribute

    def attribute(word: str) -> int:
        return int(call(driver.cuDeviceGetAttribute, getattr(name, f"CU_DEVICE_ATTRIBUTE_{word}"), device))

    version = int(call(driver.cuDriverGetVersion))
    return {
        "device": call(driver.cuDeviceGetName, 128, device).partition(b"\0")[0].decode(),
        "compute_capability": [
            attribute(f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR")
        ],
        "driver": f"CUDA {version // 1000}.{version % 1000 // 10}",
        "multiprocessors": attribute("MULTIPROCESSOR_COUNT"),
        "cache_bytes": attribute("L2_CACHE_SIZE"),
        "memory_bytes": int(call(driver.cuDeviceTotalMem, device)),
    }  # fmt: skip


def synchronize() -> None:
    call(driver.cuCtxSynchronize)


class Memory:
    """Some bytes on the GPU, at an address that is `misaligned` modulo 256. Around them are bytes that
    nothing may write, unless `exact`: compute-sanitizer is to see where the allocation ends. If they are not
    `given`, it is to see whether they are read, too."""

    def __init__(self, content: bytes, misaligned: int = 0, exact: bool = False, given: bool = True):
        self.size = len(content)
        self._before = misaligned if exact else _GUARD + misaligned
        self._all = self._before + self.size + (0 if exact else _GUARD)
        self._base = int(call(driver.cuMemAlloc, max(self._all, 1)))
        self.address = self._base + self._before
        if not exact:
            call(driver.cuMemsetD8, self._base, _FILL, self._all)
        if content and given:
            call(driver.cuMemcpyHtoD, self.address, content, self.size)

    def read(self) -> tuple[bytes, bool]:
        """The bytes, and whether those around them are untouched."""
        found = bytearray(self._all)
        if found:
            place = ctypes.addressof((ctypes.c_char * len(found)).from_buffer(found))
            call(driver.cuMemcpyDtoH, place, self._base, len(found))
        end = self._before + self.size
        around = found[: self._before] + found[end:]
        return bytes(found[self._before : end]), around.count(_FILL) == len(around)

    def fill(self, byte: int) -> None:
        call(driver.cuMemsetD8, self.address, byte, self.size)

    def free(self) -> None:
        call(driver.cuMemFree, self._base)


class Loaded:
    """A kernel of a cubin."""

    def __init__(self, cubin: bytes, symbol: str, shared: int = 0):
        self._library = call(driver.cuLibraryLoadData, cubin, [], [], 0, [], [], 0)
        kernel = call(driver.cuLibraryGetKernel, self._library, symbol.encode())
        self.function = call(driver.cuKernelGetFunction, kernel)
        self.shared = shared
        if shared > 48 * 1024:
            call(
                driver.cuFuncSetAttribute,
                self.function,
                _function_attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES"),
                shared,
            )

    def resources(self) -> dict[str, int]:
        names = {
            "registers": "NUM_REGS",
            "local_bytes": "LOCAL_SIZE_BYTES",
            "shared_bytes": "SHARED_SIZE_BYTES",
            "most_threads": "MAX_THREADS_PER_BLOCK",
        }
        return {
            name: int(call(driver.cuFuncGetAttribute, _function_attribute(word), self.function))
            for name, word in names.items()
        }

    def launcher(self, grid: Sequence[int], threads: int, arguments: Sequence[bytes]) -> Callable[[], None]:
        """A function that launches it with these bytes of its arguments."""
        kept = [ctypes.create_string_buffer(content, max(len(content), 1)) for content in arguments]
        places = (ctypes.c_void_p * max(len(kept), 1))(*map(ctypes.addressof, kept))
        x, y, z = (*grid, 1, 1)[:3]
        sizes = (x, y, z, threads, 1, 1, self.shared, 0, ctypes.addressof(places), 0)

        def launch() -> None:
            call(driver.cuLaunchKernel, self.function, *sizes)

        launch.kept = kept, places  # as long as there is the function
        return launch

    def unload(self) -> None:
        call(driver.cuLibraryUnload, self._library)


def _function_attribute(word: str) -> Any:
    return getattr(driver.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{word}")


class Event:
    """A moment in a stream."""

    def __init__(self):
        self._event = call(driver.cuEventCreate, 0)

    def record(self, stream: int = 0) -> None:
        call(driver.cuEventRecord, self._event, stream)

    def seconds_since(self, other: Event) -> float:
        call(driver.cuEventSynchronize, self._event)
        return 1e-3 * float(call(driver.cuEventElapsedTime, other._event, self._event))
