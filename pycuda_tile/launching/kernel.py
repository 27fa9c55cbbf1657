"""A kernel that can be launched, as `module.kernel(name)` returns it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, SupportsIndex

from ..errors import ArgumentTypeError, BuildTypeError
from ..system import html
from .grid import check_grid
from .parameters import Parameter, table_of

if TYPE_CHECKING:
    from ..targets.target import Executable, Request

#: The numbers of blocks along x, y and z.
Grid = (
    SupportsIndex
    | tuple[SupportsIndex]
    | tuple[SupportsIndex, SupportsIndex]
    | tuple[SupportsIndex, SupportsIndex, SupportsIndex]
)
_are_ints = {int}.issuperset  # tests types, because 1.0 and True equal 1
_LAUNCHES_KEPT = 64  # launch functions that a kernel remembers, one for each grid and stream


class Launch:
    """A kernel and its grid: called with the arguments, it launches the kernel."""

    # A call of an object with __call__ in a slot runs no Python code.
    __slots__ = ("__call__", "__weakref__", "grid", "kernel")
    __call__: Callable[..., None]

    def __init__(self, call: Callable[..., None], kernel: Kernel, grid: tuple[int, int, int]):
        self.__call__ = call
        self.kernel, self.grid = kernel, grid

    def __repr__(self) -> str:
        return f"<pycuda_tile.Launch {self._name()}: {self._blocks()} of {self.kernel.signature}>"

    def _repr_html_(self) -> str:
        parameters = table_of(self.kernel.parameters)
        return html.heading(self._name(), f"for {self.kernel.target}, {self._blocks()}") + parameters

    def _name(self) -> str:
        x, y, z = self.grid
        shown = (x, y, z) if z > 1 else (x, y) if y > 1 else (x,)
        return f"{self.kernel.name}[{', '.join(map(str, shown))}]"

    def _blocks(self) -> str:
        count = math.prod(self.grid)
        return "1 block" if count == 1 else f"{count} blocks"


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

    def __init__(self, name: str, request: Request, executable: Executable):
        self.name = name
        self.target = request.target.name
        self._request = request
        self._executable = executable
        self._bound: dict[object, Launch] = {}

    def __getitem__(self, grid: Grid) -> Launch:
        """What launches the kernel on `grid`, an integer or a tuple of one to three."""
        is_usual = type(grid) is int or (type(grid) is tuple and _are_ints(map(type, grid)))
        if is_usual and (launch := self._bound.get(grid)):
            return launch
        return self._bind(grid, None)

    def _bind(self, grid: object, stream: int | None) -> Launch:
        checked = check_grid(self.name, grid)
        key = grid if type(grid) in (int, tuple) else checked
        if stream is not None:
            key = (key, stream)
        if (launch := self._bound.get(key)) is None:
            if len(self._bound) >= _LAUNCHES_KEPT:
                self._bound.clear()
            launch = self._bound[key] = Launch(self._executable.bind(checked, stream), self, checked)
            if "launch" not in self.__dict__ and (quick := self._executable.bind_any_grid(self.launch)):
                self.__dict__["launch"] = quick  # replaces the method
        return launch

    def launch(
        self,
        grid: Grid,
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
            known = self._bound.get(key) if type(grid) is int else None
            launch: Callable[..., None] = known or self._bind(grid, handle)
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

    @property
    def signature(self) -> str:
        """The name and the parameters."""
        return f"{self.name}({', '.join(parameter.declaration for parameter in self.parameters)})"

    def __repr__(self) -> str:
        return f"<pycuda_tile.Kernel {self.signature} for {self.target}>"

    def _repr_html_(self) -> str:
        attributes = html.table(("attribute", "value"), self.attributes.items())
        return html.heading(self.name, f"for {self.target}") + table_of(self.parameters) + attributes


def not_picklable(what: object) -> BuildTypeError:
    return BuildTypeError(
        f"{what!r} is loaded code, which cannot be pickled or copied: build the source in each process, "
        "which takes it from the cache"
    )
