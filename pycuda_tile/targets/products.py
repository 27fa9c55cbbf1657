"""The units that multiply matrices in compiled kernels, as platform/note_mma.h records them at products."""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_UNITS = ("blocks", "AMX", "FMA", "mma.sync", "wgmma")  # detail::mma_unit (tile/multiplication.h)


def attribute(numbers: Iterable[int]) -> dict[str, str]:
    """The entry `mma` of a kernel's attributes; empty if the kernel has no matrix products."""
    names = [_UNITS[number] for number in sorted(set(numbers))]
    return {"mma": ", ".join(names)} if names else {}


def in_ptx(text: str) -> list[int]:
    """The units recorded in PTX."""
    return [int(number) for number in re.findall(r"// cuda_tile mma (\d+)", text)]


def in_library(library: bytes, kernels: int) -> list[list[int]]:
    """The units recorded in the functions that each kernel, cuda_tile_kernel_<i>, can reach by direct calls.
    Calls by pointer are not followed. Nothing is known about stripped libraries and formats other than ELF.
    """
    if library[:6] != b"\x7fELF\x02\x01":  # 64 bits, little endian
        return [[] for _ in range(kernels)]
    sections = {section.name: section for section in _sections(library)}
    if not {".cuda_tile_mma", ".symtab", ".text", ".rela.dyn"} <= sections.keys():
        return [[] for _ in range(kernels)]
    notes = struct.iter_unpack("<QQ", sections[".cuda_tile_mma"].content)
    symbols = list(_symbols(sections[".symtab"].content, sections[".strtab"].content))
    functions = sorted({symbol.address for symbol in symbols if symbol.is_function and symbol.address})
    data = {symbol.name: symbol.address for symbol in symbols if not symbol.is_function}
    pointers = {
        place: target for place, _, target in struct.iter_unpack("<QQQ", sections[".rela.dyn"].content)
    }

    def function_of(address: int) -> int:
        return functions[max(bisect_right(functions, address) - 1, 0)]

    units: dict[int, set[int]] = {}
    for unit, address in notes:
        units.setdefault(function_of(address), set()).add(unit)
    calls: dict[int, set[int]] = {}
    known = set(functions)
    for place, target in _calls(sections[".text"], struct.unpack_from("<H", library, 18)[0]):
        if target in known:
            calls.setdefault(function_of(place), set()).add(target)
    entries = [pointers.get(data[f"cuda_tile_kernel_{i}"] + 8, 0) for i in range(kernels)]
    return [sorted(set().union(*(units.get(f, ()) for f in _reached(calls, entry)))) for entry in entries]


def _reached(calls: dict[int, set[int]], start: int) -> set[int]:
    reached, ahead = {start}, [start]
    while ahead:
        new = calls.get(ahead.pop(), set()) - reached
        reached |= new
        ahead += new
    return reached


# --- ELF ----------------------------------------------------------------------------------------------------


class _Section(NamedTuple):
    name: str
    address: int
    content: bytes


class _Symbol(NamedTuple):
    name: str
    address: int
    is_function: bool


def _sections(library: bytes) -> Iterator[_Section]:
    (start,), (count, names) = struct.unpack_from("<Q", library, 40), struct.unpack_from("<HH", library, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", library, start + 64 * i) for i in range(count)]
    strings = headers[names][4]
    for name, _, _, address, offset, size, *_ in headers:
        yield _Section(_text(library, strings + name), address, library[offset : offset + size])


def _symbols(table: bytes, strings: bytes) -> Iterator[_Symbol]:
    for name, info, _, _, address, _ in struct.iter_unpack("<IBBHQQ", table):
        if info & 15 in (1, 2):  # data and functions
            yield _Symbol(_text(strings, name), address, info & 15 == 2)


def _text(strings: bytes, start: int) -> str:
    return strings[start : strings.index(b"\0", start)].decode(errors="replace")


# --- machine code -------------------------------------------------------------------------------------------

_X86, _ARM = 62, 183
# call and jmp, conditional jumps, lea of an address; the distance from the end of the instruction follows.
_X86_CALL = re.compile(
    rb"(?s)(?=(?:[\xe8\xe9]|\x0f[\x80-\x8f]|\x8d[\x05\x0d\x15\x1d\x25\x2d\x35\x3d])(.{4}))"
)


def _calls(code: _Section, machine: int) -> Iterator[tuple[int, int]]:
    """(place, target) of possible calls and jumps; targets of false matches are not functions."""
    if machine == _X86:
        for found in _X86_CALL.finditer(code.content):
            (distance,) = struct.unpack("<i", found[1])
            yield code.address + found.start(), code.address + found.end(1) + distance
    elif machine == _ARM:
        for i, (word,) in enumerate(struct.iter_unpack("<I", code.content)):
            if word & 0x7C000000 == 0x14000000:  # b, bl
                distance = (word & 0x3FFFFFF) - (word << 1 & 0x4000000)
                yield code.address + 4 * i, code.address + 4 * (i + distance)
