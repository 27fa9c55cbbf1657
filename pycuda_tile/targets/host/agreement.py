"""Whether the host's compiler reads a source as the open front end has: it takes the source, macros and types
mean the same, and classes are laid out alike. If not, kernels are what the host's compiler makes of them.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from ...compilers import nvrtc, toolchain, units
from ...errors import CompileError
from ...frontend.kernel_names import cxx_expression, in_namespace_of
from ...frontend.unused import Body, template_bodies
from ...launching.parameters import encode
from ...system import resources
from ..kernels import overload_names
from ..nvrtc_kernels import Settings, leave_out_host
from ..target import Request
from . import host_form
from .compiling import MACROS, PREDEFINED, flags_of, user_folders
from .layouts import FILE, assertions, find_different, read_layouts
from .preprocessed import Preprocessed, absolute, find_macro, read_preprocessed
from .unlike import Unlike, find_word

if TYPE_CHECKING:
    from ...tileir.cxx.kernels import Kernels

_SIGNATURES = "signatures_of_kernels"  # the file of assertions about them, as messages of compilers name it
#: What lets compilers lay out classes in their own ways: attributes, not what has their names.
_MAY_DIFFER = re.compile(
    r"\b_*no_unique_address_*\b|\b__packed__\b|#\s*pragma\s+pack\b"
    r"|\[\[[^]]*\bpacked\b|\b__attribute(?:__)?\s*\(\([^;{]*\bpacked\b"
)
_NO_LIMIT = {"gcc": "-fmax-errors=0", "clang": "-ferror-limit=0", "zig": "-ferror-limit=0"}


def start(
    request: Request,
    front: Request,
    macros: Mapping[str, str],
    found: Kernels,
    compiler: toolchain.Compiler,
) -> Callable[[], str]:
    """Begins to compare, in another thread, while loops are made of the kernels.

    front:   the request as the front end got it
    macros:  those that it got
    found:   what it made of these
    Returns a function that waits for the answer: what the two disagree about, "" if they agree.
    """
    pool = ThreadPoolExecutor(1, "compares compilers")
    answer = pool.submit(_disagreement, request, front, macros, found, compiler)
    pool.shutdown(wait=False)
    return answer.result


def _disagreement(
    request: Request,
    front: Request,
    macros: Mapping[str, str],
    found: Kernels,
    compiler: toolchain.Compiler,
) -> str:
    with tempfile.TemporaryDirectory(prefix="pycuda_tile-") as name:
        folder = Path(name)
        host = _Host(request, found, compiler, folder / "host")
        read = _read_by_front_end(front, macros, found, folder / "front")
        read_by_host = host.preprocessed()
        if unlike := _find_unlike(request, found, read, host, read_by_host):
            return f"{unlike.file}:{unlike.line}: {unlike.word} may mean something else to the open front end"
        if refusal := host.refusal(read_by_host):
            return refusal
        return "" if read_by_host else f"{compiler} does not print the source that it has read"


def _read_by_front_end(
    front: Request, macros: Mapping[str, str], found: Kernels, folder: Path
) -> Preprocessed:
    from ...tileir.cxx import compiler
    from ...tileir.cxx.recording import UNIT, write_unit

    folder.mkdir()
    folders, _ = write_unit(folder, front, macros, list(found.symbols), overload_names(found.kernels))
    words = [*compiler.flags(front, macros, folders), "-E", "-dD", str(folder / UNIT)]
    read = _preprocessed(toolchain.find_clang(), words, folder / "printed")
    if read is None:
        raise CompileError("clang does not print the source that it has read")
    return read


def _preprocessed(compiler: toolchain.Compiler, words: list[str], printed: Path) -> Preprocessed | None:
    if compiler.run(words, limit=toolchain.LONGEST, printed=printed).returncode:
        return None
    text = os.fsdecode(printed.read_bytes())  # not as UTF-8, so that files have the names that Python gives
    return read_preprocessed(text)


def _find_unlike(
    request: Request, found: Kernels, read: Preprocessed, host: _Host, read_by_host: Preprocessed | None
) -> Unlike | None:
    ours = _our_headers()
    own = absolute(str(request.path or request.name))
    files = dict.fromkeys([own, *(file for file in map(absolute, found.files) if not file.startswith(ours))])
    texts = {file: host.texts.get(file) or nvrtc.read_text(Path(file)) for file in files}
    unlike = find_word(line for line in read.lines if line[0] in texts)
    if not unlike and read_by_host:
        libraries = _libraries(request)
        alone = read_by_host.taken.keys() - read.taken.keys() - read_by_host.system
        theirs = (ours, host.folder, "<", *libraries)
        unlike = find_macro(texts.items(), read, read_by_host, ours)
        unlike = unlike or next(
            (Unlike(file, 1, "this header") for file in sorted(alone) if not file.startswith(theirs)), None
        )
    return unlike and unlike._replace(file=request.name if unlike.file == own else unlike.file)


def _our_headers() -> str:
    return f"{resources.include_dir()}{os.sep}"


def _libraries(request: Request) -> list[str]:
    return [str(folder) for folder in request.include_dirs if nvrtc.is_nvidias(folder)]


def _lines_of_users(request: Request, read: Preprocessed) -> Iterator[str]:
    """The code of the source and of headers that are neither a compiler's nor ours."""
    others = (_our_headers(), *_libraries(request))
    return (line for file, _, line in read.lines if file not in read.system and not file.startswith(others))


class _Host:
    """How the host's compiler reads a source, without its host half.

    texts:   those of the source and of headers that have a host half, by file
    folder:  that the compiler reads them in
    """

    def __init__(self, request: Request, found: Kernels, compiler: toolchain.Compiler, folder: Path):
        folder.mkdir()
        self._request, self._found, self._compiler = request, found, compiler
        self._folder, self.folder = folder, str(folder)
        settings = Settings([], [], [], "", MACROS)
        kernels_only = leave_out_host(request, settings, list(found.symbols), tile_only=True)
        headers = {name: text for name, text in kernels_only.headers.items() if text}
        self._source = folder / "source.cu"
        source = units.named(kernels_only.text, request.path or request.name)
        units.write(self._source, source)
        for name, text in headers.items():
            units.write(folder / "headers" / name, text)
        named = (units.name_and_text(text) for text in (source, *headers.values()))
        self.texts = {absolute(name): text for name, text in named if name}
        host_form.write(folder / "host_form", kernels_only.text, request.path, user_folders(request))
        # The device half of a whole program is compiled in any case, and read in another way than here.
        self._is_program = "CUDA_TILE_PROGRAM" in request.defines
        flags = [flag for flag in flags_of(request, compiler) if flag != "-shared"]
        quoted = [folder / "headers", *request.user_dirs, *kernels_only.folders]
        folders = [folder / "host_form", folder / "headers", resources.nv_target_dir()]
        own = [f"-iquote{folder}" for folder in quoted] + [f"-I{folder}" for folder in folders]
        self._flags = [*own, *flags]

    def _words(self, lines: Sequence[str], *options: str) -> list[str]:
        """The compiler's arguments for the source and these lines behind it."""
        unit = self._folder / "unit.cpp"
        units.write(unit, "\n".join([PREDEFINED, f'#include "{self._source}"', *lines, ""]))
        return [*self._flags, *options, str(unit)]

    def preprocessed(self) -> Preprocessed | None:
        """What the preprocessor makes of the source, unless it is wrong to this compiler."""
        return _preprocessed(self._compiler, self._words([], "-E", "-dD"), self._folder / "printed")

    def refusal(self, read: Preprocessed | None) -> str:
        """Why the source, as this compiler reads it, or what the front end found about it, is wrong to it."""
        layouts = read_layouts(self._found.layouts)
        lines = [units.END, '#include "cuda_tile/core/signature.h"', *self._signatures()]
        lines += assertions(layouts)
        # zig waits forever for the output of -fsyntax-only.
        only = ["-c", "-O0", "-o", str(self._folder / "unit.o")]
        checking = only if self._compiler.kind == "zig" else ["-fsyntax-only"]
        checking += ["-fno-access-control", "-Wno-invalid-offsetof"]
        words = self._words(lines, *checking, _NO_LIMIT[self._compiler.kind])
        done = self._compiler.run(words, limit=toolchain.LONGEST)
        errors = re.findall(r"^(.*?): (?:fatal )?error: (.*)", done.stdout, re.M)
        unused = self._unused_bodies()
        for place, error in () if self._is_program else errors:
            file, line = (*place.split(":"), "")[:2]
            if file == _SIGNATURES:
                return f"{self._compiler} gives the parameters of a kernel other types"
            is_unused = any(body.has([int(line or 0)]) for body in unused.get(absolute(file), ()))
            if file != FILE and not is_unused:
                return f"{self._compiler} does not take the source: {place}: {error}"
        if done.returncode and not errors:
            return f"{self._compiler} fails: {done.stdout.strip() or 'it prints nothing'}"
        code = "\n".join(_lines_of_users(self._request, read)) if read else ""
        may_differ = read is None or _MAY_DIFFER.search(code) is not None
        if different := find_different(layouts, done.stdout, may_differ):
            return f"the class {different.name} may have another layout with {self._compiler}"
        return ""

    def _unused_bodies(self) -> dict[str, list[Body]]:
        """By file, the bodies of templates that no kernel uses and that are wrong to the front end, too."""
        wrong: dict[str, set[int]] = {}
        for file, line in re.findall(r"^(.*?):(\d+):.*?\berror: ", self._found.log, re.M):
            wrong.setdefault(absolute(file), set()).add(int(line))
        texts = {file: self.texts.get(file) or nvrtc.read_text(Path(file)) for file in wrong}
        return {
            file: [body for body in template_bodies(text) if body.has(wrong[file])]
            for file, text in texts.items()
        }

    def _signatures(self) -> Iterator[str]:
        """Makes instances of the kernels, and asserts the types of their parameters."""
        overloads = overload_names(self._found.kernels)
        yield f'#line 1 "{_SIGNATURES}"'
        for number, name in enumerate(self._found.symbols):
            codes = ", ".join(str(encode(parameter)) for parameter in self._found.parameters[name])
            kernel = f"cuda_tile::kernel_of({cxx_expression(name)})"
            has = f"cuda_tile::signature_of<decltype({kernel})>::type, cuda_tile::parameter_codes<{codes}>"
            text = f"constexpr auto cuda_tile_instance_{number} = {kernel}; static_assert(__is_same({has}));"
            yield in_namespace_of(name, text) if name in overloads else text
