"""The Python side of the CPU launcher (lib/launcher.h): runs kernels that were compiled for the host."""

from __future__ import annotations

import ctypes
import functools
import operator
import os
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..compilers import native
from ..errors import ArgumentValueError, LaunchError
from ..system import resources
from . import direct
from .arguments import ERROR_SIZE, Packer
from .kernel_output import KernelOutput

_ABI_VERSION = 10
_INTERRUPTED, _EXCEPTION, _FAULT = 1, 7, 8
_MOST_WORKERS = 65536


class KernelDescription(ctypes.Structure):
    """`cuda_tile_kernel` of launch/block.h."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("entry", ctypes.c_void_p),
        ("threads", ctypes.c_uint),
        ("scratch_bytes", ctypes.c_uint),
        ("parameter_count", ctypes.c_uint),
        ("parameters", ctypes.POINTER(ctypes.c_uint)),
        ("independent", ctypes.c_uint),
    ]

    @property
    def codes(self) -> list[int]:
        return self.parameters[: self.parameter_count] if self.parameter_count else []


def set_num_workers(count: int | None) -> None:
    """Sets how many threads run a launch on the CPU.

    count:  a number of threads, at least 1; None means one for each core this process may use

    Raises ArgumentValueError for any other count.
    """
    try:
        wanted = 0 if count is None else operator.index(count)
    except TypeError:
        wanted = -1
    if not (count is None or 1 <= wanted <= _MOST_WORKERS):
        raise ArgumentValueError(
            f"the number of workers must be from 1 to {_MOST_WORKERS}, or None, got {count!r}"
        )
    library().cuda_tile_set_num_workers(wanted)


def num_workers() -> int:
    """How many threads run the blocks of a launch on the CPU."""
    return library().cuda_tile_num_workers()


class Lines(NamedTuple):
    """The files that map places in a kernel's code to lines of the source."""

    entry: object  # keeps the library if it is not in the cache
    library: Path  # the same code with debug information
    source: tuple[str, Path]  # the name of the source in messages, and where it lies
    is_checked: bool


class HostLauncher:
    """Launches one kernel of a loaded library.

    find_lines: returns the Lines; it may take as long as a build
    source: the name of the source in messages, and where it lies
    explain: turns the message about an exception that left the kernel into an error; None if it has none
    """

    explain: Callable[[str], Exception | None] | None = None

    def __init__(
        self,
        description: KernelDescription,
        packer: Packer,
        output: KernelOutput,
        find_lines: Callable[[], Lines],
        source: tuple[str, Path],
    ):
        self._description = description  # its memory belongs to the library, which is never unloaded
        self._kernel = ctypes.addressof(description)
        self._packer = packer
        self._output = output
        self._find_lines = find_lines
        self._source = source
        self._call = library().cuda_tile_launch
        self._direct: direct.DirectKernel | None = None

    def take_either_sign(self) -> None:
        """See Module.take_either_sign."""
        self._packer.take_either_sign()

    def bind(self, grid: Sequence[int], schedule_seed: int = 0) -> Callable[..., None]:
        """A function that launches the kernel on `grid` with its arguments."""
        run = functools.partial(self._run, (ctypes.c_uint * 3)(*grid), schedule_seed)
        if schedule_seed or (kernel := self._direct or self._make_direct()) is None:
            return run
        return kernel.bind(grid, run, fail=self._fail, output=self._output)

    def bind_any_grid(self, by_python: Callable[..., None]) -> Callable[..., None] | None:
        """See Executable."""
        kernel = self._direct or self._make_direct()
        return kernel.bind_any_grid(by_python, self._fail, self._output) if kernel else None

    def _make_direct(self) -> direct.DirectKernel | None:
        start = ctypes.cast(self._call, ctypes.c_void_p).value or 0
        kernel = direct.make_kernel(self._packer.parameters, False, start)
        if kernel is not None:
            kernel.load(self._kernel)
        self._direct = kernel
        return kernel

    def _run(
        self, blocks: ctypes.Array[ctypes.c_uint], schedule_seed: int, /, *arguments: object, **named: object
    ) -> None:
        frame = self._packer.pack(arguments, named)
        status = self._call(
            self._kernel,
            frame.address,
            blocks,
            schedule_seed,
            poll_address(),
            frame.error_address,
            ERROR_SIZE,
        )
        if status:
            self._fail(status, frame.error.value)
        self._output.show()
        self._packer.release(frame)

    def _fail(self, status: int, message: bytes) -> None:
        self._output.show()
        if status == _INTERRUPTED:
            # The poll took the signal; now its handler runs, which usually raises KeyboardInterrupt.
            signal.raise_signal(signal.SIGINT)
            raise KeyboardInterrupt
        text = message.decode(errors="replace")
        if status == _EXCEPTION and self.explain and (error := self.explain(text)):
            raise error
        if status == _FAULT:
            from ..checked.faults import explain

            name, path = self._source
            text = explain(text.replace(f"{path}:", f"{name}:"), self._find_lines)
        raise LaunchError(f"{self._packer.kernel}: {text}")


# Asks for a pending Ctrl-C without running Python code, since an exception raised in a callback is lost.
_POLL = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.pythonapi.PyOS_InterruptOccurred)
_POLL_ADDRESS = ctypes.cast(_POLL, ctypes.c_void_p).value


def poll_address() -> int | None:
    """The address of a function that tells whether a Ctrl-C is pending; None outside of the main thread."""
    return _POLL_ADDRESS if threading.get_ident() == threading.main_thread().ident else None


@functools.cache
def library() -> ctypes.CDLL:
    library = native.load(
        "cuda_tile_launcher", resources.launcher_source_dir(), ("cuda_tile_abi_version", _ABI_VERSION)
    )
    pointer: Any = ctypes.c_void_p
    number: Any = ctypes.c_ulonglong
    launch = [pointer, pointer, pointer, number, pointer]
    error = [pointer, ctypes.c_uint]
    checks = [pointer, ctypes.c_uint, number, pointer]
    library.cuda_tile_launch.argtypes = [*launch, *error]
    library.cuda_tile_launch_checked.argtypes = [*launch, *checks, *error]
    library.cuda_tile_set_num_workers.argtypes = [ctypes.c_uint]
    library.cuda_tile_set_num_workers.restype = None
    library.cuda_tile_num_workers.restype = ctypes.c_uint
    if os.environ.get("PYCUDA_TILE_DEBUG"):
        library.cuda_tile_set_num_workers(1)  # one block at a time, so that a debugger steps through it
    return library
