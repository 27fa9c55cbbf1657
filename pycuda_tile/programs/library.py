"""The library that every program is linked with, the run time and the CPU launcher: the installed one, or one
that is compiled on first use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..compilers.toolchain import Compiler
from ..errors import CompileError
from ..system import cache, resources

_NAME = "cuda_tile_program.o"
# Symbols stay visible: a program and its shared libraries, which have a copy each, so share the program's.
_FLAGS = ["-std=c++20", "-O2", "-g1", "-fPIC", "-pthread"]


def find(compiler: Compiler) -> Path:
    """A file with all of the library, that links with what this compiler makes."""
    folder = resources.launcher_source_dir()
    sources = sorted([*folder.glob("*.cpp"), *(folder / "runtime").glob("*.cpp")])
    installed = resources.installed_library("libcuda_tile_program.a")
    if (
        installed and compiler.kind != "zig" and not _is_older(installed, folder)
    ):  # zig has another C++ library
        return installed
    flags = [*_FLAGS, *compiler.flags, f"-I{resources.include_dir()}", f"-I{folder}"]
    flags += ["-isystem", str(resources.runtime_header_dir())]

    def build(place: Path) -> cache.Result:
        def compile_one(unit: tuple[str, list[Path]]) -> str:
            name, files = unit
            together = place / f"{name}.cpp"
            together.write_text("".join(f'#include "{file}"\n' for file in files))
            output = together.with_suffix(".o")
            _run(compiler, [*flags, "-c", "-o", str(output), str(together)])
            return str(output)

        with ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(compile_one, _units(sources)))
        _run(compiler, ["-r", "-nostdlib", "-o", str(place / _NAME), *objects])
        headers = [*folder.rglob("*.h"), *folder.rglob("*.inc")]
        return cache.Result({}, [str(path) for path in (*sources, *headers)])

    key = cache.make_key(
        "program", compiler.identity, compiler.version, compiler.command, flags, list(map(str, sources))
    )
    return cache.get(key, build).folder / _NAME


def _is_older(library: Path, folder: Path) -> bool:
    """Whether somebody has changed the sources since the library was installed: in a checkout."""
    if folder.parent == resources.include_dir().parent == library.parent.parent:
        return False  # all are in the package
    made = library.stat().st_mtime
    return any(path.stat().st_mtime > made for path in folder.rglob("*.[chi]*"))


def _units(sources: list[Path]) -> list[tuple[str, list[Path]]]:
    """The files by what is compiled together: most of the time goes into headers that they share."""
    runtime = [path for path in sources if path.parent.name == "runtime"]
    return [("runtime", runtime), ("launcher", [path for path in sources if path not in runtime])]


def _run(compiler: Compiler, arguments: list[str]) -> None:
    done = compiler.run(arguments)
    if done.returncode:
        raise CompileError(
            f"the library for programs does not compile with {compiler}:\n{done.stdout[:2000]}",
            log=done.stdout,
        )
