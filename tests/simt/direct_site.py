"""Launches without Python code; the kernels are functions of the test, so no GPU is needed."""

import ctypes
import struct
import threading
from typing import NamedTuple

import pycuda_tile as pct
from pycuda_tile.launching import direct
from pycuda_tile.launching.parameters import Parameter, decode

STREAM = 0x51
KERNEL = 0xCE


def parameter(kind: int, size: int, pointer: bool = False, const: bool = False) -> Parameter:
    return decode("k", [kind | (2 if const else 1 if pointer else 0) << 8 | size << 16], ["x"])[0]


class Started(NamedTuple):
    """A launch as it reached the driver or, on the host, the launcher."""

    grid: tuple[int, int, int]
    values: list[bytes]
    stream: int | None
    thread: int


class Site:
    """A launch function of a kernel that only records its launches: those that were `started`, and the
    arguments of those passed to Python. Launches return `status`, and call `wait` before they look at their
    arguments."""

    def __init__(self, parameters, on_device: bool, stream=None, status: int = 0, wait=lambda: None):
        self.started, self.by_python, self.failed = [], [], []
        self.sizes = [struct.calcsize(f"={each.format}") for each in parameters]
        self.status, self.wait = status, wait
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        if on_device:
            signature = [pointer, *[number] * 7, pointer, pointer, pointer]
            self._start = ctypes.CFUNCTYPE(ctypes.c_int, *signature)(self._on_device)
        else:
            grid, seed = ctypes.POINTER(number), ctypes.c_ulonglong
            signature = [pointer, pointer, grid, seed, pointer, pointer, number]
            self._start = ctypes.CFUNCTYPE(ctypes.c_int, *signature)(self._on_host)
        address = ctypes.cast(self._start, pointer).value
        self.kernel = direct.make_kernel(parameters, on_device, address, 128, 64)
        assert self.kernel is not None
        self.kernel.load(KERNEL)
        self.launch = self.kernel.bind((3, 2, 1), self._python, stream, self._fail)
        self.launch_on = self.kernel.bind_any_grid(self._python, self._fail)  # like Kernel.launch

    def _python(self, *arguments, **named) -> None:
        self.by_python.append((*arguments, named) if named else arguments)

    def _fail(self, status: int, message: bytes) -> None:
        self.failed.append((status, message))
        raise pct.LaunchError("as it was told")

    def _note(self, grid: tuple, stream: int | None, arguments: int | None) -> int:
        self.wait()
        places = (ctypes.c_void_p * len(self.sizes)).from_address(arguments)
        values = [ctypes.string_at(place, size) for place, size in zip(places, self.sizes, strict=True)]
        self.started.append(Started(grid, values, stream, threading.get_ident()))
        return self.status

    def _on_device(self, kernel, x, y, z, threads, ty, tz, shared, stream, arguments, extra) -> int:
        assert (kernel, threads, ty, tz, shared, extra) == (KERNEL, 128, 1, 1, 64, None)
        return self._note((x, y, z), stream, arguments)

    def _on_host(self, kernel, arguments, grid, seed, poll, error, error_size) -> int:
        assert (kernel, seed) == (KERNEL, 0)
        is_main = threading.current_thread() is threading.main_thread()
        assert (poll is not None) == is_main and error_size >= 16
        ctypes.memmove(error, b"a message\0", 10)
        return self._note(tuple(grid[:3]), None, arguments)
