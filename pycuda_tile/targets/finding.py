"""Helpers with which targets report to `pycuda-tile doctor` what is installed and which device there is."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ..compilers import nvrtc
from ..errors import Error, TargetUnavailable
from ..launching import gpu
from ..system.install import advice


def attempt(notes: list[str], find: Callable[[], str]) -> bool:
    """Notes what `find` returns, or the error that it raises; returns whether it succeeded."""
    try:
        notes.append(find())
        return True
    except TargetUnavailable as error:
        notes.append(f"missing: {error}")
    except Error as error:
        notes.append(f"failed: {error}")
    return False


def small_floats(folders: Sequence[str]) -> str:
    """Where the headers of __half and the other small floats come from."""
    found = next((folder for folder in folders if os.path.isfile(os.path.join(folder, "cuda_fp16.h"))), None)
    return f"cuda_fp16.h and others: {found or f'our own; for NVIDIA headers: {advice(gpu.EXTRA)}'}"


def nvrtc_version(extra: str) -> str:
    return ".".join(map(str, nvrtc.version(extra)))


def device(notes: list[str]) -> bool:
    """Notes which driver and GPU are present; returns whether kernels can be launched on the GPU."""
    driver, capability = gpu.driver_version(), gpu.compute_capability()
    if driver is None:
        notes.append(
            "missing: no driver for CUDA GPUs; install NVIDIA's, for instance with `apt install "
            "nvidia-driver`"
        )
        return False
    notes.append(f"driver: supports CUDA up to {driver}")
    if capability is None:
        notes.append("missing: the driver shows no CUDA GPU to this process")
        return False
    notes.append(f"GPU: {gpu.device_name()}, compute capability {capability[0]}.{capability[1]}")
    if not gpu.has_cuda_python():
        notes.append(f"missing: launching needs cuda-python: {advice(gpu.EXTRA)}")
    return gpu.is_usable()
