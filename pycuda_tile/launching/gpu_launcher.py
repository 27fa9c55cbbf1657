"""Loads code with cuda.bindings.driver and launches its kernels; the GPU targets share this."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import ArgumentTypeError, LaunchError
from . import direct, gpu
from .arguments import Packer
from .parameters import Parameter
from .streams import current_stream, stream_handle


class GpuLibrary:
    """The code of kernels, a cubin or PTX, which is loaded on the first launch of one of them. They share its
    variables, of which each CUDA context has a copy. The code stays loaded: a kernel may still run when
    nothing refers to it any more."""

    def __init__(self, code: Callable[[], bytes]):
        self.code = code
        self._lock = threading.Lock()
        self._handle: Any = None

    def load(self, driver: Any, check: Callable[[Any, Any], None]) -> Any:
        """Its CUlibrary. `check` raises an error for a status of the driver that is not success."""
        with self._lock:
            if self._handle is None:
                status, handle = driver.cuLibraryLoadData(self.code(), [], [], 0, [], [], 0)
                check(driver, status)
                self._handle = handle
        return self._handle


class GpuLauncher:
    """Launches one kernel of a library. A block has `threads` threads and `shared` bytes of dynamic shared
    memory."""

    def __init__(
        self,
        target: str,
        library: GpuLibrary,
        symbol: str,
        threads: int,
        packer: Packer,
        shared: int = 0,
    ):
        self._target = target
        self.library = library
        self._symbol = symbol
        self._threads = threads
        self._shared = shared
        self._packer = packer
        self._lock = threading.Lock()
        self._kernel: int | None = None  # address of its CUkernel, once it is loaded
        self._direct: direct.DirectKernel | None = None

    def take_either_sign(self) -> None:
        """See Module.take_either_sign."""
        self._packer.take_either_sign()

    def bind(self, grid: Sequence[int], stream: int | None = None) -> Callable[..., None]:
        """A function that launches the kernel on `grid`, on `stream` or else on the current stream of its
        arguments' framework. As usual on a GPU, the kernel may still run when the function returns."""
        sizes = (*grid, self._threads, 1, 1, self._shared)

        def launch(*arguments: object, **named: object) -> None:
            self._start(sizes, arguments, stream, named)

        kernel = self._direct or self._make_direct()
        return launch if kernel is None else kernel.bind(grid, launch, stream)

    def bind_any_grid(self, by_python: Callable[..., None]) -> Callable[..., None] | None:
        """See Executable."""
        kernel = self._direct or self._make_direct()
        return kernel.bind_any_grid(by_python) if kernel else None

    def _make_direct(self) -> direct.DirectKernel | None:
        if gpu.compute_capability() is None or (start := _launch_address()) is None:
            return None
        with self._lock:
            kernel = direct.make_kernel(self._packer.parameters, True, start, self._threads, self._shared)
            if kernel is not None and self._kernel is not None:
                kernel.load(self._kernel)
            self._direct = kernel
        return kernel

    def _start(
        self,
        sizes: tuple[int, ...],
        arguments: Sequence[object],
        stream: int | None,
        named: Iterable[str] = (),
    ) -> None:
        if self._kernel is None:
            self._load()
        frame = self._packer.pack(arguments, named)
        handle = current_stream(arguments) if stream is None else stream
        driver = sys.modules["cuda.bindings.driver"]  # _load has imported it; this is faster than an import
        status = driver.cuLaunchKernel(self._kernel, *sizes, handle, frame.address, 0)[0]
        if status:
            self._try_again(status, (*sizes, handle, frame.address, 0))
        self._packer.release(frame)  # the driver has copied the arguments

    def _try_again(self, status: Any, call: tuple[object, ...]) -> None:
        """Repeats a launch that failed, as the first launch of a thread does because it has no context."""
        from cuda.bindings import driver

        if status == driver.CUresult.CUDA_ERROR_INVALID_CONTEXT:
            ensure_context(driver)
            (status,) = driver.cuLaunchKernel(self._kernel, *call)
        self._check(driver, status)

    def _load(self) -> None:
        self._check_available()
        from cuda.bindings import driver

        with self._lock, _allowed_while_capturing(driver):
            if self._kernel is None:
                ensure_context(driver)
                library = self.library.load(driver, self._check)
                status, kernel = driver.cuLibraryGetKernel(library, self._symbol.encode())
                self._check(driver, status)
                status, _ = driver.cuKernelGetFunction(kernel)  # loads the code now and not on first launch
                self._check(driver, status)
                self._allow_shared(driver, kernel)
                self._kernel = int(kernel)
                if self._direct is not None:
                    self._direct.load(self._kernel)

    def _allow_shared(self, driver: Any, kernel: Any) -> None:
        """Requests dynamic shared memory explicitly, as CUDA demands from 48 KiB up."""
        if self._shared <= 48 * 1024:
            return
        status, device = driver.cuCtxGetDevice()
        self._check(driver, status)
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        (status,) = driver.cuKernelSetAttribute(attribute, self._shared, kernel, device)
        self._check(driver, status)

    def _check(self, driver: Any, status: Any) -> None:
        if status != driver.CUresult.CUDA_SUCCESS:
            _, text = driver.cuGetErrorString(status)
            raise LaunchError(f"{self._packer.kernel}: {status.name}: {(text or b'').decode()}")

    def _check_available(self) -> None:
        gpu.check_available(self._packer.kernel, self._target)


class ClusterLauncher:
    """Launches a kernel that was compiled for clusters of blocks because of a hint.

    CUDA rejects grids that are not a multiple of the cluster along x. As a hint must not change meaning, such
    grids run a kernel without clusters, which `make_plain` compiles when it is first needed.
    """

    def __init__(self, clustered: GpuLauncher, cluster: int, make_plain: Callable[[], GpuLauncher]):
        self._clustered = clustered
        self._cluster = cluster
        self._plain = functools.cache(make_plain)

    def take_either_sign(self) -> None:
        """See Module.take_either_sign."""
        make_plain = self._plain

        def plain() -> GpuLauncher:
            launcher = make_plain()
            launcher.take_either_sign()
            return launcher

        self._clustered.take_either_sign()
        self._plain = functools.cache(plain)

    def bind(self, grid: Sequence[int], stream: int | None = None) -> Callable[..., None]:
        launcher = self._plain() if grid[0] % self._cluster else self._clustered
        return launcher.bind(grid, stream)

    def bind_any_grid(self, by_python: Callable[..., None]) -> None:
        """Returns None, because the grid decides which kernel is launched."""


class GpuExecutable(NamedTuple):
    """A kernel of a GPU target: an Executable."""

    parameters: tuple[Parameter, ...]
    launcher: GpuLauncher | ClusterLauncher
    make_binary: Callable[[], bytes]
    attributes: dict[str, int | str]
    ptx: str | None = None
    tileir: bytes | None = None

    @property
    def binary(self) -> bytes:
        return self.make_binary()

    def bind(
        self, grid: Sequence[int], stream: int | None = None, schedule_seed: int = 0
    ) -> Callable[..., None]:
        if schedule_seed:
            raise ArgumentTypeError(
                "schedule_seed applies only to the targets cpu and emulated: a GPU chooses the order of "
                "blocks itself"
            )
        return self.launcher.bind(grid, stream)

    def bind_any_grid(self, by_python: Callable[..., None]) -> Callable[..., None] | None:
        return self.launcher.bind_any_grid(by_python)

    def stream_handle(self, stream: object) -> int:
        return stream_handle(stream)


@functools.cache
def _launch_address() -> int | None:
    """Address of cuLaunchKernel; None if the user configured cuda.bindings to call a variant of it. There
    must be a driver."""
    if os.environ.get("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM", "0") != "0":
        return None
    return ctypes.cast(ctypes.CDLL("libcuda.so.1").cuLaunchKernel, ctypes.c_void_p).value


@contextlib.contextmanager
def _allowed_while_capturing(driver: Any) -> Iterator[None]:
    """Allows calls that CUDA forbids a thread during stream capture although they do not affect the capture,
    such as loading code when a kernel's first launch is captured."""
    status, before = driver.cuThreadExchangeStreamCaptureMode(
        driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    )
    try:
        yield
    finally:
        if not status:
            driver.cuThreadExchangeStreamCaptureMode(before)


def ensure_context(driver: Any) -> None:
    """Makes the first device current for this thread unless the program has chosen one already."""
    driver.cuInit(0)
    status, context = driver.cuCtxGetCurrent()
    if status == driver.CUresult.CUDA_SUCCESS and int(context) == 0:
        _, context = driver.cuDevicePrimaryCtxRetain(0)
        driver.cuCtxSetCurrent(context)
