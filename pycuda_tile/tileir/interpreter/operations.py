"""Operations other than memory and control flow: maps an operation to a function of its operands.

`PURE[name](op)` returns a function that takes the function to call for undefined behaviour, then the operands
as arrays, and returns the result. Attributes and result type are read from the operation only once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..elements import DTYPES, HALF_BYTE, signed
from ..ir import Operation
from ..reading import attribute, dense, pointee, result_element, result_shape, source_element
from . import conversions, floats, integers, shapes
from .report import Report

Function = Callable[..., np.ndarray]
Make = Callable[[Operation], Function]


def _plain(function: Callable) -> Make:
    """Operands only."""
    return lambda op: lambda report, *operands: function(*operands)


def _overflow(function: Callable) -> Make:
    def make(op: Operation) -> Function:
        overflow = attribute(op, "overflow", "none")
        return lambda report, *operands: function(*operands, overflow, report)

    return make


def _signed(function: Callable, *, reports: bool = False) -> Make:
    def make(op: Operation) -> Function:
        signedness = attribute(op, "signedness")
        if reports:
            return lambda report, *operands: function(*operands, signedness, report)
        return lambda report, *operands: function(*operands, signedness)

    return make


def _rounded(function: Callable) -> Make:
    def make(op: Operation) -> Function:
        rounding = attribute(op, "rounding_mode", "nearest_even")
        flush = bool(attribute(op, "flush_to_zero", False))
        return lambda report, *operands: function(*operands, rounding, flush)

    return make


def _flushed(function: Callable) -> Make:
    def make(op: Operation) -> Function:
        flush = bool(attribute(op, "flush_to_zero", False))
        return lambda report, *operands: function(*operands, flush)

    return make


def _extremum(function: Callable) -> Make:
    def make(op: Operation) -> Function:
        nan = bool(attribute(op, "propagate_nan", False))
        flush = bool(attribute(op, "flush_to_zero", False))
        return lambda report, lhs, rhs: function(lhs, rhs, nan, flush)

    return make


def _cmpi(op: Operation) -> Function:
    predicate, signedness = attribute(op, "comparison_predicate"), attribute(op, "signedness")
    return lambda report, lhs, rhs: floats.cmp(
        integers.read(lhs, signedness), integers.read(rhs, signedness), predicate
    )


def _cmpf(op: Operation) -> Function:
    predicate, ordering = attribute(op, "comparison_predicate"), attribute(op, "comparison_ordering")
    return lambda report, lhs, rhs: floats.cmpf(lhs, rhs, predicate, ordering)


def _divi(op: Operation) -> Function:
    signedness, rounding = attribute(op, "signedness"), attribute(op, "rounding", "zero")
    return lambda report, lhs, rhs: integers.divi(lhs, rhs, signedness, rounding, report)


def _mmai(op: Operation) -> Function:
    of_lhs, of_rhs = attribute(op, "signedness_lhs"), attribute(op, "signedness_rhs")
    return lambda report, lhs, rhs, acc: shapes.mmai(lhs, rhs, acc, of_lhs, of_rhs)


def _exti(op: Operation) -> Function:
    to, signedness = result_element(op), attribute(op, "signedness")
    return lambda report, source: conversions.exti(source, to, signedness)


def _trunci(op: Operation) -> Function:
    to, overflow = result_element(op), attribute(op, "overflow", "none")
    return lambda report, source: conversions.trunci(source, to, overflow, report)


def _itof(op: Operation) -> Function:
    to, signedness = result_element(op), attribute(op, "signedness")
    return lambda report, source: conversions.itof(source, to, signedness)


def _ftoi(op: Operation) -> Function:
    to, signedness, saturating = result_element(op), attribute(op, "signedness"), attribute(op, "saturating")
    return lambda report, source: conversions.ftoi(source, to, signedness, bool(saturating), report)


def _ftof(op: Operation) -> Function:
    to, rounding = result_element(op), attribute(op, "rounding_mode", "nearest_even")
    return lambda report, source: conversions.ftof(source, to, rounding)


def _to_element(function: Callable) -> Make:
    def make(op: Operation) -> Function:
        to = result_element(op)
        return lambda report, source: function(source, to)

    return make


def _pack(op: Operation) -> Function:
    element = source_element(op)
    return lambda report, source: conversions.pack(source, element)


def _to_shape(function: Callable) -> Make:
    def make(op: Operation) -> Function:
        shape = result_shape(op)
        return lambda report, source: function(source, shape)

    return make


def _iota(op: Operation) -> Function:
    count, element = result_shape(op)[0], result_element(op)
    return lambda report: shapes.iota(count, element)


def _constant(op: Operation) -> Function:
    value = dense(op)
    return lambda report: value


def _cat(op: Operation) -> Function:
    dim = attribute(op, "dim")
    return lambda report, lhs, rhs: shapes.cat(lhs, rhs, dim)


def _permute(op: Operation) -> Function:
    permutation = tuple(attribute(op, "permutation"))
    return lambda report, source: shapes.permute(source, permutation)


def _extract(op: Operation) -> Function:
    shape = result_shape(op)
    return lambda report, source, *indices: shapes.extract(source, list(indices), shape, report)


def _insert(op: Operation) -> Function:
    return lambda report, source, destination, *indices: shapes.insert(
        source, destination, list(indices), report
    )


def _mmaf_scaled(op: Operation) -> Function:
    return lambda report, lhs, rhs, acc, lhs_scale, rhs_scale: shapes.mmaf_scaled(
        lhs, rhs, acc, lhs_scale, rhs_scale, report
    )


def _offset(op: Operation) -> Function:
    bits = bits_in_memory(pointee(source_element(op)))

    def offset(report: Report, ptr: np.ndarray, count: np.ndarray) -> np.ndarray:
        elements = signed(count).astype(np.int64)
        with np.errstate(over="ignore"):
            # Half bytes are rounded toward zero, as NVIDIA's compiler does.
            distance = elements * np.int64(bits // 8) if bits >= 8 else (elements + (elements < 0)) >> 1
            return np.asarray(ptr + distance)

    return offset


def bits_in_memory(element: str) -> int:
    """The bits that an element takes in memory; an address takes 64, two f4E2M1FN share a byte."""
    if element.startswith("ptr"):
        return 64
    return 4 if element == HALF_BYTE else 8 * DTYPES[element].itemsize


def dtype_in_memory(element: str) -> np.dtype:
    """What a pointer "ptr<...>" points to; addresses are 64-bit integers."""
    what = pointee(element)
    return DTYPES["i64"] if what.startswith("ptr<") else DTYPES[what]


PURE: dict[str, Make] = {
    "addi": _overflow(integers.addi),
    "subi": _overflow(integers.subi),
    "muli": _overflow(integers.muli),
    "negi": _overflow(integers.negi),
    "shli": _overflow(integers.shli),
    "shri": _signed(integers.shri, reports=True),
    "divi": _divi,
    "remi": _signed(integers.remi, reports=True),
    "maxi": _signed(integers.maxi),
    "mini": _signed(integers.mini),
    "absi": _plain(integers.absi),
    "mulhii": _plain(integers.mulhii),
    "andi": _plain(integers.andi),
    "ori": _plain(integers.ori),
    "xori": _plain(integers.xori),
    "cmpi": _cmpi,
    "cmpf": _cmpf,
    "addf": _rounded(floats.addf),
    "subf": _rounded(floats.subf),
    "mulf": _rounded(floats.mulf),
    "divf": _rounded(floats.divf),
    "fma": _rounded(floats.fma),
    "sqrt": _rounded(floats.sqrt),
    "rsqrt": _flushed(floats.rsqrt),
    "exp2": _flushed(floats.exp2),
    "maxf": _extremum(floats.maxf),
    "minf": _extremum(floats.minf),
    **{name: _plain(function) for name, function in (floats.UNARY | floats.BINARY).items()},
    "exti": _exti,
    "trunci": _trunci,
    "itof": _itof,
    "ftoi": _ftoi,
    "ftof": _ftof,
    "bitcast": _to_element(conversions.bitcast),
    "unpack": _to_element(conversions.unpack),
    "pack": _pack,
    # Pointers are their addresses.
    "int_to_ptr": _plain(lambda source: source),
    "ptr_to_int": _plain(lambda source: source),
    "ptr_to_ptr": _plain(lambda source: source),
    "offset": _offset,
    "broadcast": _to_shape(shapes.broadcast),
    "reshape": _to_shape(shapes.reshape),
    "permute": _permute,
    "cat": _cat,
    "extract": _extract,
    "insert": _insert,
    "select": _plain(shapes.select),
    "iota": _iota,
    "constant": _constant,
    "mmaf": _plain(shapes.mmaf),
    "mmai": _mmai,
    "mmaf_scaled": _mmaf_scaled,
}

#: Elementwise operations: a body that consists only of these can run on tiles of any shape.
ELEMENTWISE = PURE.keys() - {
    *("unpack", "pack", "broadcast", "reshape", "permute", "cat", "extract", "insert", "iota"),
    *("mmaf", "mmai", "mmaf_scaled"),
}
