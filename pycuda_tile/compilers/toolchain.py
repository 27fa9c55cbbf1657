"""Finds the compilers of C++20 on this machine: the one that builds kernels for the host, and the clang that
makes LLVM IR of kernels (tileir/cxx/).

The first is the first of these: the command in PYCUDA_TILE_CXX, g++ 11 or newer, clang++ 19 or newer, the
compiler in the ziglang package. The clang is the first of these that is clang 19 or newer.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import TargetUnavailable
from ..system import cache
from .demangle import without_abi

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Sequence

_MINIMUM = {"gcc": 11, "clang": 19, "zig": 19}  # zig has the versions of its clang
_NAMES = {  # on PATH
    "gcc": ["g++", *(f"g++-{version}" for version in range(18, 10, -1))],
    "clang": ["clang++", *(f"clang++-{version}" for version in range(25, 18, -1))],
}

#: What decides how kernels for the cpu are compiled, besides arguments; with one of the first, none is fused.
AGAINST_FUSING = ("PYCUDA_TILE_DEBUG", "PYCUDA_TILE_SANITIZE")
ENVIRONMENT = ("PYCUDA_TILE_OPTIMIZE", *AGAINST_FUSING)
LONGEST = 60  # seconds to read a source: it takes less than one, so the compiler hangs


class Compiler(NamedTuple):
    """A C++ compiler: `command` starts it, `kind` is "gcc", "clang" or "zig"."""

    command: tuple[str, ...]
    kind: str
    version: str
    identity: str  # changes whenever the compiler's file changes

    def __str__(self) -> str:
        kind = "with clang" if self.kind == "zig" else self.kind
        return f"{' '.join(self.command)} ({kind} {self.version})"

    @property
    def flags(self) -> list[str]:
        """Flags that every call of this compiler needs."""
        if self.kind == "zig":  # zig enables the sanitizer by default
            return ["-fno-sanitize=undefined", "-Wno-unknown-attributes", "-ferror-limit=20"]
        if self.kind == "clang":
            return ["-Wno-unknown-attributes", "-ferror-limit=20"]
        flat = ["-fno-diagnostics-show-nesting"] if _major(self) >= 16 else []  # diagnostics/ reads flat ones
        return ["-Wno-attributes", "-fmax-errors=20", *flat, *self._right_constants()]

    def _right_constants(self) -> list[str]:
        """With AVX-512, g++ 12 repeats the beginning of constants of 32 or 64 bytes that end with zeros, if
        it may move what it repeats from general registers to vectors."""
        import platform

        wrong = _major(self) in (12, 13) and platform.machine() in ("x86_64", "AMD64")
        return ["-mtune-ctrl=^inter_unit_moves_to_vec"] if wrong else []

    def run(
        self,
        arguments: list[str],
        cwd: Path | None = None,
        limit: float | None = None,
        printed: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Runs the compiler; its messages are in English and in ASCII, in `stdout`. Raises TargetUnavailable
        if it takes more than `limit` seconds.

        printed:  a file that gets what the compiler was asked to print, which is with its messages otherwise
        """
        if self.kind == "zig":
            from . import zig

            return zig.run(lambda words: self._run(words, cwd, limit, printed), self.command[0], arguments)
        return self._run(arguments, cwd, limit, printed)

    def _environment(self) -> dict[str, str]:
        environment = {**os.environ, "LC_ALL": "C"}
        if self.kind == "zig":
            from . import zig

            environment |= zig.environment()
        return environment

    def _run(
        self, arguments: Sequence[str], cwd: Path | None, limit: float | None, printed: Path | None
    ) -> subprocess.CompletedProcess[str]:
        import subprocess  # here and below: builds from the cache do not need it

        try:
            with (
                open(printed or os.devnull, "wb") as file,
                _starting(
                    [*self.command, *arguments],
                    cwd=cwd,
                    env=self._environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=file if printed else subprocess.PIPE,
                    stderr=subprocess.PIPE if printed else subprocess.STDOUT,
                    text=True,
                    errors="replace",
                ) as process,
            ):
                output = "".join(text for text in process.communicate(timeout=limit) if text)
        except OSError as error:
            raise TargetUnavailable(f"the compiler {self} cannot be started: {error}") from error
        except subprocess.TimeoutExpired:
            raise TargetUnavailable(f"the compiler {self} takes more than {limit:g} seconds") from None
        return subprocess.CompletedProcess(process.args, process.returncode, without_abi(output))


@contextlib.contextmanager
def _starting(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process that is killed with its children when an exception leaves the block.

    This also holds for exceptions of signal handlers, such as KeyboardInterrupt, at any moment. Handlers run
    in the main thread, so another thread, which they cannot interrupt, starts the process.
    """
    import subprocess
    import threading
    from concurrent.futures import Future

    started: Future[subprocess.Popen[str]] = Future()

    def start() -> None:
        if started.set_running_or_notify_cancel():
            try:
                started.set_result(subprocess.Popen(command, start_new_session=True, **options))
            except BaseException as error:
                started.set_exception(error)

    try:
        threading.Thread(target=start, name="starts a compiler", daemon=True).start()
        yield started.result()
    except BaseException:
        if not started.cancel() and not started.exception():
            with started.result() as process, contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # the group of start_new_session
        raise


def find_compiler() -> Compiler:
    """The compiler for kernels on the host; raises TargetUnavailable if there is none."""
    if named := named_by_user():
        return named
    too_old = []
    for compiler in itertools.chain(on_path("gcc"), on_path("clang")):
        if _is_recent(compiler):
            return compiler
        too_old.append(compiler)
    if zig := of_ziglang():
        return zig
    raise _unavailable(
        "no C++ compiler for the targets cpu and emulated: g++ 11 or newer or clang++ 19 or newer is needed",
        too_old,
    )


def find_clang() -> Compiler:
    """The clang that makes LLVM IR of kernels; raises TargetUnavailable if there is none."""
    too_old = []
    for compiler in _every_clang():
        if _is_recent(compiler):
            return _as_clang(compiler)
        too_old.append(compiler)
    raise _unavailable("no clang 19 or newer, which makes Tile IR of C++ kernels", too_old)


def identities() -> list[list[str]]:
    """What identifies the compilers that kernels for the cpu depend on, for keys of the cache."""
    found = []
    for find in (find_compiler, find_clang):
        with contextlib.suppress(TargetUnavailable):
            compiler = find()
            found.append([compiler.identity, compiler.version, *compiler.command])
    return found


def _every_clang() -> Iterator[Compiler]:
    named = named_by_user()
    if named and named.kind != "gcc":
        yield named
    yield from on_path("clang")
    if compiler := of_ziglang():
        yield compiler


def _as_clang(compiler: Compiler) -> Compiler:
    """The compiler called as clang: `zig c++` would add its own headers and flags."""
    if compiler.kind != "zig":
        return compiler
    zig, _, *options = compiler.command
    return compiler._replace(command=(zig, "clang", *options))


def _unavailable(what: str, too_old: Sequence[Compiler]) -> TargetUnavailable:
    from ..system.install import advice

    found = f"; found, but too old: {', '.join(map(str, too_old))}" if too_old else ""
    return TargetUnavailable(f"{what}{found}. Install one, or: {advice('compiler')}")


def named_by_user() -> Compiler | None:
    """The compiler in PYCUDA_TILE_CXX, of any version; None if the variable is not set."""
    command = os.environ.get("PYCUDA_TILE_CXX")
    return of_command(command, "PYCUDA_TILE_CXX") if command else None


def of_command(command: str, what: str) -> Compiler:
    """The compiler that a command starts, of any version; `what` tells in an error where it is from."""
    import shlex

    try:
        words = shlex.split(command)
    except ValueError as error:  # an unclosed quote
        raise TargetUnavailable(f"{what}={command!r} is not a valid command: {error}") from None
    if words[1:3] == ["-m", "ziglang"] and (zig := of_ziglang()):  # that package's way to start it
        words = [zig.command[0], *words[3:]]
    path = _which(words[0]) if words else None
    compiler = _identify((path, *words[1:])) if path else None
    if not compiler:
        raise TargetUnavailable(f"{what}={command!r} is not a g++, clang++ or zig that can be started")
    return compiler


def on_path(kind: str) -> Iterator[Compiler]:
    """The compilers of a kind ("gcc" or "clang") on PATH, of any version."""
    for name in _NAMES[kind]:
        if path := _which(name):
            compiler = _identify((path,))
            if compiler and compiler.kind == kind:
                yield compiler


def of_ziglang() -> Compiler | None:
    """The compiler of the ziglang package, of any version; None if the package is not installed."""
    import importlib.util

    package = importlib.util.find_spec("ziglang")
    if not package or not package.submodule_search_locations:
        return None
    zig = os.path.join(package.submodule_search_locations[0], "zig")
    return _identify((zig, "c++")) if os.path.exists(zig) else None


def _which(name: str) -> str | None:
    """Like shutil.which, whose import takes longer than a build from the cache."""
    folders = [""] if os.path.dirname(name) else os.get_exec_path()
    paths = (os.path.join(folder, name) for folder in folders)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def _is_recent(compiler: Compiler) -> bool:
    return _major(compiler) >= _MINIMUM[compiler.kind]


def _major(compiler: Compiler) -> int:
    return int(compiler.version.split(".")[0])


@functools.cache
def _identify(command: tuple[str, ...]) -> Compiler | None:
    """Kind and version of a compiler, or None if it does not start or is not supported."""
    try:
        path = os.path.realpath(command[0])
        status = os.stat(path)
    except OSError:
        return None
    identity = f"{path} {status.st_size} {status.st_mtime_ns}"

    def ask(_: Path) -> cache.Result:
        return cache.Result(dict(zip(("kind", "version"), _ask_version(command), strict=True)))

    try:  # starting a compiler takes longer than a whole build from the cache
        answer = cache.get(cache.make_key("compiler", command, identity), ask).meta
    except LookupError:
        return None
    return Compiler(command, answer["kind"], answer["version"], identity)


def _ask_version(command: tuple[str, ...]) -> tuple[str, str]:
    """(kind, version); raises LookupError if the command is not a supported compiler."""
    import subprocess

    environment = None
    if "zig" in os.path.basename(command[0]):
        from . import zig

        environment = {**os.environ, **zig.environment()}
    try:
        answer = subprocess.run(
            [*command, "--version"],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise LookupError(str(error)) from error
    version = re.search(r"\b(\d+\.\d+\.\d+)\b", answer)
    if version and "clang" in answer:
        return ("zig" if "zig" in os.path.basename(command[0]) else "clang"), version[1]
    if version and "Free Software Foundation" in answer:
        return "gcc", version[1]
    raise LookupError(answer)


def cpu_identity() -> str:
    """Identifies the processor that `-march=native` means on this machine."""
    if sys.platform != "linux":
        import platform

        return platform.processor()
    with open("/proc/cpuinfo", "rb") as stream:
        first_core = stream.read(8192).split(b"\n\n")[0].decode(errors="replace")
    wanted = ("model name", "flags", "Features", "CPU implementer", "CPU part", "CPU variant")
    return "\n".join(line for line in first_core.splitlines() if line.startswith(wanted))
