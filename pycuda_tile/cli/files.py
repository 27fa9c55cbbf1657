"""The commands that work on a user's file: compile, kernels and check."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import targets
from ..errors import CompileError, Diagnostic, Error, TargetUnavailable
from ..system.output_file import write_file

if TYPE_CHECKING:
    from ..building.module import Module


_FRONT_END = "open"  # of --emit tileir, which needs no tools of NVIDIA's then
_NO_KERNELS = "no kernels (functions declared __tile_global__)"
_PRINTED = ("tileir", "loops")  # what --emit prints without -o


def compile_file(arguments: argparse.Namespace) -> int:
    emit = arguments.emit
    emitters = {target.name: target.emits[emit] for target in targets.every() if emit in target.emits}
    target = _target(arguments) or next(iter(emitters), "auto")
    wrong = ""
    if emit and target not in emitters:
        wrong = f"--emit {emit} needs the target {' or '.join(emitters)}, not {target}"
    elif arguments.output is None and emit not in _PRINTED:
        wrong = "-o OUT is missing: only --emit tileir and --emit loops print without it"
    if wrong:
        print(f"pycuda-tile: {wrong}", file=sys.stderr)
        return 2
    if emit == "loops":
        return _write_loops(arguments)
    if emit == "tileir" and arguments.front_end is None:
        arguments.front_end = _FRONT_END
    module = _build_all(arguments, target)
    output = getattr(module, emitters.get(target, "binary"))
    if emit == "tileir" and (arguments.output is None or arguments.output.suffix == ".mlir"):
        output = _text_of(output)
    if arguments.output is None:
        print(output, end="")
        return 0
    data = output.encode() if isinstance(output, str) else output
    write_file(arguments.output, lambda file: file.write(data))
    names = ", ".join(module._compiled.executables)
    print(f"{arguments.output}: {len(data)} bytes for {module.target} ({module.arch}): {names}")
    return 0


def _write_loops(arguments: argparse.Namespace) -> int:
    """What each pass makes of the kernels on their way to fused code."""
    from ..tileir import from_cpp
    from ..tileir.loops.trace import trace

    module = from_cpp(
        arguments.file,
        kernels=arguments.kernels,
        include_dirs=arguments.include_dirs,
        defines=arguments.defines,
        **({"api": arguments.api} if arguments.api else {}),
    )
    text = trace(module)
    if arguments.output is None:
        print(text, end="")
    else:
        write_file(arguments.output, lambda file: file.write(text.encode()))
    return 0


def _target(arguments: argparse.Namespace) -> str | None:
    """The target that the arguments name, if only by a front end."""
    if arguments.target or not arguments.front_end:
        return arguments.target
    return next(target.name for target in targets.every() if arguments.front_end in target.front_ends)


def _text_of(bytecode: bytes) -> str:
    """As `pycuda-tile tileir print` prints it."""
    from ..tileir import read_bytecode

    return read_bytecode(bytecode).text(locations=False)


def _build_all(arguments: argparse.Namespace, target: str) -> Module:
    """A module with the requested kernels and all that are not templates, including overloads."""
    module = _build(arguments, target)
    plain = [kernel for kernel in module.kernels if not kernel.template_params]
    names = [kernel.name for kernel in plain]
    overloads = [
        f"{kernel.name}({', '.join(param.type for param in kernel.params)})"
        for kernel in plain
        if names.count(kernel.name) > 1
    ]
    asked = arguments.kernels
    if overloads:
        arguments.kernels = list(dict.fromkeys([*arguments.kernels, *overloads]))
        module = _build(arguments, target)
    templates = [str(kernel) for kernel in module.kernels if kernel.template_params]
    advice = "name instances with --kernel, such as --kernel 'scale<float, 64>'"
    if not module._compiled.executables:
        if templates:
            raise Error(
                f"{arguments.file} has only kernels that are templates: {'; '.join(templates)}: {advice}"
            )
        raise Error(f"{arguments.file} has {_NO_KERNELS}")
    if templates and not asked:
        print(
            f"note: kernels that are templates are left out: {'; '.join(templates)}: {advice}",
            file=sys.stderr,
        )
    return module


def list_kernels(arguments: argparse.Namespace) -> int:
    from ..frontend import clang
    from ..frontend.kernels import NOTE, find
    from ..system.install import advice

    text, name, places = _source(arguments)
    kernels = find(text, name, thorough=True, **places)
    for kernel in kernels:
        print(f"{kernel.file}:{kernel.line}: {kernel}")
        for hint in kernel.hints:
            print(f"    hint({hint})")
    if not kernels:
        print(f"{name}: {_NO_KERNELS}", file=sys.stderr)
    if clang.load() is None:
        print(f"note: {NOTE}: {advice(clang.EXTRA)}", file=sys.stderr)
    return 0


def _source(arguments: argparse.Namespace) -> tuple[str, str, dict[str, Any]]:
    """Text and name of the command's file, and further arguments for the front end."""
    from ..building.builder import check_defines, check_include_dirs, read_source

    text, name, path = read_source(arguments.file)
    beside = (path.parent,) if path else ()
    folders = (*beside, *check_include_dirs(arguments.include_dirs))
    macros = {"__cplusplus": "202002L", "__CUDA_ARCH__": "900", **check_defines(arguments.defines)}
    return text, name, {"path": path, "include_dirs": folders, "macros": macros}


def check_file(arguments: argparse.Namespace) -> int:
    from ..diagnostics.text import show
    from ..frontend.check import check

    text, name, places = _source(arguments)
    diagnostics, note = check(text, name, **places)
    compiled, where, paths = _compile_diagnostics(arguments)
    diagnostics = compiled + [diagnostic for diagnostic in diagnostics if diagnostic not in compiled]
    for diagnostic in diagnostics:
        print(show(diagnostic))
    if note:
        print(f"note: {note}", file=sys.stderr)
    for line in paths:
        print(line)
    errors, warnings = (sum(d.severity == kind for d in diagnostics) for kind in ("error", "warning"))
    print(f"{name}: {where}, {_count(errors, 'error')}, {_count(warnings, 'warning')}")
    return 1 if errors else 0


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _compile_diagnostics(arguments: argparse.Namespace) -> tuple[list[Diagnostic], str, list[str]]:
    """The compiler's errors, a description of what was compiled, and which way each kernel went."""
    try:
        module = _build(arguments, _target(arguments) or "auto", optimize="auto")
    except CompileError as error:
        return error.diagnostics, "does not compile", []
    except TargetUnavailable as error:
        return [], f"not compiled ({error})", []
    if not module.kernels:
        return [], f"{_NO_KERNELS}; the rest compiles for {module.target} ({module.arch})", []
    return [], f"compiles for {module.target} ({module.arch})", list(_paths(module))


def _paths(module: Module) -> Iterator[str]:
    """Which way each kernel of a module for the cpu was compiled, and why not all of it is fused."""
    for name, executable in module._compiled.executables.items():
        attributes = executable.attributes
        if path := attributes.get("path"):
            reason = f": {attributes['reason']}" if attributes.get("reason") else ""
            partly = "partly " if path == "fused" and reason else ""
            yield f"{name}: {partly}{path}{reason}"


def _build(arguments: argparse.Namespace, target: str, **more: Any) -> Module:
    from ..building.builder import build

    return build(
        arguments.file,
        target=target,
        arch=arguments.arch,
        kernels=arguments.kernels,
        include_dirs=arguments.include_dirs,
        defines=arguments.defines,
        num_threads=arguments.num_threads,
        front_end=arguments.front_end,
        **more,
        api=arguments.api,
    )
