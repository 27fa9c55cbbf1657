"""One module a target: each turns a Request into kernels that can be launched. Targets never import each
other.

A target module has

    compile(request, names, known=None) -> Compiled

which instantiates the kernels called `names`. Where `known`, the kernels of the source, is None, it looks
for them and instantiates also those that are no templates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from ..errors import Diagnostic
from ..frontend.kernel_info import KernelInfo
from ..frontend.kernel_names import base_name, split_overload


class Request(NamedTuple):
    """The arguments of build(), checked; paths are absolute."""

    target: str
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

    parameters: tuple
    binary: bytes | None
    ptx: str | None
    tileir: bytes | None
    attributes: dict[str, int]

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


def find_kernels(request: Request, macros: Mapping[str, str]) -> list[KernelInfo]:
    """The kernels of the source and of the user's own headers; `macros` are the compiler's."""
    from ..frontend.kernels import find  # takes a while to import, and builds from the cache do without

    return find(request.text, request.name, **_places(request, macros))


def find_hint_errors(request: Request, macros: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """What NVIDIA's compiler refuses of the source's hints; `macros` are the compiler's."""
    if "hint" not in request.text:
        return ()
    from ..frontend.hint_errors import hint_errors

    return tuple(hint_errors(request.text, request.name, {**macros, **request.defines}))


def check_hints(request: Request, macros: Mapping[str, str]) -> None:
    """CompileError for a source that compiles, but has wrong hints."""
    if errors := find_hint_errors(request, macros):
        from ..diagnostics.compiler_log import Places, compile_error

        path = str(request.path or request.name)
        raise compile_error("", Places(request.name, path, request.text, found=errors))


def front_end(request: Request) -> str:
    """What finds the kernels of a source, for a cache key: libclang only where macros may make some."""
    if "#define" not in request.text.replace(" ", ""):
        return ""
    import importlib.util

    try:
        return "libclang" if importlib.util.find_spec("clang") else ""
    except ValueError:  # somebody made its import fail
        return ""


def find_keywords(request: Request, macros: Mapping[str, str]) -> list[tuple[int, tuple[str, ...]]]:
    """Where `__tile_global__` stands in the source, and the hints of each kernel."""
    from ..frontend.scan import keywords

    return keywords(request.text, request.name, **_places(request, macros))


def _places(request: Request, macros: Mapping[str, str]) -> dict:
    return {
        "path": request.path,
        "include_dirs": (*request.user_dirs, *request.include_dirs),
        "macros": {"__cplusplus": "202002L", **macros, **request.defines},
    }


def entry_names(kernels: list[KernelInfo]) -> list[str]:
    """The kernels that are compiled without being asked for: no templates, and no overloads."""
    names = [kernel.name for kernel in kernels]
    return [kernel.name for kernel in kernels if not kernel.template_params and names.count(kernel.name) == 1]


def _same_text(one: str, other: str) -> bool:
    return "".join(one.split()) == "".join(other.split())


def param_names(kernels: list[KernelInfo], expression: str, count: int) -> list[str]:
    """The parameter names of the kernel that an expression like `a::k<float, 4>` names, [] if it is not
    known."""
    _, types = split_overload(expression)
    base = base_name(expression)
    fitting = [kernel for kernel in kernels if kernel.name == base and len(kernel.params) == count]
    if types is not None:
        exact = [kernel for kernel in fitting if _same_text(", ".join(p.type for p in kernel.params), types)]
        fitting = exact or fitting
    return [param.name for param in fitting[0].params] if fitting else []
