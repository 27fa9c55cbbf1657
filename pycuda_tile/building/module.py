"""A built source: Module."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn

from ..errors import CompileError, KernelNotFound, short_traceback
from ..frontend.kernel_info import KernelInfo
from ..frontend.kernel_names import base_name, normalized
from ..launching.kernel import Kernel, not_picklable
from ..system import html
from ..system.forks import Lock
from ..targets.target import Compiled, Request
from .expressions import expression_of, fits_none, not_found, says_unknown, with_forms


class Module:
    """A source built for one target.

    target:   "cpu", "emulated", "simt" or "tile"
    arch:     architecture that it was compiled for: "sm_90", or the host compiler's -march
    log:      the compiler's output
    kernels:  list of KernelInfo: the kernels found in the source
    binary:   cubin or shared library (bytes) of the latest instantiation
    ptx, tileir: its PTX (str, on simt) and Tile IR bytecode (on tile), else None
    """

    def __init__(self, request: Request, names: tuple[str, ...] = ()):
        self._request = request
        self._lock = Lock()
        self._explain: Callable[[str], Exception | None] | None = None
        self._kernels: dict[str, Kernel] = {}
        self.target = request.target.name
        self.log = ""
        self.kernels: list[KernelInfo] = []
        compiled = self._compile(tuple(map(normalized, names)))
        self.kernels = compiled.kernels
        self.arch = compiled.arch
        self._add(compiled)

    def kernel(self, name_expression: str) -> Kernel:
        """The kernel with this name, such as "vectorAdd" or "ns::matmul<float, 64>"; an overload is named
        with its parameters: "k(float*, int)". A template is instantiated on first request. Raises
        KernelNotFound (an Error and a KeyError) if there is no such kernel."""
        if isinstance(name_expression, str) and (kernel := self._kernels.get(name_expression)):
            return kernel
        name = normalized(name_expression)
        if kernel := self._kernels.get(name):
            return kernel
        with self._lock:
            if name not in self._kernels:
                self._instantiate(name)
        return self._kernels[name]

    __getitem__ = kernel

    def __contains__(self, name: object) -> bool:
        """Whether there is a kernel of that name. Template arguments and parameters in it are not checked."""
        if not isinstance(name, str):
            return False
        if name in self._kernels:
            return True
        try:
            known = normalized(name)
        except KernelNotFound:
            return False
        return known in self._kernels or any(kernel.is_called(base_name(known)) for kernel in self.kernels)

    def __iter__(self) -> Iterator[str]:
        """The names of the kernels in the source."""
        return iter([kernel.name for kernel in self.kernels])

    @property
    def binary(self) -> bytes:
        return self._compiled.binary()

    @property
    def ptx(self) -> str | None:
        return self._compiled.ptx

    @property
    def tileir(self) -> bytes | None:
        return self._compiled.tileir

    def __repr__(self) -> str:
        count = "1 kernel" if len(self.kernels) == 1 else f"{len(self.kernels)} kernels"
        return f"<pycuda_tile.Module {self._request.name} for {self.target} ({self.arch}), {count}>"

    def _repr_html_(self) -> str:
        rows = [(kernel, "; ".join(kernel.hints), kernel.line or "") for kernel in self.kernels]
        return html.heading(self._request.name, f"for {self.target} ({self.arch})") + html.table(
            ("kernel", "hints", "line"), rows
        )

    def __reduce__(self) -> NoReturn:
        raise not_picklable(self)

    def call_by(self, names: Mapping[str, str], optimize: bool | str) -> None:
        """Gives kernels the names of what the source was made from. `names` has one for each kernel, by its
        name in the source; these still work unless another kernel has them.

        optimize: the argument with which the source was made
        """
        old, request = self._kernels, self._request._replace(optimize=optimize)
        self.kernels = [info._replace(name=names[info.name]) for info in self.kernels]
        self._kernels = {}
        for given, name in names.items():
            self._kernels[name] = Kernel(name, request, old[normalized(given)]._executable)
        for given, name in names.items():
            self._kernels.setdefault(normalized(given), self._kernels[name])

    def call_also(self, name: str, *others: str) -> None:
        """Lets a kernel be found by other names, too, unless another kernel has them."""
        for other in others:
            self._kernels.setdefault(normalized(other), self.kernel(name))

    def take_either_sign(self) -> None:
        """Lets integers be passed to the kernels with and without a sign."""
        for kernel in self._kernels.values():
            kernel._executable.launcher.take_either_sign()

    def explain_exceptions(self, explain: Callable[[str], Exception | None]) -> None:
        """Registers `explain`, which may turn the launcher's message about an exception that left a kernel on
        the host into the error to raise."""
        self._explain = explain
        for kernel in self._kernels.values():
            kernel._executable.launcher.explain = explain

    def _add(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self.log += compiled.log
        for name, executable in compiled.executables.items():
            if self._explain:
                executable.launcher.explain = self._explain
            self._kernels[normalized(name)] = Kernel(name, self._request, executable)

    def _compile(self, names: tuple[str, ...]) -> Compiled:
        """Compiles all kernels at once. If one of the names is wrong, compiles each alone, which gives an
        error message of our own."""
        try:
            return self._request.target.compile(self._request, names)
        except CompileError as error:
            from ..diagnostics.compiler_log import IN_NAME  # imported by whoever raised the error

            if not any(note.startswith(IN_NAME) for found in error.diagnostics for note in found.notes):
                raise
        compiled = self._request.target.compile(self._request, ())
        self.kernels = compiled.kernels
        for name in names:
            self.kernel(name)
        return compiled

    @short_traceback()
    def _instantiate(self, name: str) -> None:
        expression, is_known = expression_of(name, self.kernels, self._request)
        if expression not in self._kernels:
            try:
                self._add(self._request.target.compile(self._request, (expression,), self.kernels))
            except CompileError as error:
                if is_known and fits_none(error):
                    raise with_forms(error, name, self.kernels) from None
                if is_known or not says_unknown(error):
                    raise
                raise not_found(name, self.kernels, self._request) from None
        self._kernels[name] = self._kernels[expression]
