"""Reports of violations in checked launches: what, where, which element and block, and what is required."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

from .. import spec
from ..errors import LaunchError, UndefinedBehaviorError
from ..launching.arrays import Extent
from ..launching.parameters import BOOL, FLOAT, OTHER, SIGNED, UNSIGNED, Parameter, decode
from ..system import resources
from . import KINDS
from .lines import Frame

FindFrames = Callable[[Sequence[int]], Sequence[Sequence[Frame]]]  # the calls at places in the code

_READS, _WRITES, _ATOMIC = 1, 2, 4
NO_ARRAY = 2**32 - 1


class Value(ctypes.Structure):
    """`cuda_tile_value` of launch/checks.h."""

    _fields_ = [("code", ctypes.c_uint), ("bits", ctypes.c_ulonglong)]


class Report(ctypes.Structure):
    """`cuda_tile_report` of lib/launcher.h."""

    _fields_ = [
        ("kind", ctypes.c_uint),
        ("function", ctypes.c_char * 64),
        ("rank", ctypes.c_uint),
        ("index", ctypes.c_uint * 16),
        ("block", ctypes.c_uint * 3),
        ("value_count", ctypes.c_uint),
        ("values", Value * 4),
        ("frames", ctypes.c_ulonglong * 32),
        ("flags", ctypes.c_uint),
        ("size", ctypes.c_uint),
        ("array", ctypes.c_uint),
        ("offset", ctypes.c_longlong),
        ("other_flags", ctypes.c_uint),
        ("other_block", ctypes.c_uint * 3),
        ("other_frame", ctypes.c_ulonglong),
    ]


def make_error(
    report: Report,
    kernel: str,
    find_frames: FindFrames,
    extents: Sequence[tuple[Parameter, Extent]],
    source: tuple[str, Path],
) -> UndefinedBehaviorError:
    """The exception for a report; `extents` are those of the launch's arrays, `source` is the name of the
    user's source in messages and its path for the compiler."""
    kind, index = KINDS[report.kind], tuple(report.index[: report.rank])
    offsets = [offset for offset in report.frames if offset]
    place = user_frame(find_frames(offsets), source)
    lines = [f"{kind}: {_what(kind, report, extents)}"]
    lines.append(f"  {where(place)}, kernel {kernel}, block {tuple(report.block)}")
    if report.rank:
        lines[-1] += f", element {index}"
    lines += excerpt(place, source)
    if report.other_frame:
        other = user_frame(find_frames([report.other_frame]), source)
        lines.append(
            f"  and {_access(report.other_flags)} at {where(other)}, block {tuple(report.other_block)}"
        )
        lines += excerpt(other, source)
    row = next(row for row in spec.load("violations") if row.id == kind)
    lines.append(f"  {row.requirement} [{row.section}]")
    lines.append(f"  {_switch(kind, report)}")
    file, line = (place.file, place.line) if place else ("", 0)
    return UndefinedBehaviorError("\n".join(lines), kind, file, line, tuple(report.block), index)


def _switch(kind: str, report: Report) -> str:
    """Says how to turn off reports of this kind."""
    if kind == "pointer-arithmetic" and not decode("", [report.values[1].code])[0].pointer:
        return 'With checked=True instead of "strict", such a pointer is reported only where it is accessed.'
    return f'ignore=("{kind}",) in build() suppresses such reports.'


def make_wait_error(
    report: Report, kernel: str, find_frames: FindFrames, source: tuple[str, Path]
) -> LaunchError:
    """The exception for a launch whose blocks all wait; the arguments are those of `make_error`."""
    place = user_frame(find_frames([offset for offset in report.frames if offset]), source)
    lines = [
        "all running blocks wait for a value that none of them changes, so the launch would never end",
        f"  {where(place)}, kernel {kernel}, block {tuple(report.block)}: repeated"
        f" {report.function.decode()}",
        *excerpt(place, source),
        "  A block may wait for blocks with lower numbers, which start before it, and for locks.",
    ]
    return LaunchError("\n".join(lines))


def user_frame(calls: Sequence[Sequence[Frame]], source: tuple[str, Path]) -> Frame | None:
    """The innermost call in the user's code, with its file as messages name it."""
    ours = str(resources.include_dir())
    frames = (frame for frames in calls for frame in frames if not frame.file.startswith(ours))
    frame = next(frames, None)
    if frame and Path(frame.file) == source[1]:
        return frame._replace(file=source[0])
    return frame


def where(frame: Frame | None) -> str:
    if frame is None:
        return "at an unknown line (finding it needs addr2line or llvm-symbolizer)"
    return f"{frame.file}:{frame.line}"


def excerpt(frame: Frame | None, source: tuple[str, Path]) -> list[str]:
    if frame is None:
        return []
    try:
        path = source[1] if frame.file == source[0] else Path(frame.file)
        line = path.read_text(encoding="utf-8").splitlines()[frame.line - 1]
    except (OSError, ValueError, IndexError):
        return []
    return [f"    {frame.line} | {line.strip()}"]


# --- what happened ------------------------------------------------------------------------------------------


def _what(kind: str, report: Report, extents: Sequence[tuple[Parameter, Extent]]) -> str:
    function = report.function.decode()
    values = [_show(value) for value in report.values[: report.value_count]]
    if kind == "partition-bounds":
        index, dimension, count = values
        return f"partition index {index} along dimension {dimension}, where there are {count} partitions"
    if kind == "extract-bounds":
        index, dimension, count = values
        return f"extract: index {index} along dimension {dimension}, where there are {count} partitions"
    if kind == "pointer-arithmetic":
        return _pointer_arithmetic(function, report.values, values, extents)
    if kind == "assumption":
        return _assumption(function, *values)
    if kind == "data-race" and not report.flags:
        pointed = _pointed(report.values[0].bits, extents)
        return f"{function}: another element of the tile points to the same location, {pointed}"
    if report.flags:
        return f"{function}: {_access(report.flags)} of {report.size} bytes {_memory(kind, report, extents)}"
    return f"{function}({', '.join(values)})" if values else function


def _assumption(function: str, value: str, *constants: str) -> str:
    """The value of a tile's element, and what was assumed about it."""
    wanted = {
        "assume_blocked": "as the first element of its block",
        "assume_bounded": "from {} to {}",
        "assume_bounded_above": "at most {1}",
        "assume_bounded_below": "at least {0}",
        "assume_divisible": "divisible by {}",
        "assume_divisible_strided": "in a run of {1} along {2} that counts up from a multiple of {0}",
        "assume_aligned": "aligned to {} bytes",
        "assume_aligned_strided": "in a run of {1} along {2} from an address aligned to {0} bytes",
    }[function]
    return f"{function}: an element is {value}, and was assumed to be {wanted.format(*constants)}"


def _access(flags: int) -> str:
    word = {_READS: "read", _WRITES: "write"}.get(flags & (_READS | _WRITES), "update")
    return f"atomic {word}" if flags & _ATOMIC else word


def _pointer_arithmetic(
    function: str, raw: Sequence[Value], shown: list[str], extents: Sequence[tuple[Parameter, Extent]]
) -> str:
    """Describes the pointers by the arrays that they point into."""
    operands = [
        _pointed(value.bits, extents) if decode("", [value.code])[0].pointer else text
        for value, text in zip(raw, shown, strict=False)
    ]
    return f"{function}: {operands[0]} {function.removeprefix('operator')} {operands[1]}"


def _pointed(address: int, extents: Sequence[tuple[Parameter, Extent]]) -> str:
    for parameter, extent in extents:
        if extent.address <= address <= extent.address + extent.nbytes:
            element = (address - extent.address) // extent.itemsize
            return f"&{_name(parameter, quote='')}[{element}] ({extent.nbytes // extent.itemsize} elements)"
    return f"{address:#x}" if address else "a null pointer"


def _memory(kind: str, report: Report, extents: Sequence[tuple[Parameter, Extent]]) -> str:
    if report.array == NO_ARRAY:
        if kind == "data-race":  # which are found in no other memory
            return "in one of the kernel's own variables"
        if not report.offset:
            return "through a null pointer"
        return _near(report.offset % 2**64, extents)
    return _element(report.offset, *extents[report.array])


def _near(address: int, extents: Sequence[tuple[Parameter, Extent]]) -> str:
    """Describes an address outside of all arrays by the nearest array, if it is within that array's length of
    it."""
    distances = {}
    for parameter, extent in extents:
        before, behind = extent.address - address, address - (extent.address + extent.nbytes)
        if max(before, behind) <= extent.nbytes:
            distances[max(before, behind)] = parameter, extent
    if not distances:
        return f"at address {address:#x}, which is in none of the arrays that were passed"
    parameter, extent = distances[min(distances)]
    if address < extent.address:
        return f"{extent.address - address} bytes before {_name(parameter)}"
    return _element(address - extent.address, parameter, extent)


def _element(offset: int, parameter: Parameter, extent: Extent) -> str:
    count = extent.nbytes // extent.itemsize
    return f"at element {offset // extent.itemsize} of {_name(parameter)}, which has {count} elements"


def _name(parameter: Parameter, quote: str = "'") -> str:
    return f"{quote}{parameter.name}{quote}" if parameter.name else f"argument {parameter.position}"


def _show(value: Value) -> str:
    [parameter] = decode("", [value.code])
    if parameter.pointer or parameter.kind == OTHER:
        return f"{value.bits:#x}"
    raw = value.bits.to_bytes(8, "little")[: parameter.size]
    if parameter.kind in (BOOL, SIGNED, UNSIGNED):
        number = int.from_bytes(raw, "little", signed=parameter.kind == SIGNED)
        return str(bool(number)).lower() if parameter.kind == BOOL else str(number)
    if parameter.kind == FLOAT:
        return f"{struct.unpack({2: '<e', 4: '<f', 8: '<d'}[parameter.size], raw)[0]:g}"
    if parameter.element and parameter.element.begins_a_float:
        return f"{struct.unpack('<f', bytes(4 - len(raw)) + raw)[0]:g}"
    return f"{parameter.cxx_type} {value.bits:#x}"
