"""The compiler of the ziglang package, which has no prebuilt libraries and compiles each on first use.

The C++ library takes minutes, so programs that do not need it, such as most kernels, are linked without it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple

from ..system import progress

_RUNTIME, _CXX_LIBRARY = "libcompiler_rt.a", "libc++.a"
_NOTICES = {
    _RUNTIME: "the ziglang compiler is being set up for its first use; this takes about 10 seconds, once",
    _CXX_LIBRARY: "the ziglang compiler builds its C++ library, which is needed here for the first time; "
    "this takes one to three minutes, once",
}
# Kernels that throw nothing still refer to these wherever an exception could pass; none is ever called.
_FOR_EXCEPTIONS = """
extern "C" {
[[noreturn]] void abort();
#define NEVER_CALLED(name) __attribute__((visibility("hidden"))) void name() { abort(); }
NEVER_CALLED(__gxx_personality_v0)
NEVER_CALLED(__cxa_begin_catch)
NEVER_CALLED(__cxa_end_catch)
NEVER_CALLED(_Unwind_Resume)
NEVER_CALLED(_ZSt9terminatev)
__attribute__((visibility("hidden"))) void* _ZTISt9exception[3];
}
"""
_OF_CXX_LIBRARY = re.compile(
    r"undefined symbol: .*(\bstd::|__cxa_|__cxxabiv1|_Unwind_|operator (new|delete))"
)
_NOT_LINKING = {"-c", "-E", "-S", "-fsyntax-only", "--version"}

Start = Callable[[Sequence[str]], CompletedProcess[str]]


def run(start: Start, zig: str, arguments: Sequence[str]) -> CompletedProcess[str]:
    """Runs zig with the arguments by means of `start`; prints a notice before it compiles a library."""
    steps = _split(arguments)
    if steps is None:
        if _NOT_LINKING.isdisjoint(arguments):
            _announce(_CXX_LIBRARY, zig)
        return start(arguments)
    import tempfile

    with tempfile.TemporaryDirectory(dir=Path(steps.output).absolute().parent) as folder:
        compiled, stubs = os.path.join(folder, "compiled.o"), os.path.join(folder, "for_exceptions.cpp")
        Path(stubs).write_text(_FOR_EXCEPTIONS)
        done = start([*steps.compiling, "-c", "-o", compiled, steps.source])
        if done.returncode:
            return done
        _announce(_RUNTIME, zig)
        linking = [*steps.linking, "-o", steps.output, compiled]
        linked = start([*linking, stubs, "-nostdlib++", "-Wl,-z,defs"])
        if linked.returncode and not _OF_CXX_LIBRARY.search(linked.stdout):  # the source's own symbols
            linked = start([*linking, stubs, "-nostdlib++"])
        elif linked.returncode:
            _announce(_CXX_LIBRARY, zig)
            linked = start(linking)
    return CompletedProcess(linked.args, linked.returncode, done.stdout + linked.stdout)


class _Steps(NamedTuple):
    """How one source becomes a library: the arguments of both steps without files, the source, the output."""

    compiling: list[str]
    linking: list[str]
    source: str
    output: str


def _split(arguments: Sequence[str]) -> _Steps | None:
    """The steps; None unless the arguments make a library from a single source."""
    words = list(arguments)
    if not _NOT_LINKING.isdisjoint(words):
        return None
    sources = [word for word in words if word.endswith(".cpp")]
    if "-shared" not in words or "-o" not in words or len(sources) != 1:
        return None
    if any(word.endswith((".o", ".a", ".so")) for word in words if word != words[words.index("-o") + 1]):
        return None
    words.remove(sources[0])
    place = words.index("-o")
    output = words[place + 1]
    del words[place : place + 2]
    linking = list(words)
    if "-MF" in linking:
        place = linking.index("-MF")
        del linking[place : place + 2]
    linking = [word for word in linking if word not in ("-MD", "-MMD")]
    return _Steps([word for word in words if word != "-shared"], linking, sources[0], output)


def _announce(library: str, zig: str) -> None:
    """Announces a long compilation, unless this zig has compiled the library before."""
    try:
        installed = os.stat(zig).st_ctime
        made = [path.stat().st_mtime for path in _cache_folder().glob(f"o/*/{library}")]
    except OSError:
        return
    if not made or max(made) < installed:
        progress.erase()
        logging.getLogger("pycuda_tile").warning(f"pycuda_tile: {_NOTICES[library]}")


def environment() -> dict[str, str]:
    """Environment variables for zig, which does not start without a HOME that it can write to."""
    return {"ZIG_GLOBAL_CACHE_DIR": str(_cache_folder())}


def _cache_folder() -> Path:
    if explicit := os.environ.get("ZIG_GLOBAL_CACHE_DIR"):
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(base, "zig").absolute()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    from ..system import cache

    return cache.folder() / "zig"
