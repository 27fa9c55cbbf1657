"""Which CUDA device this machine has, and what is missing to launch kernels on it.

This asks the driver library directly, without importing the bindings.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util

from ..errors import TargetUnavailable
from ..system.install import advice

EXTRA = "gpu"  # see system/install.py
_OLDEST = (7, 0)  # compute capability
_MAJOR, _MINOR = 75, 76  # CUdevice_attribute: compute capability


@functools.cache
def compute_capability() -> tuple[int, int] | None:
    """Compute capability of the first CUDA device; None if the machine has no device or no driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    device, count = ctypes.c_int(), ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return None
    numbers = []
    driver.cuDeviceGet(ctypes.byref(device), 0)
    for attribute in (_MAJOR, _MINOR):
        number = ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(number), attribute, device)
        numbers.append(number.value)
    return numbers[0], numbers[1]


def driver_version() -> str | None:
    """The newest CUDA version that the driver supports; None without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    number = ctypes.c_int()
    if driver.cuDriverGetVersion(ctypes.byref(number)):
        return None
    return f"{number.value // 1000}.{number.value % 1000 // 10}"


def device_name() -> str:
    """Name of the first CUDA device; call this only if compute_capability() found one."""
    driver = ctypes.CDLL("libcuda.so.1")
    device, name = ctypes.c_int(), ctypes.create_string_buffer(128)
    driver.cuDeviceGet(ctypes.byref(device), 0)
    driver.cuDeviceGetName(name, len(name), device)
    return name.value.decode(errors="replace")


def is_usable() -> bool:
    """Whether kernels can be compiled for a CUDA device of this machine and launched on it."""
    capability = compute_capability()
    return capability is not None and capability >= _OLDEST and has_cuda_python()


def has_cuda_python() -> bool:
    try:
        return importlib.util.find_spec("cuda.bindings") is not None
    except ModuleNotFoundError:
        return False


def default_arch() -> str:
    """The architecture of this machine's device, else "sm_80"."""
    capability = compute_capability()
    return f"sm_{capability[0]}{capability[1]}" if capability else "sm_80"


def check_available(kernel: str, target: str) -> None:
    """Raises TargetUnavailable if this machine cannot launch kernels on a GPU."""
    if compute_capability() is None:
        raise TargetUnavailable(
            f"{kernel} is built for {target}, but this machine has no CUDA GPU, or no driver for one: it can "
            "be compiled here, but not launched (target='cpu' runs here)"
        )
    if not has_cuda_python():
        raise TargetUnavailable(f"launching on a GPU needs cuda-python: {advice(EXTRA)}")
