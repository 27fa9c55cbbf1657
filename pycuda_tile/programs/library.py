"""The library that every program is linked with: the run time and the CPU launcher, compiled on first use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..compilers.toolchain import Compiler
from ..errors import CompileError
from ..system import cache, resources

_NAME = "cuda_tile_program.o"
_FLAGS = ["-std=c++20", "-O2", "-g1", "-fPIC", "-pthread", "-fvisibility=hidden"]


def find(compiler: Compiler) -> Path:
    """One object file with all of the library, by this compiler."""
    folder = resources.launcher_source_dir()
    sources = sorted([*folder.glob("*.cpp"), *(folder / "runtime").glob("*.cpp")])
    flags = [*_FLAGS, *compiler.flags, f"-I{resources.include_dir()}", f"-I{folder}"]
    flags += ["-isystem", str(resources.runtime_header_dir())]

    def build(place: Path) -> cache.Result:
        def compile_one(source: Path) -> str:
            output = place / f"{source.parent.name}_{source.stem}.o"
            _run(compiler, [*flags, "-c", "-o", str(output), str(source)])
            return str(output)

        with ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(compile_one, sources))
        _run(compiler, ["-r", "-nostdlib", "-o", str(place / _NAME), *objects])
        for each in objects:
            Path(each).unlink()
        headers = [*folder.rglob("*.h"), *folder.rglob("*.inc")]
        return cache.Result({}, [str(path) for path in (*sources, *headers)])

    key = cache.make_key(
        "program", compiler.identity, compiler.version, compiler.command, flags, list(map(str, sources))
    )
    return cache.get(key, build).folder / _NAME


def _run(compiler: Compiler, arguments: list[str]) -> None:
    done = compiler.run(arguments)
    if done.returncode:
        raise CompileError(
            f"the library for programs does not compile with {compiler}:\n{done.stdout[:2000]}",
            log=done.stdout,
        )
