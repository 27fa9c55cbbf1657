"""What a target is (Target), what it is asked for (Request) and what it gives (Compiled, Executable,
Finding)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..frontend.kernel_info import KernelInfo

if TYPE_CHECKING:
    from ..launching.parameters import Parameter


class Threads(NamedTuple):
    """How many threads may share a tile block: a power of two from `fewest` to 1024."""

    fewest: int
    default: int


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Target:
    """What a target takes and gives. Importing it is quick: the work is in `module`.

    name:        as users call it
    module:      where compile() and examine() of this target are, imported when one of them is called
    on_gpu:      its kernels run on a CUDA device: `arch` is one of those, and NVRTC takes the options
    own_header:  whether it compiles our cuda_tile.h, so that it also takes the C++ made of Tile IR
    threads:     of a tile block, where `num_threads` may say how many; else None
    checked:     whether it makes checked builds
    debug:       whether gdb and the sanitizers can watch its kernels
    emits:       what `pycuda-tile compile --emit` can write, and which attribute of Module holds it
    is_usable:   whether target="auto" may choose it here
    """

    name: str
    module: str
    on_gpu: bool = False
    own_header: bool = True
    threads: Threads | None = None
    checked: bool = True
    debug: bool = False
    emits: Mapping[str, str] = field(default_factory=dict)
    is_usable: Callable[[], bool] = _always

    def compile(
        self, request: Request, names: Sequence[str], known: list[KernelInfo] | None = None
    ) -> Compiled:
        """Instantiates the kernels called `names`. Where `known`, the kernels of the source, is None, it
        looks for them and instantiates also those that are no templates."""
        return self._implementation().compile(request, names, known)

    def examine(self, probe: Callable[[], str]) -> Finding:
        """What the target can do on this machine. `probe` builds and launches a small kernel, and says so."""
        return self._implementation().examine(probe)

    def _implementation(self) -> ModuleType:
        return importlib.import_module(self.module)


class Request(NamedTuple):
    """The arguments of build(), checked; paths are absolute."""

    target: Target
    text: str
    name: str  # of the source, in messages
    path: Path | None  # where the source lies; None if it was given as text
    arch: str | None = None
    include_dirs: tuple[Path, ...] = ()
    defines: Mapping[str, str] = {}
    options: tuple[str, ...] = ()
    num_threads: int | None = None
    cache: bool = True
    checked: bool = False
    strict: bool = False  # checked, and pointers are held to their arrays also where nothing is accessed
    ignored: tuple[str, ...] = ()  # kinds of undefined behaviour that a checked build does not report
    clusters: bool = True  # whether the hint num_cta_in_cga counts

    @property
    def user_dirs(self) -> tuple[Path, ...]:
        """Where the user's own headers are looked for besides `include_dirs`: beside the source."""
        return (self.path.parent,) if self.path else ()


class Executable(Protocol):
    """One instantiated kernel. What a target does not have is None."""

    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    @property
    def binary(self) -> bytes: ...
    @property
    def ptx(self) -> str | None: ...
    @property
    def tileir(self) -> bytes | None: ...
    @property
    def attributes(self) -> dict[str, int | str]: ...
    @property
    def launcher(self) -> Any:
        """The target's own; a host's `explain` may be set (Module.explain_exceptions)."""

    def bind(
        self, grid: Sequence[int], stream: int | None = None, schedule_seed: int = 0
    ) -> Callable[..., None]:
        """A function that launches the kernel on `grid` with the arguments that it gets.

        stream:         a cudaStream_t; None: the current one of the framework that the first array is of
        schedule_seed:  0: in ascending order
        """

    def bind_any_grid(self, by_python: Callable[..., None]) -> Callable[..., None] | None:
        """A function as Kernel.launch is that runs no Python code where it can, else `by_python`, which does
        the same; None where it never can."""

    def stream_handle(self, stream: object) -> int:
        """The cudaStream_t of what a user calls a stream."""


class Compiled(NamedTuple):
    """What one compilation gave: the kernels of the source, executables by name."""

    arch: str
    log: str
    kernels: list[KernelInfo]
    executables: dict[str, Executable]
    binary: Callable[[], bytes]
    ptx: str | None = None
    tileir: bytes | None = None


@dataclass
class Finding:
    """What a target can do here; notes: what was found or is missing, a line each."""

    compiles: bool
    runs: bool
    notes: list[str]
