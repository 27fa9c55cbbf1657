"""Finds the C++20 compiler that builds kernels for the host.

It is the first of these: the command in PYCUDA_TILE_CXX, g++ 11 or newer, clang++ 19 or newer, the compiler
in the ziglang package.
"""

from __future__ import annotations

import contextlib
import functools
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

_MINIMUM = {"gcc": 11, "clang": 19}
_NAMES = {
    "gcc": ["g++", *(f"g++-{version}" for version in range(18, 10, -1))],
    "clang": ["clang++", *(f"clang++-{version}" for version in range(25, 18, -1))],
}


class Compiler(NamedTuple):
    """A C++ compiler: `command` starts it, `kind` is "gcc", "clang" or "zig"."""

    command: tuple[str, ...]
    kind: str
    version: str
    identity: str  # changes whenever the compiler's file changes

    def __str__(self) -> str:
        return f"{' '.join(self.command)} ({self.kind} {self.version})"

    @property
    def flags(self) -> list[str]:
        """Flags that every call of this compiler needs."""
        if self.kind == "zig":  # zig enables the sanitizer by default
            return ["-fno-sanitize=undefined", "-Wno-unknown-attributes", "-ferror-limit=20"]
        if self.kind == "clang":
            return ["-Wno-unknown-attributes", "-ferror-limit=20"]
        flat = ["-fno-diagnostics-show-nesting"] if _major(self) >= 16 else []  # diagnostics/ reads flat ones
        return ["-Wno-attributes", "-fmax-errors=20", *flat]

    def run(self, arguments: list[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Runs the compiler; its messages are in English and in ASCII, in `stdout`."""
        if self.kind == "zig":
            from . import zig

            return zig.run(lambda words: self._run(words, cwd), self.command[0], arguments)
        return self._run(arguments, cwd)

    def _environment(self) -> dict[str, str]:
        environment = {**os.environ, "LC_ALL": "C"}
        if self.kind == "zig":
            from . import zig

            environment |= zig.environment()
        return environment

    def _run(self, arguments: Sequence[str], cwd: Path | None) -> subprocess.CompletedProcess[str]:
        import subprocess  # here and below: builds from the cache do not need it

        try:
            with _starting(
                [*self.command, *arguments],
                cwd=cwd,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            ) as process:
                output, _ = process.communicate()
        except OSError as error:
            raise TargetUnavailable(f"the compiler {self} cannot be started: {error}") from error
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
    """The compiler for kernels; raises TargetUnavailable if there is none."""
    if command := os.environ.get("PYCUDA_TILE_CXX"):
        return _named_by_user(command)
    too_old = []
    for kind, names in _NAMES.items():
        for name in names:
            if path := _which(name):
                compiler = _identify((path,))
                if compiler and compiler.kind == kind and _major(compiler) >= _MINIMUM[kind]:
                    return compiler
                if compiler:
                    too_old.append(str(compiler))
    if compiler := _zig():
        return compiler
    from ..system.install import advice

    found = f"; found, but too old: {', '.join(too_old)}" if too_old else ""
    raise TargetUnavailable(
        "no C++ compiler for the targets cpu and emulated: g++ 11 or newer or clang++ 19 or newer is needed"
        f"{found}. Install one, or: {advice('compiler')}"
    )


def _named_by_user(command: str) -> Compiler:
    import shlex

    try:
        words = shlex.split(command)
    except ValueError as error:  # an unclosed quote
        raise TargetUnavailable(f"PYCUDA_TILE_CXX={command!r} is no command: {error}") from None
    path = _which(words[0]) if words else None
    compiler = _identify((path, *words[1:])) if path else None
    if not compiler:
        raise TargetUnavailable(f"PYCUDA_TILE_CXX={command!r} is no g++, clang++ or zig that can be started")
    return compiler


def _zig() -> Compiler | None:
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
            [*command, "--version"], env=environment, capture_output=True, text=True, timeout=60, check=True
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
