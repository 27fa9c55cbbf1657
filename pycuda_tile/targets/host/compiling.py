"""Compiles kernels with the host's compiler.

A generated file includes the user's source and exports a description of each kernel. The host's compiler
makes it a shared library, which the CPU launcher runs.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ... import debug
from ...compilers import nvrtc, toolchain, units
from ...compilers.demangle import demangled
from ...compilers.depfile import read_depfile
from ...errors import ArgumentTypeError, CompileError
from ...frontend.kernel_info import KernelInfo
from ...frontend.kernel_names import cxx_expression
from ...launching.arguments import Packer
from ...launching.kernel_output import KernelOutput
from ...launching.launcher import HostLauncher, KernelDescription, Lines
from ...launching.parameters import Parameter, decode
from ...system import cache, resources
from .. import products
from ..finding import attempt, small_floats
from ..fusing import reason_against
from ..kernels import check_found, entry_names, find_host_errors, find_kernels, front_end, param_names
from ..target import Compiled, Executable, Finding, Request

_FLAGS = [
    "-std=c++20",
    "-O3",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-strict-aliasing",  # Tile IR copies structures as integers, and kernels read numbers as others
    "-falign-functions=64",  # lines of the cache: the speed of short loops depends on where in one they begin
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-fdiagnostics-color=never",
    "-fno-elide-type",
    "-ftabstop=1",
]
# Keeps template variables private to each library, even if other libraries have some of the same name.
_GCC_FLAGS = ["-fno-gnu-unique"]
PREDEFINED = "#include <nv/target>\n"
PREDEFINED += '#include "cuda_tile/predefined.h"\n#include "cuda_tile/platform/cuda_functions.h"'
# Line tables for reports, in DWARF 4 because GNU addr2line misreads clang's DWARF 5.
_LINES = ["-g1", "-gdwarf-4"]
MACROS = {"__CUDA_ARCH__": "900"}  # kernels see it as on a GPU, unless the user defines it
_ENVIRONMENT = ("CPATH", "CPLUS_INCLUDE_PATH")  # variables that compilers read
_SYSTEM_DIRS = ("/usr/include", "/usr/lib", "/usr/local/include", "/opt")


class HostExecutable(NamedTuple):
    """A kernel of a loaded library."""

    parameters: tuple[Parameter, ...]
    binary: bytes
    attributes: dict[str, int | str]
    launcher: HostLauncher
    ptx: None = None
    tileir: None = None

    def bind(
        self, grid: Sequence[int], stream: int | None = None, schedule_seed: int = 0
    ) -> Callable[..., None]:
        return self.launcher.bind(grid, schedule_seed)

    def bind_any_grid(self, by_python: Callable[..., None]) -> Callable[..., None] | None:
        return self.launcher.bind_any_grid(by_python)

    def stream_handle(self, stream: object) -> int:
        raise ArgumentTypeError("the targets cpu and emulated have no streams, got stream=...")


def compile(
    request: Request,
    names: Sequence[str],
    known: list[KernelInfo] | None = None,
    reasons: Mapping[str, str] | str = "",
) -> Compiled:
    """See Target.compile. `reasons` say why kernels run operation by operation: one for all, or by name."""
    make_entry = functools.partial(_make_entry, request, names, known)
    given = reasons or reason_against(request)

    def attributes(name: str) -> dict[str, int | str]:
        reason = given if isinstance(given, str) else given.get(name, "")
        return {"path": "by operation", **({"reason": reason} if reason else {})}

    return load_again(lambda: load(request, make_entry(), known, make_entry, attributes))


def load_again(load: Callable[[], Compiled]) -> Compiled:
    """Loads what is in the cache. If another process has just removed it (cache clear, or eviction), tries
    once more."""
    try:
        return load()
    except OSError:
        return load()


def examine(probe: Callable[[], str]) -> Finding:
    """See Target.examine."""
    notes: list[str] = []
    compiles = attempt(notes, lambda: f"compiler: {toolchain.find_compiler()}")
    notes.append(f"launcher: {resources.launcher_library() or 'is compiled when it is first used'}")
    runs = compiles and attempt(notes, probe)
    if compiles:
        notes.append(small_floats(nvrtc.host_include_dirs()))
    return Finding(compiles, runs, notes)


def _make_entry(
    request: Request, names: Sequence[str], known: list[KernelInfo] | None, with_lines: bool = False
) -> cache.Entry:
    """Compiles a request, or takes the result from the cache if it may. `with_lines` adds line tables, which
    do not change the code."""
    compiler = toolchain.find_compiler()
    flags = flags_of(request, compiler, with_lines)

    def build(folder: Path) -> cache.Result:
        return build_library(request, compiler, flags, names, known, folder)

    if not request.cache:
        return cache.make_uncached(build)
    return cache.get(cache.make_key("host", *key_parts(request, names, known, compiler, flags)), build)


def key_parts(
    request: Request,
    names: Sequence[str],
    known: list[KernelInfo] | None,
    compiler: toolchain.Compiler,
    flags: Sequence[str],
) -> list[object]:
    """What a library depends on besides the headers that it includes, for the cache's key."""
    return [
        request.text,
        request.name,
        str(request.path),
        list(names),
        known is None,
        flags,
        [compiler.identity, compiler.version, *compiler.command],
        toolchain.cpu_identity() if request.arch in (None, "native") else "",
        [os.environ.get(name) for name in _ENVIRONMENT],
        front_end(request),
    ]


def flags_of(request: Request, compiler: toolchain.Compiler, with_lines: bool = False) -> list[str]:
    flags = [*_FLAGS, *(_GCC_FLAGS if compiler.kind == "gcc" else [])]
    arch = request.arch or "native"
    if compiler.kind == "zig":  # its spelling is x86_64_v3, because a hyphen removes a feature
        arch = arch.replace("-", "_")
    flags += [f"-march={arch}", *compiler.flags, f"-I{resources.include_dir()}"]
    flags += [f"-I{folder}" for folder in request.include_dirs]
    flags += [f"-isystem{folder}" for folder in nvrtc.host_include_dirs()]
    flags += ["-idirafter", str(resources.small_float_dir()), "-idirafter", str(resources.cuda_std_dir())]
    if request.checked:
        flags += [
            "-DCUDA_TILE_CHECKED=1",
            *(["-DCUDA_TILE_CHECKED_STRICT=1"] if request.strict else []),
            *_LINES,
        ]
    if threads := request.target.threads:
        flags.append(f"-DCUDA_TILE_BLOCK_THREADS={request.num_threads or threads.default}")
    flags += [f"-D{name}={value}" for name, value in {**MACROS, **request.defines}.items()]
    flags += [*debug.environment_flags(), *request.options]
    return flags + debug.sanitizer_flags(flags, compiler) + (_LINES if with_lines else [])


def flags_of_object(request: Request, compiler: toolchain.Compiler) -> list[str]:
    """The flags for an object file with line tables."""
    flags = [flag for flag in flags_of(request, compiler, with_lines=True) if flag != "-shared"]
    return [f"-I{resources.nv_target_dir()}", *_vector_flags(compiler, flags), *flags]


def _vector_flags(compiler: toolchain.Compiler, flags: list[str]) -> list[str]:
    """Flags for 512 bit vectors if the machine has them: with 256 bits, the compilers' default, softmax takes
    a fifth longer.

    This asks the compiler only when it builds: the cache's key has all that the answer depends on.
    """
    if platform.machine() not in ("x86_64", "AMD64"):
        return []
    flags = [flag for flag in flags if not re.match("-D.|-I.|-isystem.", flag)]  # which do not matter here
    return ["-mprefer-vector-width=512"] if _has_avx512(compiler, tuple(flags)) else []


@functools.lru_cache(maxsize=64)
def _has_avx512(compiler: toolchain.Compiler, flags: tuple[str, ...]) -> bool:
    """Whether the compiler generates AVX-512 code with these flags; asked once per process."""
    macros = compiler.run([*flags, "-dM", "-E", "-x", "c++", os.devnull]).stdout
    return "__AVX512F__" in macros


def build_library(
    request: Request,
    compiler: toolchain.Compiler,
    flags: list[str],
    names: Sequence[str],
    known: list[KernelInfo] | None,
    folder: Path,
    shown: Sequence[str] = (),
) -> cache.Result:
    """Compiles a request in a folder of the cache. `shown` are the names of the kernels in messages, one for
    each of `names`, unless they are the name expressions."""
    import shutil

    from . import host_form  # not needed for builds from the cache

    path = request.path or folder / "source.cu"
    if not request.path:
        path.write_text(request.text, encoding="utf-8")
    kernels = find_kernels(request, MACROS) if known is None else []
    expressions = list(names) if shown else list(dict.fromkeys([*entry_names(kernels), *names]))
    unit = folder / "kernels.cpp"
    text = _translation_unit(path, expressions, shown or expressions)
    units.write(unit, text)
    depfile = folder / "kernels.d"
    headers = folder / "host_form"
    folders = user_folders(request)
    host_form.write(headers, request.text, request.path, folders)
    flags = [
        f"-I{headers}",
        f"-I{resources.nv_target_dir()}",
        *_vector_flags(compiler, flags),
        *flags,
        f"-ffile-prefix-map={folder}={cache.final_place(folder)}",
    ]
    arguments = [*flags, "-MD", "-MF", str(depfile), "-o", str(folder / "kernels.so"), str(unit)]
    done = compiler.run(arguments)
    log = done.stdout
    left_out: list[str] = []
    if done.returncode:
        from ...diagnostics.compiler_log import compile_error
        from ...diagnostics.places import Places
        from .lenient import compile_again

        generated = {str(unit): text}
        found = find_host_errors(request, MACROS)
        libraries = _library_dirs(compiler)
        infos = tuple(kernels if known is None else known)
        places = Places(
            request.name,
            str(path),
            request.text,
            libraries,
            generated,
            found=found,
            kernels=infos,
            end=units.END,
        )
        again = compile_again(compiler, arguments, log, places, request.include_dirs)
        if again is None:
            raise compile_error(log, places)
        log, left_out = again
    check_found(request, find_host_errors(request, MACROS))
    meta = {
        "names": expressions,
        "kernels": kernels,
        "log": log.replace(str(path), request.name),
    }
    if not (folder / "kernels.so").exists():
        raise CompileError(f"{request.name}: the compiler produced no library{_options(request)}", log=log)
    meta["products"] = products.in_library((folder / "kernels.so").read_bytes(), len(expressions))
    dependencies = [*read_depfile(depfile), *left_out]
    depfile.unlink()
    shutil.rmtree(headers, ignore_errors=True)
    return cache.Result(meta, dependencies, nvrtc.absent(request.text, request.path, folders))


def user_folders(request: Request) -> list[str | Path]:
    """The folders of the user's headers, also those that options name."""
    of_options = re.findall(r"^-(?:I|isystem)\n?(.+)", "\n".join(request.options), re.MULTILINE)
    return [*request.user_dirs, *request.include_dirs, *of_options]


def _translation_unit(source: Path, expressions: Sequence[str], shown: Sequence[str]) -> str:
    headers = ("launch/assertion.h", "launch/entry.h", "print/captured_printf.h")
    ours = [f'#include "cuda_tile/{header}"' for header in headers]
    lines = [PREDEFINED, f'#include "{source}"', units.END, *ours]
    for index, (name, known_as) in enumerate(zip(expressions, shown, strict=True)):
        given = f"{index}, " if known_as == name else f"{index}, {json.dumps(known_as)}, "
        macro = "CUDA_TILE_ENTRY" if known_as == name else "CUDA_TILE_NAMED_ENTRY"
        lines.append(f"{macro}({given}{cxx_expression(name)})")
    return "\n".join(lines) + "\n"


def _library_dirs(compiler: toolchain.Compiler) -> tuple[str, ...]:
    return (
        str(resources.include_dir()),
        *nvrtc.host_include_dirs(),
        os.path.dirname(os.path.realpath(compiler.command[0])),
        *_SYSTEM_DIRS,
    )


def load(
    request: Request,
    entry: cache.Entry,
    known: list[KernelInfo] | None,
    make_entry: Callable[..., cache.Entry],
    more: Callable[[str], Mapping[str, int | str]],
) -> Compiled:
    """The kernels of a library. `more(name)` are attributes of a kernel."""
    path = entry.folder / "kernels.so"
    binary = path.read_bytes()
    library = _open(path, request)
    kernels = (
        known if known is not None else [KernelInfo.from_json(kernel) for kernel in entry.meta["kernels"]]
    )
    executables: dict[str, Executable] = {}
    output = KernelOutput(library)
    for index, name in enumerate(entry.meta["names"]):
        description = KernelDescription.in_dll(library, f"cuda_tile_kernel_{index}")
        codes = entry.meta["codes"][index] if "codes" in entry.meta else description.codes
        parameters = decode(name, codes, param_names(kernels, name, description.parameter_count))
        attributes: dict[str, int | str] = {
            "threads": description.threads,
            "shared_bytes": description.scratch_bytes,
            **products.attribute(entry.meta["products"][index]),
            **more(name),
        }
        packer = Packer(name, parameters, on_device=False)
        launcher = _launcher(request, description, packer, output, entry, make_entry)
        executables[name] = HostExecutable(parameters, binary, attributes, launcher)
    return Compiled(request.arch or "native", entry.meta["log"], kernels, executables, lambda: binary)


def _open(path: Path, request: Request) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        if not path.exists():
            raise  # see compile()
        reason = str(error).removeprefix(f"{path}: ")
        if "undefined symbol" in reason:
            reason = f"{demangled(reason)}, which the source declares but does not define"
        raise CompileError(
            f"{request.name}: the compiled library cannot be loaded: {reason}{_options(request)}"
        ) from None


def _options(request: Request) -> str:
    return f" (options: {' '.join(request.options)})" if request.options else ""


def _launcher(
    request: Request,
    description: KernelDescription,
    packer: Packer,
    output: KernelOutput,
    entry: cache.Entry,
    make_entry: Callable[..., cache.Entry],
) -> HostLauncher:
    def source_of(entry: cache.Entry) -> tuple[str, Path]:
        return request.name, request.path or entry.folder / "source.cu"

    def lines() -> Lines:
        found = entry if request.checked else make_entry(with_lines=True)
        return Lines(found, found.folder / "kernels.so", source_of(found), request.checked)

    if not request.checked:
        return HostLauncher(description, packer, output, lines, source_of(entry))
    from ...checked.launcher import CheckedLauncher

    return CheckedLauncher(description, packer, output, lines, source_of(entry), request.ignored)
