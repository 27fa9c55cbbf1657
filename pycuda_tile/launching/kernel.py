"""A kernel that can be launched, as `module.kernel(name)` returns it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import ArgumentTypeError, BuildTypeError
from .grid import check_grid
from .parameters import Parameter

if TYPE_CHECKING:
    from ..targets.target import Executable

_are_ints = {int}.issuperset  # tests types, because 1.0 and True equal 1
_LAUNCHES_KEPT = 64  # launch functions that a kernel remembers, one for each grid and stream


class Kernel:
    """One instantiated kernel: `k[grid](arguments...)` launches it.

    name:        its name expression
    parameters:  tuple with the name, cxx_type and dtype of each parameter
    binary:      cubin or shared library, bytes
    ptx:         str on `simt`, else None
    tileir:      bytecode on `tile`, else None
    attributes:  dict of what the target reports: registers, shared_bytes (including dynamic_shared_bytes),
                 local_bytes, threads (of a block); and mma, the unit that multiplies matrices: "wgmma",
                 "mma.sync", "FMA", "AMX", "blocks" (of registers), or several; absent without products.
                 cpu, emulated: path, "fused" or "by operation", and reason, why not all is fused
    """

    def __init__(self, name: str, target: str, executable: Executable):
        self.name = name
        self.target = target
        self._executable = executable
        self._bound: dict[object, Callable[..., None]] = {}

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        """A function that launches the kernel on `grid`, an integer or a tuple of one to three."""
        kind = type(grid)
        is_usual = kind is int or (kind is tuple and _are_ints(map(type, grid)))
        if is_usual and (launch := self._bound.get(grid)):
            return launch
        return self._bind(grid, None)

    def _bind(self, grid: object, stream: int | None) -> Callable[..., None]:
        checked = check_grid(self.name, grid)
        key = grid if type(grid) in (int, tuple) else checked
        if stream is not None:
            key = (key, stream)
        if (launch := self._bound.get(key)) is None:
            if len(self._bound) >= _LAUNCHES_KEPT:
                self._bound.clear()
            launch = self._bound[key] = self._executable.bind(checked, stream)
            if "launch" not in self.__dict__ and (quick := self._executable.bind_any_grid(self.launch)):
                self.__dict__["launch"] = quick  # replaces the method
        return launch

    def launch(
        self,
        grid: object,
        *arguments: object,
        stream: object = None,
        schedule_seed: int | None = None,
        **named: object,
    ) -> None:
        """Launches the kernel on `grid`.

        arguments:      one for each parameter: array, number, None (null pointer), pct.strided(x), pct.ptr(x)
        stream:         simt, tile: an object with __cuda_stream__, or the address of a cudaStream_t
        schedule_seed:  cpu, emulated: runs the blocks in an order shuffled by this number
        named:          rejected: arguments are passed by position

        Raises LaunchError, whose message names the argument, if an argument does not fit; nothing has run.
        """
        handle = None if stream is None else self._executable.stream_handle(stream)
        if schedule_seed is None:
            key = grid if handle is None else (grid, handle)
            launch = (self._bound.get(key) if type(grid) is int else None) or self._bind(grid, handle)
        elif hasattr(schedule_seed, "__index__") and 0 <= operator.index(schedule_seed) < 2**64 - 1:
            seed = operator.index(schedule_seed) + 1  # 0 means ascending order to the launcher
            launch = self._executable.bind(check_grid(self.name, grid), handle, seed)
        else:
            raise ArgumentTypeError(
                f"{self.name}: schedule_seed must be an integer from 0 to 2**64 - 2, got {schedule_seed!r}"
            )
        launch(*arguments, **named)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Name, C++ type and NumPy type of each parameter, as the compiler sees them."""
        return self._executable.parameters

    @property
    def binary(self) -> bytes:
        return self._executable.binary

    @property
    def ptx(self) -> str | None:
        return self._executable.ptx

    @property
    def tileir(self) -> bytes | None:
        return self._executable.tileir

    @property
    def attributes(self) -> dict[str, int | str]:
        return self._executable.attributes

    def __call__(self, *arguments: object, **named: object) -> None:
        raise ArgumentTypeError(f"{self.name}: a launch needs a grid: kernel[grid](...)")

    def __reduce__(self) -> NoReturn:
        raise not_picklable(self)

    def __repr__(self) -> str:
        parameters = ", ".join(f"{p.cxx_type} {p.name}".rstrip() for p in self._executable.parameters)
        return f"<pycuda_tile.Kernel {self.name}({parameters}) for {self.target}>"


def not_picklable(what: object) -> BuildTypeError:
    return BuildTypeError(
        f"{what!r} is loaded code, which cannot be pickled or copied: build the source in each process, "
        "which takes it from the cache"
    )
