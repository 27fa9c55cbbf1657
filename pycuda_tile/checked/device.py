"""Launches checked kernels on a GPU. A variable of the module tells the kernel what it may access, and the
kernel stores its first violation there (include/cuda_tile/platform/cuda_checks.h)."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import LaunchError
from ..launching.arguments import Packer
from ..launching.gpu_launcher import GpuLauncher, GpuLibrary, ensure_context
from ..launching.streams import current_stream
from . import KINDS
from .launcher import Array, as_array, extents_of
from .report import NO_ARRAY, Report, make_error
from .sites import Place, frames_of, number_sites, publish_variables

_VARIABLE = "cuda_tile_checks"
_MOST_ARRAYS = 512


class _DeviceChecks(ctypes.Structure):
    """`cuda_tile_device_checks` of launch/checks.h."""

    _fields_ = [
        ("report", Report),
        ("is_taken", ctypes.c_uint),
        ("array_count", ctypes.c_uint),
        ("ignored", ctypes.c_ulonglong),
        ("arrays", Array * _MOST_ARRAYS),
    ]


class CheckedCode(NamedTuple):
    """PTX with numbered checks: `sites` holds the place of each, `variables` names the module's variables."""

    ptx: bytes
    sites: list[list[Place]]
    variables: list[str]


def make_checked_code(ptx: str, folder: Path) -> CheckedCode:
    """CheckedCode from the PTX of a checked build; a source given as text is `folder`/source.cu."""
    numbered, sites = number_sites(ptx)
    published, variables = publish_variables(numbered)
    text = str(folder / "source.cu")
    named = [
        [(text if Path(file).name == "<source>" else file, line) for file, line in site] for site in sites
    ]
    return CheckedCode(published.encode() + b"\0", named, [name for name in variables if name != _VARIABLE])


class CheckedGpuLibrary(GpuLibrary):
    """The code of checked kernels. Their launches take turns, as the variable for the checks is one of those
    that they share."""

    def __init__(self, checked: CheckedCode):
        super().__init__(lambda: checked.ptx)
        self.checked = checked
        self.one_at_a_time = threading.Lock()


class CheckedGpuLauncher(GpuLauncher):
    """Launches one checked kernel, waits for it, and raises an error for the violation that it found.

    source: the name of the kernel's source in messages, and its path; ignored: kinds of violations that are
    not reported.
    """

    library: CheckedGpuLibrary

    def __init__(
        self,
        target: str,
        library: CheckedGpuLibrary,
        symbol: str,
        threads: int,
        packer: Packer,
        source: tuple[str, Path],
        ignored: Sequence[str],
        shared: int = 0,
    ):
        super().__init__(target, library, symbol, threads, packer, shared)
        self._source = source
        self._ignored = sum(1 << KINDS.index(kind) for kind in set(ignored))

    def bind(self, grid: Sequence[int], stream: int | None = None) -> Callable[..., None]:
        sizes = (*grid, self._threads, 1, 1, self._shared)
        return lambda *arguments, **named: self._start_checked(sizes, arguments, stream, named)

    def bind_any_grid(self, by_python: Callable[..., None]) -> None:
        """Returns None, because the arrays of every launch are examined."""

    def _start_checked(
        self, sizes: tuple[int, ...], arguments: Sequence[object], stream: int | None, named: Iterable[str]
    ) -> None:
        self._packer.release(self._packer.pack(arguments, named))  # rejects arguments that do not fit
        extents = extents_of(self._packer, arguments)
        if self._kernel is None:
            self._load()
        from cuda.bindings import driver

        ensure_context(driver)
        handle = current_stream(arguments) if stream is None else stream
        with self.library.one_at_a_time:
            found = self._find(driver, _VARIABLE)
            if found is None:
                return self._start(sizes, arguments, handle)  # the kernel has no checks
            variable, _ = found
            checks = self._prepare(driver, extents)
            size = ctypes.sizeof(checks)
            self._call(driver, driver.cuMemcpyHtoDAsync, variable, ctypes.addressof(checks), size, handle)
            self._start(sizes, arguments, handle)
            self._call(driver, driver.cuMemcpyDtoHAsync, ctypes.addressof(checks), variable, size, handle)
            self._call(driver, driver.cuStreamSynchronize, handle)
        if checks.is_taken:
            raise self._error(checks, extents)

    def _prepare(self, driver: Any, extents: Sequence[tuple]) -> _DeviceChecks:
        """What the kernel may access: the arrays of the launch, then the module's own variables."""
        arrays = [as_array(parameter, extent) for parameter, extent in extents]
        variables = (self._find(driver, name) for name in self.library.checked.variables)
        arrays += [Array(*found, 1, 1) for found in variables if found]
        if len(arrays) > _MOST_ARRAYS:
            raise LaunchError(
                f"{self._packer.kernel}: a checked launch on a GPU can have at most {_MOST_ARRAYS} arrays"
            )
        checks = _DeviceChecks(array_count=len(arrays), ignored=self._ignored)
        checks.arrays[: len(arrays)] = arrays
        return checks

    def _find(self, driver: Any, name: str) -> tuple[int, int] | None:
        """Address and size of a variable; None if the code has none of that name because it is unused."""
        library = self.library.load(driver, self._check)
        status, address, size = driver.cuLibraryGetGlobal(library, name.encode())
        if status == driver.CUresult.CUDA_ERROR_NOT_FOUND:
            return None
        self._check(driver, status)
        return int(address), size

    def _call(self, driver: Any, function: Callable[..., Any], *arguments: object) -> None:
        (status,) = function(*arguments)
        self._check(driver, status)

    def _error(self, checks: _DeviceChecks, extents: Sequence[tuple]) -> Exception:
        report = checks.report
        if len(extents) <= report.array < checks.array_count:  # one of the module's own variables
            report.offset += checks.arrays[report.array].address
            report.array = NO_ARRAY
        frames = [frames_of(self.library.checked.sites, report.frames[0])]
        report.frames[0] = 0
        return make_error(report, self._packer.kernel, lambda _: frames, extents, self._source)
