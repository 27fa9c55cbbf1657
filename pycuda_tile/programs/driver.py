"""Carries out a command line of nvcc: compiles each input, links them, or stops before."""

from __future__ import annotations

import functools
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from ..compilers import toolchain
from ..compilers.toolchain import Compiler
from ..diagnostics.text import ALL_OF_IT
from ..errors import CompileError, Error
from ..system import resources
from ..version import VERSION
from . import library, options
from .halves import Halves
from .options import Input, Options
from .steps import Steps, failed

_CUDA = (".cu", ".cuh")
_ARCHITECTURES = (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)


def main(words: Sequence[str] | None = None) -> int:
    """`pycuda-tile nvcc WORDS`, by default those of the process; returns the exit code."""
    try:
        asked = options.read(_with_environment(sys.argv[1:] if words is None else words))
        return Driver(asked).run()
    except CompileError as error:
        print(str(error).replace(ALL_OF_IT, "").rstrip(), file=sys.stderr)
    except Error as error:
        print(f"{error}", file=sys.stderr)
    return 1


def _with_environment(words: Sequence[str]) -> list[str]:
    """The words, and those of the variables that nvcc reads."""
    before, behind = (shlex.split(os.environ.get(f"NVCC_{name}_FLAGS", "")) for name in ("PREPEND", "APPEND"))
    return [*before, *words, *behind]


class Driver:
    """One call of the compiler."""

    def __init__(self, asked: Options):
        self.asked = asked

    @functools.cached_property
    def steps(self) -> Steps:
        return Steps(self._find_compiler(), self.asked.verbose, self.asked.dry_run)

    def _find_compiler(self) -> Compiler:
        named = self.asked.host_compiler
        if not named:
            return toolchain.find_compiler()
        if os.path.isdir(named):
            named = os.path.join(named, "g++")
        folder, name = os.path.split(named)
        name = {"gcc": "g++", "cc": "c++", "clang": "clang++"}.get(name, name)
        return toolchain.of_command(shlex.quote(os.path.join(folder, name)), "-ccbin")

    def run(self) -> int:
        asked = self.asked
        if (answer := self._answer()) is not None:
            print(answer)
            return 0
        if not asked.inputs:
            raise Error("nvcc: no input files")
        for given in asked.inputs:
            if not os.path.exists(given.path):
                raise Error(f"nvcc: {given.path}: there is no such file")
            if os.path.isdir(given.path):
                raise Error(f"nvcc: {given.path} is a folder: expected a file")
        with tempfile.TemporaryDirectory(prefix="cuda_tile_nvcc_") as folder:
            if asked.action in ("-E", "-M", "-MM"):
                return self._preprocess(Path(folder))
            if asked.action in ("-c", "-dc"):
                return self._write_each(
                    ".o", lambda given, output: self._compile(given, output, Path(folder))
                )
            if asked.is_module():
                return self._write_each(
                    asked.action.replace("-", "."),
                    lambda given, output: self._write_module(given, output, Path(folder)),
                )
            if asked.action == "-dlink":
                return self._link_device(Path(folder))
            return self._link(Path(folder))

    def _answer(self) -> str | None:
        """What options that ask for something want printed."""
        asked = self.asked
        if asked.version:
            return _VERSION
        if asked.help:
            return _HELP
        if asked.list_arch or asked.list_code:
            return "\n".join(f"{'compute' if asked.list_arch else 'sm'}_{arch}" for arch in _ARCHITECTURES)
        if asked.toolchain_file:
            return str(resources.cmake_toolchain())
        if asked.print_library:
            return str(library.find(self.steps.compiler))
        if asked.print_include_dirs:
            return ";".join(map(str, (resources.runtime_header_dir(), resources.include_dir())))
        return None

    # ---- steps -------------------------------------------------------------------------------------------

    def _preprocess(self, folder: Path) -> int:
        for given in self.asked.inputs:
            Halves(self.asked, self.steps, given, folder).preprocess_only(self.asked.action)
        return 0

    def _write_each(self, suffix: str, write: Callable[[Input, Path], None]) -> int:
        """Writes a file for each source."""
        sources = [given for given in self.asked.inputs if not self._is_object(given)]
        if self.asked.output and len(sources) > 1:
            raise Error("nvcc: -o names one output, but there are several inputs")
        for given in sources:
            output = self.asked.output or os.path.join(
                self.asked.output_dir, os.path.splitext(os.path.basename(given.path))[0] + suffix
            )
            write(given, Path(output))
        return 0

    def _write_module(self, given: Input, output: Path, folder: Path) -> None:
        """Writes a shared library for cuModuleLoad: the run time is that of the program which loads it."""
        made, mark = folder / "module.o", folder / "module.cpp"
        self._compile(given, made, folder)
        mark.write_text('extern "C" const char cuda_tile_is_module = 1;\n')
        flags = [*self._flags(), "-shared", "-fPIC", "-Wl,-Bsymbolic"]
        sys.stderr.write(self.steps.run(["-o", str(output), *flags, str(made), str(mark)]))

    def _compile(self, given: Input, output: Path, folder: Path) -> None:
        halves = Halves(self.asked, self.steps, given, folder)
        if self._is_cuda(given):
            halves.compile(output)
        else:
            halves.compile_host_only(output)

    def _link_device(self, folder: Path) -> int:
        """Device code is linked with the program, so that this makes an empty object."""
        empty = folder / "empty.cpp"
        empty.touch()
        self.steps.run(["-c", "-o", self.asked.output or "a_dlink.o", str(empty)])
        return 0

    def _archive(self, objects: list[str]) -> int:
        output = self.asked.output or "a.a"
        compiler = self.steps.compiler
        command = [compiler.command[0], "ar"] if compiler.kind == "zig" else ["ar"]
        done = subprocess.run([*command, "rcs", output, *objects], capture_output=True, text=True)
        if done.returncode:
            raise failed(done.stderr)
        return 0

    def _link(self, folder: Path) -> int:
        asked = self.asked
        made: dict[str, str] = {}
        for at, given in enumerate(asked.inputs):
            if not self._is_object(given):
                output = folder / f"{at}_{Path(given.path).stem}.o"
                self._compile(given, output, folder)
                made[given.path] = str(output)
        if asked.action == "-lib":
            return self._archive([made.get(given.path, given.path) for given in asked.inputs])
        output_name = asked.output or "a.out"
        ours = str(library.find(self.steps.compiler))
        words = [made.get(word, word) for word in asked.linking if word != ours]
        # Modules that the program loads find the run time in it.
        arguments = ["-o", output_name, *self._flags(), *words, ours, "-pthread", "-ldl", "-rdynamic"]
        sys.stderr.write(self.steps.run(arguments))
        if asked.run and not asked.dry_run:
            return subprocess.run([os.path.abspath(output_name), *shlex.split(asked.run_args)]).returncode
        return 0

    def _flags(self) -> list[str]:
        asked = self.asked
        flags = ["-shared"] if asked.shared else []
        flags += [f"-L{folder}" for folder in asked.library_dirs]
        return [*flags, *(["-g"] if asked.debug else []), *asked.host_options]

    # ---- inputs ------------------------------------------------------------------------------------------

    def _is_object(self, given: Input) -> bool:
        return not given.language and options.is_object(given.path)

    def _is_cuda(self, given: Input) -> bool:
        return given.language == "cu" or (not given.language and given.path.endswith(_CUDA))


_VERSION = f"""nvcc: NVIDIA (R) Cuda compiler driver, as pycuda_tile {VERSION} has it: compiles for the CPU
Cuda compilation tools, release 13.5, V13.5.0"""
_HELP = """usage: pycuda-tile nvcc [OPTIONS] FILE...

Compiles CUDA programs for this machine's CPU. The options are nvcc's; docs/programs.md says what they mean.
--checked finds undefined behaviour in tile kernels, --no-fuse compiles them operation by operation."""
