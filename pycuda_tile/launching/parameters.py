"""A kernel's parameters as the compiler describes them: one number a parameter, see core/signature.h."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

OTHER, BOOL, SIGNED, UNSIGNED, FLOAT, BFLOAT16, E4M3, E5M2, TF32, VOID, E8M0, E2M1, FUNCTION = range(13)

_CXX_NAMES = {
    (BOOL, 1): "bool",
    (SIGNED, 1): "signed char",
    (SIGNED, 2): "short",
    (SIGNED, 4): "int",
    (SIGNED, 8): "long long",
    (UNSIGNED, 1): "unsigned char",
    (UNSIGNED, 2): "unsigned short",
    (UNSIGNED, 4): "unsigned int",
    (UNSIGNED, 8): "unsigned long long",
    (FLOAT, 2): "__half",
    (FLOAT, 4): "float",
    (FLOAT, 8): "double",
    (BFLOAT16, 2): "__nv_bfloat16",
    (E4M3, 1): "__nv_fp8_e4m3",
    (E5M2, 1): "__nv_fp8_e5m2",
    (TF32, 4): "__nv_tf32",
    (E8M0, 1): "__nv_fp8_e8m0",
    (E2M1, 1): "__nv_fp4_e2m1",
    (VOID, 0): "void",
}
_DTYPES = {
    BOOL: "bool",
    SIGNED: "int{bits}",
    UNSIGNED: "uint{bits}",
    FLOAT: "float{bits}",
    BFLOAT16: "bfloat16",
    E4M3: "float8_e4m3fn",
    E5M2: "float8_e5m2",
    E8M0: "float8_e8m0fnu",
    E2M1: "float4_e2m1fn",
    TF32: "float32",
}
_FORMATS = {  # of the struct module
    (BOOL, 1): "?",
    (SIGNED, 1): "b",
    (SIGNED, 2): "h",
    (SIGNED, 4): "i",
    (SIGNED, 8): "q",
    (UNSIGNED, 1): "B",
    (UNSIGNED, 2): "H",
    (UNSIGNED, 4): "I",
    (UNSIGNED, 8): "Q",
    (FLOAT, 2): "e",
    (FLOAT, 4): "f",
    (FLOAT, 8): "d",
    (BFLOAT16, 2): "H",  # as bits
    (E4M3, 1): "B",
    (E5M2, 1): "B",
    (E8M0, 1): "B",
    (E2M1, 1): "B",
    (TF32, 4): "I",
}


class Parameter(NamedTuple):
    """One parameter of an instantiated kernel; of a pointer, kind and size (bytes) are those of the
    pointee."""

    kernel: str
    position: int  # from 1
    name: str  # "" if the source gives none
    kind: int
    pointer: bool
    const: bool  # a pointer to const
    size: int

    def __str__(self) -> str:
        """How messages begin that are about this parameter."""
        name = f" '{self.name}'" if self.name else ""
        return f"{self.kernel}: argument {self.position}{name} ({self.cxx_type})"

    @property
    def cxx_type(self) -> str:
        if self.kind == FUNCTION:
            return "pointer to a function"
        base = _CXX_NAMES.get((self.kind, self.size), f"a type of {self.size} bytes")
        return f"{'const ' if self.const else ''}{base}{'*' if self.pointer else ''}"

    @property
    def dtype(self) -> str:
        """The NumPy or ml_dtypes name of the element type; "" for void and for types that NumPy does not
        have."""
        return _DTYPES.get(self.kind, "").format(bits=8 * self.size)

    @property
    def format(self) -> str:
        """How the struct module packs an argument."""
        if self.pointer:
            return "Q"
        return _FORMATS.get((self.kind, self.size), f"{self.size}s")


def decode(kernel: str, codes: Sequence[int], names: Sequence[str] = ()) -> tuple[Parameter, ...]:
    """The parameters that the codes describe; names are used if there is one for each."""
    if len(names) != len(codes):
        names = [""] * len(codes)
    return tuple(
        Parameter(
            kernel, position, name, code & 0xFF, bool(code >> 8 & 0xFF), (code >> 8 & 0xFF) == 2, code >> 16
        )
        for position, (code, name) in enumerate(zip(codes, names, strict=True), 1)
    )
