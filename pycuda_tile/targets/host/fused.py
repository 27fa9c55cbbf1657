"""Compiles kernels as loops that operations share: the open front end makes Tile IR of the source, and
tileir.loops C++ of that. A kernel that one of them cannot take is compiled operation by operation, from the
source (compiling.py): then the host's compiler decides what is an error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ...compilers import nvrtc, toolchain
from ...errors import CompileError, NotAvailableYet, TargetUnavailable
from ...frontend.kernel_info import KernelInfo
from ...system import cache
from .. import fusing
from ..finding import attempt
from ..target import Compiled, Finding, Request
from . import compiling, loops


def examine(probe: Callable[[], str]) -> Finding:
    """See Target.examine."""
    finding = compiling.examine(probe)
    notes = finding.notes
    if finding.compiles:
        attempt(notes, lambda: f"fused code: by the open front end, with {toolchain.find_clang()}")
        notes[-1] = notes[-1].replace("missing: ", "no fused code: ", 1)
    return finding


def compile(request: Request, names: Sequence[str], known: list[KernelInfo] | None = None) -> Compiled:
    """See Target.compile."""
    if fusing.reason_against(request):
        return compiling.compile(request, names, known)
    try:
        clang = toolchain.find_clang()
    except TargetUnavailable as error:
        if request.optimize is True:
            raise
        return compiling.compile(request, names, known, str(error))
    return compiling.load_again(lambda: _compile(request, clang, names, known))


def _compile(
    request: Request, clang: toolchain.Compiler, names: Sequence[str], known: list[KernelInfo] | None
) -> Compiled:
    make_entry = functools.partial(_make_entry, request, clang, names, known)
    entry, reason, lasts = None, "", True
    try:
        entry = make_entry()
    except loops.NotFused as error:
        reason, lasts = str(error), error.lasts
    if entry is None:  # not within `except`, whose error would stand in front of what is raised here
        compiled = _by_operation(request, names, known, reason)
        if lasts:
            make_entry(reason=reason)
        return compiled
    if not entry.meta["names"]:
        return _by_operation(request, names, known, entry.meta["reasons"])
    return _load(request, entry, known, make_entry)


def _by_operation(
    request: Request,
    names: Sequence[str],
    known: list[KernelInfo] | None,
    reasons: Mapping[str, str] | str,
) -> Compiled:
    """Raises NotAvailableYet if the user insists on fused code, and CompileError before that."""
    compiled = compiling.compile(request, names, known, reasons)
    if request.optimize is True and compiled.executables:
        from ...tileir.loops.fallback import NEEDLESS

        all_reasons = [reasons] if isinstance(reasons, str) else list(reasons.values())
        reason = next((each for each in all_reasons if each not in NEEDLESS), "")
        if not reason:
            return compiled
        raise NotAvailableYet(f"{request.name}: optimize=True, but a kernel cannot be fused: {reason}")
    return compiled


def _load(
    request: Request,
    entry: cache.Entry,
    known: list[KernelInfo] | None,
    make_entry: Callable[..., cache.Entry],
) -> Compiled:
    attributes, reasons = entry.meta["attributes"], entry.meta["reasons"]
    with_lines = functools.partial(make_entry, with_lines=True)
    compiled = compiling.load(request, entry, known, lambda **_: with_lines(), attributes.__getitem__)
    if request.optimize is True:
        from ...tileir.loops.refusal import refusal

        for executable in compiled.executables.values():
            executable.launcher.explain = refusal
    if reasons:
        rest = _by_operation(request, list(reasons), compiled.kernels, reasons)
        compiled.executables.update(rest.executables)
        compiled = compiled._replace(log=compiled.log + rest.log)
    return compiled


def _make_entry(
    request: Request,
    clang: toolchain.Compiler,
    names: Sequence[str],
    known: list[KernelInfo] | None,
    with_lines: bool = False,
    reason: str = "",
) -> cache.Entry:
    """The library of the kernels that can be fused, and why the others cannot, built or from the cache.

    reason:  why none can, if that is known; it is kept instead
    Raises NotFused (loops.py) if the front end does not take the source.
    """
    compiler = toolchain.find_compiler()
    code = request._replace(
        include_dirs=(),
        defines={},
        options=fusing.options_of_code(request.options),
        optimize=False,
    )
    flags = compiling.flags_of(code, compiler, with_lines)

    def build(folder: Path) -> cache.Result:
        folders = [*request.user_dirs, *request.include_dirs]
        absent = nvrtc.absent(request.text, request.path, folders)
        if reason:
            files = nvrtc.dependencies(request.text, request.path, folders)
            return cache.Result({"names": [], "reasons": reason}, files, absent)
        place = str(request.path or folder / "source.cu")
        find = {request.name: place}.get
        lines = (lambda file: find(file, file)) if with_lines else None
        found = loops.translate(request, compiler, names, known, lines)
        result = _build(request, code, compiler, flags, found, folder)
        found.confirm()
        return result._replace(absent=absent)

    if not request.cache:
        return cache.make_uncached(build)
    own = compiling.key_parts(request, names, known, compiler, flags)
    front = [clang.identity, clang.version, *clang.command, *loops.key_parts(request)]
    return cache.get(cache.make_key("fused", *own, front, request.optimize), build)


def _build(
    request: Request,
    code: Request,
    compiler: toolchain.Compiler,
    flags: list[str],
    found: loops.Loops,
    folder: Path,
) -> cache.Result:
    meta = {
        "names": list(found.names),
        "kernels": found.kernels,
        "log": found.log,
        "reasons": found.reasons,
        "codes": found.codes,
        "attributes": found.attributes,
    }
    if not found.names:
        return cache.Result(meta, found.files)
    if not request.path:  # for reports of faults
        (folder / "source.cu").write_text(request.text, encoding="utf-8")
    (folder / "loops.cpp").write_text(found.text, encoding="utf-8")
    code = code._replace(text=found.text, path=folder / "loops.cpp")
    try:
        built = compiling.build_library(
            code, compiler, flags, list(found.names.values()), [], folder, list(found.names)
        )
    except CompileError as error:
        if cache.says_no_room(error):
            raise  # to the cache, which builds elsewhere
        raise loops.NotFused(f"{compiler} does not compile its loops: {error}") from error
    return cache.Result({**built.meta, **meta}, [*built.dependencies, *found.files])
