"""A kernel's parameters as the compiler describes them: one number each, see core/signature.h."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..spec.element_types import ELEMENT_TYPES, ElementType
from ..system import html

OTHER, VOID, FUNCTION, BOOL, SIGNED, UNSIGNED, FLOAT = range(7)
_OWN = [e for e in ELEMENT_TYPES if e.has_own_code]  # the kinds that follow


def kind_of(element: ElementType) -> int:
    """The parameter kind of an element type. Some kinds identify the type, others only together with the
    size."""
    if element.has_own_code:
        return FLOAT + 1 + _OWN.index(element)
    if not element.is_integral:
        return FLOAT
    return BOOL if element.bits == 1 else SIGNED if element.signed else UNSIGNED


_ELEMENTS = {(kind_of(e), e.size): e for e in ELEMENT_TYPES if e.cxx and e.numpy}


class Parameter(NamedTuple):
    """One parameter of an instantiated kernel. For a pointer, kind and size (bytes) are those of the
    pointee."""

    kernel: str
    position: int  # from 1
    name: str  # "" if the source gives none
    kind: int
    pointer: bool
    const: bool  # a pointer to const
    size: int

    def __repr__(self) -> str:
        return f"<pycuda_tile.Parameter {self.position} of {self.kernel}: {self.declaration}{self._takes()}>"

    def _takes(self) -> str:
        what = "an array of " if self.pointer else ""
        return f", {what}{self.dtype}" if self.dtype else ""

    def _repr_html_(self) -> str:
        return table_of((self,))

    @property
    def declaration(self) -> str:
        """Type and name, as in C++."""
        return f"{self.cxx_type} {self.name}".rstrip()

    def __str__(self) -> str:
        """The beginning of messages about this parameter."""
        name = f" '{self.name}'" if self.name else ""
        return f"{self.kernel}: argument {self.position}{name} ({self.cxx_type})"

    @property
    def element(self) -> ElementType | None:
        """The type (for a pointer, the pointee's) if it is an element type, else None."""
        return _ELEMENTS.get((self.kind, self.size))

    @property
    def cxx_type(self) -> str:
        if self.kind == FUNCTION:
            return "pointer to a function"
        base = "void" if self.kind == VOID else f"a type of {self.size} bytes"
        base = self.element.cxx if self.element else base
        return f"{'const ' if self.const else ''}{base}{'*' if self.pointer else ''}"

    @property
    def dtype(self) -> str:
        """The NumPy or ml_dtypes name of the element type; "" for void and for types that NumPy lacks."""
        return self.element.numpy if self.element else ""

    @property
    def format(self) -> str:
        """How the struct module packs an argument."""
        if self.pointer:
            return "Q"
        if not self.element:
            return f"{self.size}s"
        if self.kind == FLOAT:
            return {2: "e", 4: "f", 8: "d"}[self.size]
        if self.kind == BOOL:
            return "?"
        bits = {1: "B", 2: "H", 4: "I", 8: "Q"}[self.size]  # for other floats, too
        return bits.lower() if self.kind == SIGNED else bits


def table_of(parameters: Iterable[Parameter]) -> str:
    """HTML: what each argument is to be."""
    rows = [(p.position, p.name, p.cxx_type, p._takes().removeprefix(", ")) for p in parameters]
    return html.table(("argument", "name", "C++ type", "takes"), rows)


def encode(parameter: Parameter) -> int:
    """The code of a parameter."""
    pointer = 2 if parameter.pointer and parameter.const else int(parameter.pointer)
    return parameter.kind | pointer << 8 | parameter.size << 16


def decode(kernel: str, codes: Sequence[int], names: Sequence[str] = ()) -> tuple[Parameter, ...]:
    """The parameters that the codes describe. The names are used only if there is one for each."""
    if len(names) != len(codes):
        names = [""] * len(codes)
    return tuple(
        Parameter(
            kernel, position, name, code & 0xFF, bool(code >> 8 & 0xFF), (code >> 8 & 0xFF) == 2, code >> 16
        )
        for position, (code, name) in enumerate(zip(codes, names, strict=True), 1)
    )
