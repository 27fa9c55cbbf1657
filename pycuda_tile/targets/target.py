"""What describes a target (Target), what it gets (Request) and what it returns (Compiled, Executable,
Finding)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..frontend.kernel_info import KernelInfo
from ..system import progress

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
    """Describes a target. Importing the description is fast: the work is done in `module`.

    name:        the name that users give
    module:      defines compile() and examine() of this target; imported when one of them is called
    on_gpu:      whether its kernels run on a CUDA device: `arch` is a GPU's and the options are NVRTC's
    own_header:  whether it compiles our cuda_tile.h and therefore also C++ generated from Tile IR
    threads:     limits of `num_threads`, the threads of a tile block; None if the target does not take it
    checked:     whether it has checked builds
    front_ends:  what may read the source, the default first; () if there is nothing to choose
    debug:       whether gdb and the sanitizers work on its kernels
    fuses:       whether it can fuse operations into loops
    emits:       what `pycuda-tile compile --emit` can write, and which attribute of Module holds it: "" for
                 what is made before there is a module
    is_usable:   whether target="auto" may select it on this machine
    """

    name: str
    module: str
    on_gpu: bool = False
    own_header: bool = True
    threads: Threads | None = None
    checked: bool = True
    front_ends: tuple[str, ...] = ()
    debug: bool = False
    fuses: bool = False
    emits: Mapping[str, str] = field(default_factory=dict)
    is_usable: Callable[[], bool] = _always

    def compile(
        self, request: Request, names: Sequence[str], known: list[KernelInfo] | None = None
    ) -> Compiled:
        """Instantiates the kernels called `names`. `known` are the kernels of the source; if it is None, this
        function finds them and also instantiates those that are not templates."""
        with progress.shown(f"pycuda_tile: building {request.name} for {self.name}"):
            return self._implementation().compile(request, names, known)

    def examine(self, probe: Callable[[], str]) -> Finding:
        """What the target can do on this machine. `probe` builds and launches a small kernel and reports on
        it."""
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
    strict: bool = False  # checked, and also reports pointers that leave their array without an access
    ignored: tuple[str, ...] = ()  # kinds of undefined behaviour that a checked build does not report
    front_end: str = ""  # one of the target's front_ends
    api: str = ""  # the version of the API, one of spec.API_VERSIONS; "": the default
    optimize: bool | str = False  # whether operations are fused; "auto": as far as there are rules
    clusters: bool = True  # whether the hint num_cta_in_cga has an effect

    @property
    def user_dirs(self) -> tuple[Path, ...]:
        """The folders of the user's own headers besides `include_dirs`: the folder of the source."""
        return (self.path.parent,) if self.path else ()

    @property
    def way(self) -> dict[str, Any]:
        """How kernels are built, whatever the source is, for keys of the cache."""
        told = self._asdict() | {
            "target": self.target.name,
            "include_dirs": list(map(str, self.include_dirs)),
        }
        return {name: value for name, value in told.items() if name not in ("text", "name", "path", "cache")}


class Executable(Protocol):
    """One instantiated kernel. Attributes that a target lacks are None."""

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
        """The target's launcher; on the host its `explain` may be set (Module.explain_exceptions)."""

    def bind(
        self, grid: Sequence[int], stream: int | None = None, schedule_seed: int = 0
    ) -> Callable[..., None]:
        """A function that launches the kernel on `grid` with its arguments.

        stream:         a cudaStream_t; None means the current stream of the first array's framework
        schedule_seed:  0 means ascending order of blocks
        """

    def bind_any_grid(self, by_python: Callable[..., None]) -> Callable[..., None] | None:
        """A function like Kernel.launch that runs no Python code if possible, else calls `by_python`, which
        does the same; None if it is never possible."""

    def stream_handle(self, stream: object) -> int:
        """The cudaStream_t of any object that a user may pass as a stream."""


class Compiled(NamedTuple):
    """The result of one compilation: the kernels of the source, and executables by name."""

    arch: str
    log: str
    kernels: list[KernelInfo]
    executables: dict[str, Executable]
    binary: Callable[[], bytes]
    ptx: str | None = None
    tileir: bytes | None = None


@dataclass
class Finding:
    """What a target can do on this machine; notes: one line for each thing found or missing."""

    compiles: bool
    runs: bool
    notes: list[str]
