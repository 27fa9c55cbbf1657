"""The locations of files that are not Python: headers, templates, the launcher's source, examples.

In an installed wheel they lie inside the package; in a checkout (or an editable install), beside it.
"""

from __future__ import annotations

import functools
from pathlib import Path

from ..errors import Error

_PACKAGE = Path(__file__).resolve().parents[1]


@functools.cache
def _find(name: str, witness: str) -> Path:
    """The folder `name` of the package, or of the checkout around it, that contains the file `witness`."""
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if (folder / witness).exists():
            return folder
    raise Error(f"the installation of pycuda_tile is incomplete: {_PACKAGE / name / witness} is missing")


def include_dir() -> Path:
    """The folder that holds cuda_tile.h."""
    return _find("include", "cuda_tile.h")


def small_float_dir() -> Path:
    """Our own cuda_fp16.h and similar headers, searched last so that NVIDIA's take precedence."""
    return include_dir() / "cuda_tile" / "compatible" / "small_floats"


def runtime_header_dir() -> Path:
    """cuda_runtime.h and its like for whole programs, searched first."""
    return include_dir() / "cuda_tile" / "compatible" / "runtime"


def nv_target_dir() -> Path:
    """Our own nv/target. It is searched first on a host, where NVIDIA's supports only host code, and last by
    NVRTC."""
    return include_dir() / "cuda_tile" / "compatible" / "nv_target"


def standard_dir() -> Path:
    """Standard headers (type_traits, cmath, ...) for NVRTC, which has none."""
    return include_dir() / "cuda_tile" / "compatible" / "standard"


def cuda_std_dir() -> Path:
    """<cuda/std/array> and its like made of the standard library, for hosts without libcu++."""
    return include_dir() / "cuda_tile" / "compatible" / "cuda_std"


def header_dirs() -> tuple[Path, ...]:
    """All folders of headers that sources may include."""
    return (include_dir(), small_float_dir(), nv_target_dir(), standard_dir(), cuda_std_dir())


def templates_dir() -> Path:
    """The jinja2 templates of the generated headers."""
    return _find("templates", ".")


def launcher_source_dir() -> Path:
    """The C++ source of the CPU launcher."""
    return _find("lib", "launcher.h")


def cmake_toolchain() -> Path:
    """The toolchain file with which CMake builds CUDA projects for the CPU."""
    return _find("cmake", "nvcc/toolchain.cmake") / "nvcc/toolchain.cmake"


def cmake_package() -> Path:
    """The folder in which find_package(cuda_tile) finds its files. Those of a checkout build the launcher."""
    installed = _PACKAGE / "lib" / "cmake" / "cuda_tile"
    return installed if installed.exists() else _find("cmake", "checkout/cuda_tileConfig.cmake") / "checkout"


def examples_dir() -> Path:
    """The example kernels and their scripts."""
    return _find("examples", ".")


def direct_source_dir() -> Path:
    """The C++ source of the library that launches kernels without Python code."""
    return launcher_source_dir() / "python"


def launcher_library() -> Path | None:
    """The CPU launcher if it was compiled when the package was installed, else None."""
    return installed_library("libcuda_tile_launcher.so")


def installed_library(name: str) -> Path | None:
    import pycuda_tile

    for folder in pycuda_tile.__path__:
        library = Path(folder) / "lib" / name
        if library.exists():
            return library
    return None
