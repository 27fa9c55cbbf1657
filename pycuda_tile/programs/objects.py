"""Joins the two halves of a file, and its fused kernels, to one object file."""

from __future__ import annotations

import re
from pathlib import Path

from ..compilers.demangle import demangled
from ..errors import CompileError
from .elf import Object, Symbol
from .fused import Fused
from .steps import Steps

# Symbols of the device half: image_kernel and image_variable in include/cuda_tile/program/image.h.
_KERNEL = re.compile(r"_ZN9cuda_tile7program12_GLOBAL__N_111(?:simt|tile)_kernelI(.*)E5entryE$")
_OF_KERNELS = {"clock": "cuda_tile_clock"}  # functions of the C library that kernels have another one of
_OF_DEVICE = ".cuda_tile_device"  # ends the names that the device halves of several files share
_VARIABLE = re.compile(r"cuda_tile_variable_\d+(?:$|E$)")


def join(
    steps: Steps,
    host: Path,
    device: Path,
    fused: Fused | None,
    image: str,
    output: Path,
    relocatable: bool = False,
) -> None:
    """Writes the object file of both halves to `output`. `image` is the symbol of the device half's table."""
    table = device.with_suffix(".table.s")
    tabled = device.with_suffix(".table.o")
    if not steps.dry:
        _share_managed(host, device, image)
        kernels, variables = _prepare(device, image, relocatable)
        loops = _prepare_fused(fused, image) if fused else {}
        table.write_text(_table(image, kernels, variables, loops))
    steps.run(["-c", "-o", str(tabled), str(table)])
    parts = [host, device, tabled, *([fused.path] if fused else [])]
    steps.run(["-r", "-nostdlib", "-o", str(output), *map(str, parts)])


def _share_managed(host: Path, device: Path, image: str) -> None:
    """Makes symbols global that the device half needs of the host half and that are local there: managed
    variables in unnamed namespaces."""
    halves = {path: Object(path.read_bytes()) for path in (host, device)}
    local = {one.name for one in halves[host].symbols if one.is_defined and one.is_local and one.name}
    needed = {one.name for one in halves[device].symbols if not one.is_defined} & local
    if not needed:
        return
    names = {name: f"{image}_shared_{number}" for number, name in enumerate(sorted(needed))}
    for path, half in halves.items():
        half.edit(lambda one: one.made_global(names[one.name]) if one.name in names else one)
        path.write_bytes(half.data)


def _prepare(device: Path, image: str, relocatable: bool) -> tuple[dict[str, str], list[str]]:
    """Makes the symbols of the device half local, except those that the table names, which it returns, those
    of kernels by their instances, and what a relocatable half shares with those of other files."""
    half = Object(device.read_bytes())
    half.stop_initialisers()
    _refuse_undefined(half, relocatable)
    kernels: dict[str, str] = {}
    variables: dict[str, str] = {}

    def change(symbol: Symbol) -> Symbol:
        if relocatable and _is_of_device(symbol):
            return symbol._replace(name=f"{symbol.name}{_OF_DEVICE}", other=0)
        if not symbol.is_defined:
            return symbol._replace(name=_OF_KERNELS.get(symbol.name, symbol.name))
        for pattern, found in ((_KERNEL, kernels), (_VARIABLE, variables)):
            if matched := pattern.search(symbol.name):
                key = matched[1] if found is kernels else symbol.name
                return symbol.made_global(found.setdefault(key, f"{image}_{len(kernels) + len(variables)}"))
        return symbol.made_local()

    half.edit(change)
    device.write_bytes(half.data)
    return kernels, list(variables.values())


def _prepare_fused(fused: Fused, image: str) -> dict[str, str]:
    """Makes the symbols of fused kernels local, except their descriptions, which it returns by instance."""
    loops = Object(fused.path.read_bytes())
    names = {symbol: f"{image}_{symbol}" for symbol in fused.symbols.values()}

    def change(symbol: Symbol) -> Symbol:
        if symbol.name in names:
            return symbol.made_global(names[symbol.name])
        return symbol.made_local() if symbol.is_defined else symbol

    loops.edit(change)
    fused.path.write_bytes(loops.data)
    return {instance: names[symbol] for instance, symbol in fused.symbols.items()}


def _is_of_device(symbol: Symbol) -> bool:
    """Whether a symbol is what the device halves of several files share, and no name of the compiler's own,
    such as __dso_handle."""
    return symbol.is_hidden and not symbol.is_local and not symbol.name.startswith("__")


def _refuse_undefined(half: Object, relocatable: bool) -> None:
    """Raises CompileError if the half uses what only the device halves of other files define."""
    undefined = [one for one in half.symbols if not one.is_defined and not one.is_local]
    if tile := [one.name for one in undefined if one.is_protected]:
        raise CompileError(
            f"error: {', '.join(map(demangled, tile))}: declared as __tile__, but not defined in this file: "
            "tile code can only call functions whose bodies it sees; define them in a header"
        )
    device = [one.name for one in undefined if _is_of_device(one)]
    if device and not relocatable:
        raise CompileError(
            f"error: {', '.join(map(demangled, device))}: declared for the device, but not defined in this "
            "file: compile with -rdc=true all files that share it"
        )


def _table(image: str, kernels: dict[str, str], variables: list[str], fused: dict[str, str]) -> str:
    """The table (image in include/cuda_tile/program/image.h) in assembly language."""
    loops = [fused.get(instance, "0") for instance in kernels]
    values = (len(kernels), len(variables), *kernels.values(), *variables, *loops)
    lines = [
        '    .section .data.rel.ro.cuda_tile,"aw"',
        "    .balign 8",
        f"    .globl {image}",
        f"    .hidden {image}",
        f"{image}:",
        *(f"    .8byte {value}" for value in values),
        '    .section .note.GNU-stack,"",%progbits',
    ]
    return "\n".join(lines) + "\n"
