"""The package's own shared libraries: the installed ones, else compiled on first use and cached."""

from __future__ import annotations

import ctypes
from pathlib import Path

from ..errors import CompileError, Error
from ..system import cache, resources
from . import toolchain


def load(name: str, sources: Path, abi: tuple[str, int], kind: type = ctypes.CDLL) -> ctypes.CDLL:
    """Loads lib{name}.so, whose C++ files lie in `sources`.

    abi: a function of the library and the result that it must return, else the library has another version
    kind: ctypes.PyDLL for a library that calls Python
    """
    installed = resources.installed_library(f"lib{name}.so")
    loaded = _load(installed, abi, kind) if installed else None
    if loaded is None:
        built = _build(name, sources)  # keep it alive: outside the cache it owns its folder
        loaded = _load(built.folder / f"lib{name}.so", abi, kind)
    if loaded is None:
        raise Error(f"the package's lib{name} does not match its Python files: reinstall the package")
    return loaded


def _load(path: Path, abi: tuple[str, int], kind: type) -> ctypes.CDLL | None:
    library = kind(str(path))
    function, version = abi
    return library if getattr(library, function)() == version else None


def _build(name: str, sources: Path) -> cache.Entry:
    """Compiles the library, for installations that were made without a compiler."""
    compiler = toolchain.find_compiler()
    files = sorted(sources.glob("*.cpp"))
    flags = ["-std=c++20", "-O2", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden"]
    flags += [*compiler.flags, f"-I{resources.include_dir()}"]

    def build(folder: Path) -> cache.Result:
        done = compiler.run([*flags, "-o", str(folder / f"lib{name}.so"), *map(str, files)])
        if done.returncode:
            raise CompileError(
                f"lib{name} does not compile with {compiler}:\n{done.stdout[:2000]}", log=done.stdout
            )
        launch = resources.include_dir() / "cuda_tile/launch"
        shared = [launch / header for header in ("block.h", "checks.h", "violations.h")]
        return cache.Result({}, [str(path) for path in (*files, *sources.glob("*.h"), *shared)])

    return cache.get(
        cache.make_key(name, compiler.identity, compiler.version, flags, list(map(str, files))), build
    )
