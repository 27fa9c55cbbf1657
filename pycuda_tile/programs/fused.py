"""Compiles the tile kernels of a file a second time, as loops that operations share: an object file beside
that of the device half, whose table names both. Which instances of templates there are is read from the host
half.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .. import targets
from ..compilers import toolchain, units
from ..compilers.demangle import demangled
from ..compilers.nvrtc import read_text
from ..errors import Error
from ..frontend.kernel_info import KernelInfo
from ..frontend.kernel_names import base_name, split_overload
from ..targets import fusing
from ..targets.host import compiling, loops
from ..targets.kernels import entry_names, find_kernels
from ..targets.target import Request
from .elf import Object
from .options import Input, Options
from .steps import Steps

# A symbol of the host half for each instance of a kernel: kernel_name in include/cuda_tile/program/image.h.
_INSTANCE = re.compile(r"_ZTIN9cuda_tile7program12_GLOBAL__N_111kernel_nameI(.*)EE")
_CANNOT_BE_SPELLED = re.compile(r"\{lambda|'lambda|\{unnamed|'unnamed|\[abi:|\)::")
_FLOAT = re.compile(r"\((float|double)\)\[([\da-f]+)\]")  # a template argument, as it is demangled


class Fused(NamedTuple):
    """symbols: of fused kernels in the object file, each a cuda_tile_kernel, by the instance: the arguments
    of kernel_name, mangled"""

    path: Path
    symbols: dict[str, str]


def fuse(
    asked: Options,
    steps: Steps,
    given: Input,
    macros: Mapping[str, str],
    host: Callable[[], Path],
    output: Path,
) -> Fused | None:
    """Compiles those kernels that the host half may launch and that can be fused; None if there are none. No
    failure is an error, since the device half has all kernels.

    macros:  those that the device half sees
    host:    waits for the host half, and returns its object file
    """
    request = _request(asked, given, macros)

    def note(name: str, path: str, reason: str = "") -> None:
        if asked.verbose:
            sys.stderr.write(f"# {given.path}: {name}: {path}{': ' * bool(reason)}{reason}\n")

    if steps.dry or "__tile_global__" not in request.text:
        return None
    if reason := fusing.reason_against(request):
        note("all kernels", "by operation", reason)
        return None
    try:
        toolchain.find_clang()
        kernels = find_kernels(request, {})
        names = entry_names(kernels)
        if len(names) < len(kernels):
            names = list(_instances(host(), kernels))
        if not names:
            return None
        made = loops.translate(request, steps.compiler, names, kernels, lambda file: file)
        for name, why in made.reasons.items():
            note(name, "by operation", why)
        if not made.names:
            return None
        _compile(request, steps, made, output)
        made.confirm()
    except (Error, loops.NotFused) as error:
        note("all kernels", "by operation", loops.brief(error))
        return None
    for name in made.names:
        note(name, "fused", str(made.attributes[name].get("reason", "")))
    instances = _instances(host(), kernels)
    symbols = {name: f"cuda_tile_kernel_{at}" for at, name in enumerate(made.names)}
    return Fused(output, {instances[name]: symbol for name, symbol in symbols.items() if name in instances})


def _request(asked: Options, given: Input, macros: Mapping[str, str]) -> Request:
    options = [option for option in asked.host_options if not fusing.NEUTRAL.fullmatch(option)]
    options += [f"-U{name}" for name in asked.undefines]
    options += [word for header in asked.headers for word in ("-include", header)]
    against = {
        "--no-fuse": asked.no_fuse,
        "-g": asked.debug,
        "-G": asked.device_debug,
        "-O0": asked.optimize == "0",
    }
    options += [option for option, is_given in against.items() if is_given]
    defines = (define.partition("=") for define in asked.defines)
    path = Path(given.path).absolute()
    return Request(
        target=targets.find("cpu"),
        text=read_text(path),
        name=given.path,
        path=path,
        include_dirs=tuple(Path(folder).absolute() for folder in (*asked.include_dirs, *asked.system_dirs)),
        defines={**macros, **{name: value if equals else "1" for name, equals, value in defines}},
        options=tuple(options),
        checked=asked.checked,
        optimize="auto",
    )


def _instances(host: Path, kernels: Sequence[KernelInfo]) -> dict[str, str]:
    """The arguments of kernel_name by the expressions that name the instances of tile kernels."""
    found = {}
    for symbol in Object(host.read_bytes()).symbols:
        matched = _INSTANCE.fullmatch(symbol.name)
        expression = _expression(symbol.name, kernels) if matched else ""
        if matched and expression:
            found[expression] = matched[1]
    return found


def _expression(symbol: str, kernels: Sequence[KernelInfo]) -> str:
    """The expression that names a tile kernel in the source; "" for what is none, and for instances that only
    a function can name."""
    text = demangled(symbol).replace("(anonymous namespace)::", "")
    if _CANNOT_BE_SPELLED.search(text):
        return ""
    text = _FLOAT.sub(r"__builtin_bit_cast(\1, 0x\2)", text)
    function = _second(text.partition("kernel_name<")[2]).removeprefix("&")
    if function.startswith("("):
        function = function[1:-1].removeprefix("void ")
    name = split_overload(function)[0]
    same = [kernel for kernel in kernels if kernel.name == base_name(name)]
    return function if len(same) > 1 else name if same else ""


def _second(text: str) -> str:
    """The second of the arguments with which a text begins."""
    depth, commas = 0, [-2]
    for at, letter in enumerate(text):
        depth += (letter in "<([{") - (letter in ">)]}")
        if depth < 0 or (depth == 0 and letter == ","):
            commas.append(at)
        if depth < 0:
            break
    return text[commas[1] + 2 : commas[2]] if len(commas) > 2 else ""


def _compile(request: Request, steps: Steps, made: loops.Loops, output: Path) -> None:
    text, unit = output.with_suffix(".loops.cpp"), output.with_suffix(".cpp")
    units.write(text, made.text)
    lines = [compiling.PREDEFINED, f'#include "{text}"', '#include "cuda_tile/launch/entry.h"']
    lines += [f"CUDA_TILE_ENTRY({at}, {name})" for at, name in enumerate(made.names.values())]
    unit.write_text("\n".join(lines) + "\n")
    code = request._replace(
        include_dirs=(), defines={}, options=fusing.options_of_code(request.options), optimize=False
    )
    flags = [
        *compiling.flags_of_object(code, steps.compiler),
        "-U__CUDA_ARCH__",
    ]  # NVIDIA's headers: as hosts
    steps.run([*flags, "-w", "-c", "-o", str(output), str(unit)])
