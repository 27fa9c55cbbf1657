"""Launches checked kernels on the host and tells the launcher which arrays they may access."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from pathlib import Path

from ..launching.arguments import ERROR_SIZE, Packer
from ..launching.arrays import Extent, extent_of, table
from ..launching.kernel_output import KernelOutput
from ..launching.launcher import HostLauncher, KernelDescription, Lines, library, poll_address
from ..launching.parameters import FUNCTION, Parameter
from . import KINDS
from .lines import find_frames
from .report import Report, make_error, make_wait_error

_VIOLATED, _ENDLESS_WAIT = 5, 6


class Array(ctypes.Structure):
    """`cuda_tile_array` of lib/launcher.h."""

    _fields_ = [
        ("address", ctypes.c_void_p),
        ("bytes", ctypes.c_ulonglong),
        ("item_bytes", ctypes.c_uint),
        ("writable", ctypes.c_uint),
    ]


def extents_of(packer: Packer, arguments: Sequence[object]) -> list[tuple[Parameter, Extent]]:
    """The memory of the arrays among the arguments of a launch, which have been checked before."""
    return [
        (parameter, extent_of(array, parameter))
        for parameter, value in zip(packer.parameters, arguments, strict=True)
        if parameter.pointer and parameter.kind != FUNCTION and value is not None
        for array in ([value.words, *value.arrays] if isinstance(value, table) else [value])
    ]


def as_array(parameter: Parameter, extent: Extent) -> Array:
    """An array of a launch, as the checks know it."""
    writable = not (parameter.const or extent.readonly)
    return Array(extent.address, extent.nbytes, extent.itemsize, writable)


class CheckedLauncher(HostLauncher):
    """Launches one kernel of a library that was built with checks.

    ignored: kinds of violations that are not reported; the other arguments are those of HostLauncher.
    """

    def __init__(
        self,
        description: KernelDescription,
        packer: Packer,
        output: KernelOutput,
        find_lines: Callable[[], Lines],
        source: tuple[str, Path],
        ignored: Sequence[str],
    ):
        super().__init__(description, packer, output, find_lines, source)
        self._find_frames = functools.partial(find_frames, find_lines().library)
        self._ignored = sum(1 << KINDS.index(kind) for kind in set(ignored))
        self._call_checked = library().cuda_tile_launch_checked

    def _make_direct(self) -> None:
        """Returns None, because the arrays of every launch are examined."""

    def _run(self, blocks: ctypes.Array, schedule_seed: int, /, *arguments: object, **named: object) -> None:
        frame = self._packer.pack(arguments, named)
        extents = extents_of(self._packer, arguments)
        arrays = (Array * len(extents))(*(as_array(*each) for each in extents))
        report = Report()
        status = self._call_checked(
            self._kernel, frame.address, blocks, schedule_seed, poll_address(), arrays, len(extents),
            self._ignored, ctypes.byref(report), frame.error_address, ERROR_SIZE,
        )  # fmt: skip
        self._output.show()
        if status == _VIOLATED:
            raise make_error(report, self._packer.kernel, self._find_frames, extents, self._source)
        if status == _ENDLESS_WAIT:
            raise make_wait_error(report, self._packer.kernel, self._find_frames, self._source)
        if status:
            self._fail(status, frame.error.value)
        self._packer.release(frame)
