"""Loaded by gdb (`gdb -x FILE`): prints the values of tiles, extents and small floats.

It runs in gdb's Python and may import only the standard library and gdb's own module.
"""

import csv
import pathlib
import re
import struct

import gdb

_MOST = 8  # the number of rows, and of elements of a row, that are shown


def read_formats():
    """The rows of the table of element types that describe small floats, by C++ name."""
    table = "spec/tables/element_types.tsv"
    path = next(p / table for p in pathlib.Path(__file__).resolve().parents if (p / table).exists())
    with path.open(newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return {row["cxx"]: row for row in rows if row["header"]}


FORMATS = read_formats()


def element(value):
    """An element as text: small floats as numbers, others as gdb prints them."""
    type_ = value.type.strip_typedefs().unqualified()
    if type_.name not in FORMATS:
        return value.format_string()
    raw = gdb.selected_inferior().read_memory(int(value.address), type_.sizeof).tobytes()
    return f"{small_float(type_.name, raw):g}"


def small_float(name, raw):
    """The value of a small float from its bytes."""
    row = FORMATS[name]
    if (row["exponent"], row["signed"]) == ("8", "yes"):  # its bits are the first bits of a float
        return struct.unpack("<f", bytes(4 - len(raw)) + raw)[0]
    return decode(int.from_bytes(raw, "little"), row)


def decode(bits, row):
    """The value that the bits represent in the row's format."""
    exponent_bits, mantissa_bits, bias = (int(row[name]) for name in ("exponent", "mantissa", "bias"))
    last_exponent, last_mantissa = (1 << exponent_bits) - 1, (1 << mantissa_bits) - 1
    sign = -1.0 if row["signed"] == "yes" and bits >> (exponent_bits + mantissa_bits) & 1 else 1.0
    exponent, mantissa = bits >> mantissa_bits & last_exponent, bits & last_mantissa
    specials = row["specials"].split()
    if exponent == last_exponent and "inf" in specials:
        return sign * float("nan" if mantissa else "inf")
    if (exponent, mantissa) == (last_exponent, last_mantissa) and "nan" in specials:
        return float("nan")
    if exponent == 0 and "zero" in specials:  # and the subnormal numbers around it
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (mantissa + 1 + last_mantissa) * 2.0 ** (exponent - bias - mantissa_bits)


def lengths(shape):
    """The numbers of extents<I, ...>; None for a dynamic one. gdb knows packs by the type's name only."""
    numbers = re.findall(r"\d+", shape.strip_typedefs().name.partition(",")[2])
    return [None if int(number) == 2**64 - 1 else int(number) for number in numbers]


class Tile:
    """tile<E, S>: rows of elements, long ones shortened."""

    def __init__(self, value):
        self.value = value
        type_ = value.type.strip_typedefs()
        self.element, self.shape = type_.template_argument(0), lengths(type_.template_argument(1))

    def to_string(self):
        slots = self.value["slots"]
        count = 1
        for length in self.shape:
            count *= length
        head = f"tile<{self.element}, {'x'.join(map(str, self.shape)) or 'one element'}>"
        if slots.type.range()[1] + 1 != count:
            return f"{head}, a thread's part: {slots.format_string(max_elements=_MOST)}"
        return f"{head} {self.rows(slots, 0, 0)}"

    def rows(self, slots, depth, first):
        if depth == len(self.shape):
            return element(slots[first])
        step = 1
        for length in self.shape[depth + 1 :]:
            step *= length
        length = self.shape[depth]
        shown = [self.rows(slots, depth + 1, first + i * step) for i in range(min(length, _MOST))]
        return "[" + ", ".join(shown) + (", ...]" if length > _MOST else "]")


def extents(value):
    """The lengths of an extents object, static ones from its type and dynamic ones from the object."""
    type_ = value.type.strip_typedefs()
    found, place = lengths(type_), 0
    for i, length in enumerate(found):
        if length is None:
            found[i] = int(value[type_.fields()[0]]["values"][place])
            place += 1
    return f"({', '.join(map(str, found))})"


class Extents:
    """extents<I, ...>."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"extents{extents(self.value)}"


class TensorSpan:
    """tensor_span<...>: its address, extents and layout."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        mapping = self.value["mapping_"]
        while "shape" not in [field.name for field in mapping.type.strip_typedefs().fields()]:
            mapping = mapping[mapping.type.strip_typedefs().fields()[0]]  # the base class
        layout = re.search(r"layout_\w+?(?=_mapping|\b)", str(self.value["mapping_"].type.strip_typedefs()))
        return f"tensor_span({self.value['handle_']}, extents{extents(mapping['shape'])}, {layout[0]})"


class PartitionView:
    """partition_view<...>: its span and the shape of its tiles."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        shape = lengths(self.value.type.strip_typedefs().template_argument(1))
        return f"partition_view({TensorSpan(self.value['span_']).to_string()}, shape{tuple(shape)})"


class Constant:
    """integral_constant<V>."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"{self.value.type.strip_typedefs().template_argument(0)}_ic"


class SmallFloat:
    """__half and the other small floats."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return element(self.value)


def find(value):
    """The printer for a value, if its type is one of ours."""
    type_ = value.type.strip_typedefs().unqualified()
    name = re.sub(r"<.*|\babi(_\d+){5,}::", "", type_.name or "")  # without CUDA_TILE_ABI of config.h
    if value.address is not None and name in FORMATS:
        return SmallFloat(value)
    printers = {
        "tile": Tile,
        "extents": Extents,
        "tensor_span": TensorSpan,
        "partition_view": PartitionView,
        "integral_constant": Constant,
    }
    made = printers.get(name.removeprefix("cuda::tiles::")) if name.startswith("cuda::tiles::") else None
    return made(value) if made else None


gdb.pretty_printers.append(find)
gdb.execute("skip -gfi */cuda_tile/*/*.h", to_string=True)  # `step` skips the header
