"""Compiles one CUDA source: preprocesses, rewrites and compiles its halves side by side, and joins them."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..compilers import units
from ..system import resources
from . import messages, objects, rewriting
from .fused import fuse
from .options import Input, Options
from .steps import Steps

_CUDA_VERSION = (13, 5)
_FAST = ["-ffp-contract=off", "-fno-math-errno", "-fno-strict-aliasing"]  # as in targets/host
_STANDARDS = ("20", "2a", "23", "2b", "26", "2c")
# What kernels do to volatile variables is deprecated in C++20, which nvcc does not ask of them.
_VOLATILE = {"gcc": "-Wno-volatile", "clang": "-Wno-deprecated-volatile", "zig": "-Wno-deprecated-volatile"}
_LINES = ["-g1", "-gdwarf-4"]
_SYSTEM = ("/usr/include/", "/usr/lib/", "/usr/local/include/", "<")


class Halves:
    """One source of a command line."""

    def __init__(self, asked: Options, steps: Steps, given: Input, folder: Path):
        self.asked = asked
        self.steps = steps
        self.compiler = steps.compiler
        self.given = given
        self.folder = folder

    def compile(self, output: Path) -> None:
        """Compiles both halves to one object file."""
        image = _image_name(self.given.path, str(output))
        host, device, loops = (self.folder / f"{image}.{part}.o" for part in ("host", "device", "loops"))

        with ThreadPoolExecutor(2) as pool:
            device_half = pool.submit(self._compile_half, image, device, False, output)
            host_half = pool.submit(self._compile_half, image, host, True, output)

            def wait_for_host() -> Path:
                host_half.result()
                return host

            fused = fuse(self.asked, self.steps, self.given, self._device_macros(), wait_for_host, loops)
        _show([device_half.result(), host_half.result()])
        objects.join(self.steps, host, device, fused, image, output, self.asked.is_relocatable())

    def compile_host_only(self, output: Path) -> None:
        """Compiles a source in plain C or C++."""
        asked = self.asked
        flags = [*self._common(), *self._macros(), *self._dependencies(output)]
        if asked.standard and not self.given.path.endswith(".c"):
            flags.append(f"-std={asked.standard}")
        _show([self.steps.run([*flags, *self._host_flags(), "-c", "-o", str(output), self.given.path])])

    def preprocess_only(self, action: str) -> None:
        flags = [*self._preprocessing("", host=True), action]
        print(self.steps.run([*flags, *(["-o", self.asked.output] if self.asked.output else [])]), end="")

    # ---- one half ----------------------------------------------------------------------------------------

    def _compile_half(self, image: str, place: Path, host: bool, output: Path) -> str:
        """Compiles a half to an object file; returns the compiler's messages."""
        text = place.with_suffix(".ii")
        dependencies = self._dependencies(output) if host else []
        with messages.placed(self.given.path, text, self._ours):
            log = self.steps.run([*self._preprocessing(image, host), *dependencies, "-E", "-o", str(text)])
            if not self.steps.dry:
                self._rewrite(text, host)
            # The device half has all of the file's code, and so all of its warnings.
            flags = [*self._common(), *(["-w", *self._host_flags()] if host else self._device_flags())]
            return log + self.steps.run([*flags, self._standard(), "-c", "-o", str(place), str(text)])

    def _rewrite(self, text: Path, host: bool) -> None:
        source = units.read(text)
        if host:
            source = rewriting.host_half(source, self._is_users)
        else:
            source = rewriting.device_half(source, self._is_users, self.asked.is_relocatable())
        units.write(text, source)

    def _preprocessing(self, image: str, host: bool) -> list[str]:
        prelude = "host.h" if host else "device.h"
        flags = [*self._common(), *self._macros(), self._standard()]
        macros = {"CUDA_TILE_IMAGE": image, **(self._cuda_macros() if host else self._device_macros())}
        flags += [*(f"-D{name}={value}" for name, value in macros.items()), "-x", "c++"]
        if self.asked.checked:
            flags.append("-DCUDA_TILE_CHECKED=1")
        if not self.asked.standard.endswith(_STANDARDS):
            flags.append("-DCUDA_TILE_BEFORE_CXX20")
        prelude_path = resources.include_dir() / "cuda_tile/program" / prelude
        return [*flags, "-include", str(prelude_path), *self._optimization(host), self.given.path]

    def _device_macros(self) -> dict[str, str]:
        return {**self._cuda_macros(), "__CUDA_ARCH__": str(self.asked.compute_capability())}

    def _cuda_macros(self) -> dict[str, str]:
        major, minor = _CUDA_VERSION
        names = ["CUDA_TILE_PROGRAM", "__CUDACC__", "__NVCC__"]
        names += ["__CUDACC_EXTENDED_LAMBDA__"] if self.asked.extended_lambda else []
        names += ["__CUDACC_RELAXED_CONSTEXPR__"] if self.asked.relaxed_constexpr else []
        if self.asked.default_stream == "per-thread":
            names.append("CUDA_API_PER_THREAD_DEFAULT_STREAM")
        return {
            **dict.fromkeys(names, "1"),
            "__CUDACC_VER_MAJOR__": str(major),
            "__CUDACC_VER_MINOR__": str(minor),
            "__CUDACC_VER_BUILD__": "0",
            "__CUDA_ARCH_LIST__": str(self.asked.compute_capability()),
        }

    def _macros(self) -> list[str]:
        asked = self.asked
        flags = [f"-I{folder}" for folder in asked.include_dirs]
        flags += ["-isystem", str(resources.runtime_header_dir())]
        flags += ["-isystem", str(resources.nv_target_dir()), "-isystem", str(resources.include_dir())]
        for folder in asked.system_dirs:
            flags += ["-isystem", folder]
        flags += ["-idirafter", str(resources.small_float_dir()), "-idirafter", str(resources.cuda_std_dir())]
        flags += [f"-D{define}" for define in asked.defines] + [f"-U{name}" for name in asked.undefines]
        for header in asked.headers:
            flags += ["-include", header]
        return flags

    def _standard(self) -> str:
        """C++20 at least: the headers of tiles and of small floats need it."""
        asked = self.asked.standard
        return f"-std={asked if asked.endswith(_STANDARDS) else 'c++20'}"

    def _common(self) -> list[str]:
        """Flags of both halves, and of what is for the host alone."""
        asked = self.asked
        flags = [*self.compiler.flags, "-fdiagnostics-color=never"]
        flags += ["-fno-gnu-unique"] if self.compiler.kind == "gcc" else []
        flags += ["-w"] if asked.no_warnings else []
        flags += ["-g", "-gdwarf-4"] if asked.debug or asked.device_debug else _LINES
        flags += ["-pg"] if asked.profile else []
        flags += ["-fPIC"] if asked.is_module() else []
        if not any(option.startswith("-march=") for option in asked.host_options):
            flags.append("-march=native")
        # Both halves name kernels by their types (kernel_name in image.h).
        return [*flags, *(option for option in asked.host_options if option != "-fno-rtti")]

    def _optimization(self, host: bool) -> list[str]:
        if host:
            return [f"-O{self.asked.optimize}"] if self.asked.optimize else []
        return ["-O0"] if self.asked.device_debug else ["-O3"]

    def _host_flags(self) -> list[str]:
        return self._optimization(host=True)

    def _device_flags(self) -> list[str]:
        return [*self._optimization(host=False), *_FAST, _VOLATILE[self.compiler.kind]]

    def _dependencies(self, output: Path) -> list[str]:
        asked = self.asked
        if not (asked.dependencies or asked.nonsystem_dependencies):
            return []
        flags = ["-MD" if asked.dependencies else "-MMD", *(["-MP"] if asked.phony_targets else [])]
        flags += ["-MF", asked.dependency_file or os.path.splitext(output)[0] + ".d"]
        return [*flags, "-MT", asked.dependency_target or str(output)]

    @functools.cached_property
    def _ours(self) -> tuple[str, ...]:
        return (*_SYSTEM, f"{resources.include_dir()}/", os.path.dirname(self.compiler.command[0]) + "/lib")

    def _is_users(self, file: str) -> bool:
        return not file.startswith(self._ours)


def _image_name(source: str, output: str) -> str:
    """The symbol of a file's table: another one for each object file."""
    text = f"{os.path.abspath(source)}\0{os.path.abspath(output)}"
    return f"cuda_tile_image_{hashlib.sha256(text.encode(errors='surrogateescape')).hexdigest()[:16]}"


def _show(logs: list[str]) -> None:
    """Prints messages of both halves, once."""
    seen: set[str] = set()
    for log in logs:
        if log and log not in seen:
            seen.add(log)
            sys.stderr.write(log)
