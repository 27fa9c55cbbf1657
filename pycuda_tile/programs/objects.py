"""Joins the two halves of a file to one object file."""

from __future__ import annotations

import re
from pathlib import Path

from ..compilers.toolchain import Compiler
from ..errors import CompileError
from .elf import Object

# Symbols of the device half: image_kernel and image_variable in include/cuda_tile/program/image.h.
_KERNEL = re.compile(r"_ZN9cuda_tile7program.*(?:simt|tile)_kernelI.*5entryE$")
_VARIABLE = re.compile(r"cuda_tile_variable_\d+(?:$|E$)")


def join(compiler: Compiler, host: Path, device: Path, image: str, output: Path) -> None:
    """Writes the object file of both halves to `output`. `image` is the symbol of the device half's table."""
    _share_managed(host, device, image)
    kernels, variables = _prepare(device, image)
    table = device.with_suffix(".table.s")
    table.write_text(_table(image, kernels, variables))
    tabled = device.with_suffix(".table.o")
    for arguments in (
        ["-c", "-o", str(tabled), str(table)],
        ["-r", "-nostdlib", "-o", str(output), str(host), str(device), str(tabled)],
    ):
        done = compiler.run(arguments)
        if done.returncode:
            raise CompileError(
                f"the halves of {output.name} cannot be joined by {compiler}: {done.stdout}", log=done.stdout
            )


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


def _prepare(device: Path, image: str) -> tuple[list[str], list[str]]:
    """Makes the symbols of the device half local, except those that the table names; returns these."""
    half = Object(device.read_bytes())
    half.stop_initialisers()
    kernels: dict[str, str] = {}
    variables: dict[str, str] = {}

    def keep(name: str) -> str | None:
        for pattern, found in ((_KERNEL, kernels), (_VARIABLE, variables)):
            if pattern.search(name):
                return found.setdefault(name, f"{image}_{len(kernels) + len(variables)}")
        return None

    half.localize(keep)
    device.write_bytes(half.data)
    return list(kernels.values()), list(variables.values())


def _table(image: str, kernels: list[str], variables: list[str]) -> str:
    """The table (image in include/cuda_tile/program/image.h) in assembly language."""
    lines = [
        '    .section .data.rel.ro.cuda_tile,"aw"',
        "    .balign 8",
        f"    .globl {image}",
        f"    .hidden {image}",
        f"{image}:",
        *(f"    .8byte {value}" for value in (len(kernels), len(variables), *kernels, *variables)),
        '    .section .note.GNU-stack,"",%progbits',
    ]
    return "\n".join(lines) + "\n"
