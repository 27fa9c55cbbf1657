"""The element types of the C++ API and of Tile IR, as ``tables/element_types.tsv`` lists them.

Every number or name in which types differ is in the table. C++ headers are generated from it, and Python uses
this module. :class:`ElementType` explains the columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from . import load

if TYPE_CHECKING:  # importing this module is much faster than importing NumPy
    import numpy as np


@dataclass(frozen=True)
class ElementType:
    """A row of the table. Numbers that do not apply to a type are 0, names and versions "".

    id:             its name in this project
    kind:           the column `class`: integral, basic or restricted floating point [1.4]
    bits, size:     bits of a value, and bytes of an element in memory
    exponent, mantissa, bias: stored bits of a floating point format, and what its exponent is biased by
    signed:         whether there are values below zero
    specials:       which of zero, infinity ("inf") and NaN it has
    saturates:      whether conversions of larger values give the largest finite one, even beside an infinity
    rank, subrank:  conversion ranks [1.7.1, 1.7.4]
    cxx, header:    its name in C++, and the header that defines it
    numpy:          the type of NumPy or ml_dtypes whose arrays hold it; of C++ types that are alike, such as
                    `short` and `char16_t`, one has it and stands for the others
    dlpack:         its DLDataTypeCode; None if arrays of it are not exchanged by DLPack
    since:          the first version of the C++ API with it
    tileir:         its name in Tile IR; `tileir_aliases`: other names that text may use
    tag:            its number in bytecode; `tileir_since`: the first version with it
    kinds:          the kinds of operands in Tile IR (``tileir/tables/kinds.tsv``) that it belongs to
    """

    id: str
    kind: str
    bits: int
    size: int
    exponent: int
    mantissa: int
    bias: int
    signed: bool
    specials: frozenset[str]
    saturates: bool
    rank: int
    subrank: int
    cxx: str
    header: str
    numpy: str
    dlpack: int | None
    since: str
    tileir: str
    tileir_aliases: tuple[str, ...]
    tag: int
    tileir_since: str
    kinds: tuple[str, ...]

    @property
    def is_integral(self) -> bool:
        return self.kind == "integral"

    @property
    def is_basic(self) -> bool:
        """Whether it is a basic floating point type, which supports arithmetic."""
        return self.kind == "basic floating point"

    @property
    def is_ieee(self) -> bool:
        """Whether it is binary16, binary32 or binary64 of IEEE 754."""
        return self.is_basic and (self.bits, self.exponent) in ((16, 5), (32, 8), (64, 11))

    @cached_property
    def dtype(self) -> np.dtype | None:
        """`numpy` as a type; None if there is none or the installed ml_dtypes lacks it."""
        import ml_dtypes
        import numpy as np

        try:
            return np.dtype(getattr(ml_dtypes, self.numpy, self.numpy)) if self.numpy else None
        except TypeError:
            return None

    @property
    def has_own_code(self) -> bool:
        """Whether a parameter's code alone identifies it (core/signature.h); others need their size, too."""
        return not self.is_integral and not self.is_ieee and bool(self.cxx)

    @property
    def begins_a_float(self) -> bool:
        """Whether its bits are the first bits of a float, like those of bfloat16."""
        return self.signed and self.exponent == 8

    @property
    def smallest_exponent(self) -> int:
        """Exponent of the smallest normal number. A format without zero has no subnormal numbers."""
        return (1 if "zero" in self.specials else 0) - self.bias

    @property
    def largest_exponent(self) -> int:
        """Exponent of the largest finite number. Infinities use one, as does NaN without a mantissa."""
        taken = "inf" in self.specials or ("nan" in self.specials and not self.mantissa)
        return (1 << self.exponent) - 1 - self.bias - taken

    @cached_property
    def greatest(self) -> float:
        """The largest finite number. Without infinities, NaN has the last mantissa of the last exponent."""
        last_is_nan = self.mantissa and "nan" in self.specials and "inf" not in self.specials
        significand = (2 << self.mantissa) - (2 if last_is_nan else 1)
        return float(significand * Fraction(2) ** (self.largest_exponent - self.mantissa))

    def has_lower_rank(self, other: ElementType) -> bool:
        """[1.7.1] Compares floating point types. e8m0 and ue5m3 rank below the types that have their
        exponents; as they have no sign, none ranks below them."""
        exponents = (self.exponent, self.has_numbers_last) <= (other.exponent, other.has_numbers_last)
        return self.rank < other.rank and exponents and self.signed <= other.signed

    @property
    def has_numbers_last(self) -> bool:
        """Whether numbers have the last exponent, too, which infinities have elsewhere."""
        return "inf" not in self.specials and self.mantissa != 0

    def holds(self, other: ElementType) -> bool:
        """Whether the normal numbers of another floating point format are normal here."""
        return (
            self.mantissa >= other.mantissa
            and self.signed >= other.signed
            and self.smallest_exponent <= other.smallest_exponent
            and self.greatest >= other.greatest
        )


def _number(cell: str) -> int:
    return int(cell) if cell else 0


def _element_type(row: SimpleNamespace) -> ElementType:
    cells: dict[str, Any] = dict(vars(row))
    name, *aliases = cells.pop("tileir").split() or [""]
    numbers = ("bits", "size", "exponent", "mantissa", "bias", "rank", "subrank", "tag")
    cells |= {column: _number(cells.pop(column)) for column in numbers}
    return ElementType(
        kind=cells.pop("class"),
        signed=cells.pop("signed") == "yes",
        saturates=cells.pop("saturates") == "yes",
        specials=frozenset(cells.pop("specials").split()),
        dlpack=int(dlpack) if (dlpack := cells.pop("dlpack")) else None,
        kinds=tuple(cells.pop("kinds").split()),
        tileir=name,
        tileir_aliases=tuple(aliases),
        **cells,
    )


ELEMENT_TYPES = tuple(map(_element_type, load("element_types")))
#: The types of C++ and those of Tile IR, by name.
CXX_TYPES = {e.cxx: e for e in ELEMENT_TYPES if e.cxx}
TILEIR_TYPES = {e.tileir: e for e in ELEMENT_TYPES if e.tileir}
#: By the name of the NumPy type; float32 means float, not tf32, although arrays of tf32 have that type, too,
#: and uint8 are not the bits of ue5m3, of which NumPy has no type.
NUMPY_TYPES = {e.numpy: e for e in ELEMENT_TYPES if e.numpy and e.id not in ("tf32", "ue5m3")}
#: The header that a kernel must include for a type of C++, by the type's name.
HEADERS = {name: e.header for name, e in CXX_TYPES.items() if e.header}
