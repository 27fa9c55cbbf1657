"""NVIDIA's run-time compiler through cuda.bindings.nvrtc, for the targets simt and tile."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import BuildValueError, Error, TargetUnavailable
from ..system import forks
from ..system.install import advice
from .demangle import without_abi


class NvrtcError(Error):
    """A program does not compile; the message is the compiler's log."""


@dataclass
class Program:
    """A program compiled by NVRTC: its lowered names by name expression, and its outputs."""

    log: str
    names: dict[str, str] = field(default_factory=dict)
    cubin: bytes = b""
    ptx: str = ""
    tileir: bytes = b""


def version(extra: str) -> tuple[int, int]:
    """The version of NVRTC; if it is missing, raises TargetUnavailable with the line that installs it."""
    nvrtc = _bindings(extra)
    status, major, minor = nvrtc.nvrtcVersion()
    _check(nvrtc, status)
    return major, minor


def arch_number(arch: str) -> int:
    """90 for sm_90a."""
    return int(re.sub(r"\D", "", arch))


def check_arch(arch: str, extra: str) -> None:
    """Raises BuildValueError if NVRTC does not compile for this architecture (such as sm_90a)."""
    nvrtc = _bindings(extra)
    status, supported = nvrtc.nvrtcGetSupportedArchs()
    _check(nvrtc, status)
    if arch_number(arch) not in supported:
        listed = ", ".join(f"sm_{number}" for number in supported)
        raise BuildValueError(f"the installed NVRTC does not support arch {arch!r}: expected one of {listed}")


def compile_program(
    text: str,
    name: str,
    options: Sequence[str],
    expressions: Sequence[str],
    headers: Mapping[str, str],
    extra: str,
) -> Program:
    """Compiles `text`; `headers` are files that exist only in memory. Raises NvrtcError if it does not
    compile."""
    nvrtc = _bindings(extra)
    with forks.uncut:  # NVRTC has locks of its own
        return _compile(nvrtc, text, name, options, expressions, headers)


def _compile(
    nvrtc: Any,
    text: str,
    name: str,
    options: Sequence[str],
    expressions: Sequence[str],
    headers: Mapping[str, str],
) -> Program:
    contents = [content.encode() for content in headers.values()]
    names = [header.encode() for header in headers]
    status, program = nvrtc.nvrtcCreateProgram(text.encode(), os.fsencode(name), len(names), contents, names)
    _check(nvrtc, status)
    try:
        for expression in expressions:
            _check(nvrtc, *nvrtc.nvrtcAddNameExpression(program, expression.encode()))
        encoded = [os.fsencode(option) for option in options]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(encoded), encoded)
        log = _output(nvrtc, program, "ProgramLog").rstrip(b"\0").decode(errors="replace").strip()
        log = without_abi(log)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise NvrtcError(log or status.name)
        return Program(
            log,
            {expression: _lowered(nvrtc, program, expression) for expression in expressions},
            _output(nvrtc, program, "CUBIN"),
            _output(nvrtc, program, "PTX").rstrip(b"\0").decode(),
            _output(nvrtc, program, "TileIR"),
        )
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def include_dirs() -> list[str]:
    """The folders with NVIDIA's headers (cuda_tile.h, cuda_fp16.h, ...), from wheels or else a toolkit."""
    found = [folder for root in _wheel_roots() for folder in _header_dirs(root)]
    if any(os.path.isfile(os.path.join(folder, "cuda_fp16.h")) for folder in found):
        return found
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if root and os.path.isfile(os.path.join(root, "include", "cuda_fp16.h")):
            return found + _header_dirs(root)
    return found


def host_include_dirs() -> list[str]:
    """The folders of NVIDIA's headers if none is missing, so a host compiler can include them; else []."""
    found = include_dirs()
    needed = ("cuda_fp16.h", "crt/host_defines.h", "nv/target")
    complete = all(any(os.path.isfile(os.path.join(folder, file)) for folder in found) for file in needed)
    return found if complete else []


def is_nvidias(folder: str | Path) -> bool:
    """Whether a folder holds NVIDIA's headers."""
    return os.path.isfile(os.path.join(folder, "cuda_fp16.h")) or os.path.isdir(
        os.path.join(folder, "cuda", "std")
    )


def _wheel_roots() -> list[str]:
    try:
        import nvidia
    except ImportError:
        return []
    patterns = ("cu[0-9]*", "cuda_runtime", "cuda_cccl")
    return [
        str(folder)
        for root in nvidia.__path__
        for name in patterns
        for folder in sorted(Path(root).glob(name))
    ]


def _header_dirs(root: str) -> list[str]:
    folders = (os.path.join(root, "include"), os.path.join(root, "include", "cccl"))
    return [folder for folder in folders if os.path.isdir(folder)]


_NAME = r'([<"])([^>"\n]+)[>"]'
_INCLUDE = re.compile(rf"^[ \t]*#[ \t]*include[ \t]*{_NAME}", re.MULTILINE)
_LOOKED_FOR = re.compile(rf"(?:^[ \t]*#[ \t]*include|__has_include[ \t]*\()[ \t]*{_NAME}", re.MULTILINE)


def dependencies(
    text: str, path: Path | None, include_dirs: Sequence[str | Path], more: Sequence[Path] = ()
) -> list[str]:
    """Every file that a source may include, whatever its #if lines say, since NVRTC does not report which
    files it read."""
    found = dict.fromkeys(map(str, [path, *more] if path else more))
    for start, place in [(text, path), *((read_text(header), header) for header in more)]:
        found.update({header: None for _, header in included(start, place, include_dirs) if header})
    return list(found)


def included(
    text: str,
    path: Path | None,
    include_dirs: Sequence[str | Path],
    follow: Callable[[str], bool] = lambda header: True,
) -> Iterator[tuple[str, str]]:
    """(name, file) of each #include of a source and of the headers that it includes, whatever the #if lines
    say; file is "" if it is not found. Headers for which `follow` is false are not read."""
    seen = {str(path)}
    queue = [(text, path.parent if path else None)]
    while queue:
        content, folder = queue.pop()
        for quote, name in _INCLUDE.findall(content):
            candidates = _candidates(quote, name, folder, include_dirs)
            header = next((file for file in candidates if file in seen or os.path.isfile(file)), "")
            yield name, header
            if header and header not in seen:
                seen.add(header)
                if follow(header):
                    queue.append((read_text(Path(header)), Path(header).parent))


def absent(text: str, path: Path | None, include_dirs: Sequence[str | Path]) -> list[str]:
    """The files that a source and its headers look for in vain, also by __has_include: if one appears, the
    source may mean something else."""
    headers = [file for _, file in included(text, path, include_dirs) if file]
    found: dict[str, None] = {}
    for content, place in [(text, path), *((read_text(Path(file)), Path(file)) for file in headers)]:
        for quote, name in _LOOKED_FOR.findall(content):
            for candidate in _candidates(quote, name, place.parent if place else None, include_dirs):
                if os.path.isfile(candidate):
                    break
                found[candidate] = None
    return list(found)


def _candidates(
    quote: str, name: str, folder: Path | None, include_dirs: Sequence[str | Path]
) -> Iterator[str]:
    """Where compilers look for a header, in this order."""
    folders = [folder, *include_dirs] if quote == '"' and folder else include_dirs
    return (os.path.normpath(os.path.join(place, name)) for place in folders)


def read_text(header: Path) -> str:
    return header.read_text(encoding="utf-8", errors="replace")


# --- the bindings -------------------------------------------------------------------------------------------


@functools.cache
def _load() -> Any:
    with forks.uncut:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()  # loads the library
    return nvrtc


def _bindings(extra: str) -> Any:
    try:
        return _load()
    except Exception as error:  # ImportError, or cuda.pathfinder's own errors if the library is missing
        raise TargetUnavailable(
            f"NVRTC, NVIDIA's run-time compiler, is not installed ({_brief(error)}): {advice(extra)}"
        ) from error


def _brief(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:120] if str(error).strip() else type(error).__name__


def _check(nvrtc: Any, status: Any) -> None:
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise Error(f"NVRTC: {status.name}")


def _output(nvrtc: Any, program: Any, what: str) -> bytes:
    """One of the outputs of a program, b"" if this NVRTC does not have it."""
    get_size, get = getattr(nvrtc, f"nvrtcGet{what}Size", None), getattr(nvrtc, f"nvrtcGet{what}", None)
    if get_size is None or get is None:
        return b""
    try:
        status, size = get_size(program)
    except RuntimeError:  # bindings newer than the library
        return b""
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS or not size:
        return b""
    data = bytes(size + 1)  # a new object even for size 1: Python shares the objects of single bytes
    _check(nvrtc, *get(program, data))
    return data[:size]


def _lowered(nvrtc: Any, program: Any, expression: str) -> str:
    status, name = nvrtc.nvrtcGetLoweredName(program, expression.encode())
    _check(nvrtc, status)
    return name.decode()
