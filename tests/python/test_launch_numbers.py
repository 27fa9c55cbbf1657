"""Numbers as kernel arguments: what reaches the kernel, and what is refused before it runs."""

import ctypes
import struct

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.launching.arguments import Packer, _round_float32
from pycuda_tile.launching.parameters import decode, kind_of
from pycuda_tile.spec.element_types import CXX_TYPES

HEAD = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
INTEGERS = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long long",
    "unsigned long long",
]
DTYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


def copy_kernel(target, type_: str) -> pct.Kernel:
    """`copy(type* out, type value)`"""
    source = f"{HEAD}__tile_global__ void copy({type_}* out, {type_} value) {{ out[0] = value; }}\n"
    return target.build(source).kernel("copy")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("type_", "dtype"), list(zip(INTEGERS, DTYPES, strict=True)), ids=INTEGERS)
def test_integers(make_target, type_: str, dtype: type):
    kernel = copy_kernel(make_target("cpu"), type_)
    limits = np.iinfo(dtype)
    out = np.zeros(1, dtype)
    for value in (limits.min, limits.max, 0, True, np.int64(5), np.array(6)):
        kernel[1](out, value)
        assert out[0] == value
    for value in (int(limits.min) - 1, int(limits.max) + 1, 2**100):
        with pytest.raises(
            pct.LaunchError, match=rf"argument 2 'value' .* from {limits.min} to {limits.max}, got"
        ) as caught:
            kernel[1](out, value)
        assert isinstance(caught.value, (ValueError, OverflowError))
    for value in (1.0, "1", None, np.zeros(2, dtype), 1j):
        with pytest.raises(pct.LaunchError, match=r"argument 2 'value' .* expects an integer") as caught:
            kernel[1](out, value)
        assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(("type_", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_floats(make_target, type_: str, dtype: type):
    kernel = copy_kernel(make_target("cpu"), type_)
    out = np.zeros(1, dtype)
    for value in (0.1, 3, -np.inf, np.float64(1e-50), np.float32(2.5), np.array(4.5), True):
        kernel[1](out, value)
        assert out[0] == dtype(value)
    kernel[1](out, float("nan"))
    assert np.isnan(out[0])
    for value in ("1", None, 1j, np.zeros(1, dtype), [1.0]):
        with pytest.raises(pct.LaunchError, match=r"argument 2 'value' .* expects a number"):
            kernel[1](out, value)


def test_float_that_does_not_fit(make_target):
    kernel = copy_kernel(make_target("cpu"), "float")
    with pytest.raises(pct.LaunchError, match=r"range of float, got 1e"):
        kernel[1](np.zeros(1, np.float32), 1e40)
    with pytest.raises(pct.LaunchError, match=r"range of float, got a larger number"):
        kernel[1](np.zeros(1, np.float32), 10**400)


def test_small_float_that_does_not_fit():
    for element in (CXX_TYPES["__nv_bfloat16"], CXX_TYPES["__nv_fp8_e4m3"]):
        packer = Packer("k", decode("k", [kind_of(element) | element.size << 16]), on_device=False)
        with pytest.raises(pct.LaunchError, match=r"in the range of \w+, got 1e\+40"):
            packer.pack([1e40])


def test_bool(make_target):
    kernel = copy_kernel(make_target("cpu"), "bool")
    out = np.zeros(1, np.bool_)
    for value in (True, np.False_, 1, 0):
        kernel[1](out, value)
        assert out[0] == bool(value)
    for value in (2, 1.0, "yes", None):
        with pytest.raises(pct.LaunchError, match=r"expects a bool"):
            kernel[1](out, value)


@pytest.mark.parametrize(
    ("type_", "dtype"),
    [
        ("__nv_bfloat16", ml_dtypes.bfloat16),
        ("__half", np.float16),
        ("__nv_fp8_e4m3", ml_dtypes.float8_e4m3fn),
    ],
)
def test_small_floats_by_their_codes(type_: str, dtype: type):
    """Tests only the packing, since no header here defines these types."""
    kind = kind_of(CXX_TYPES[type_])
    size = np.dtype(dtype).itemsize
    parameters = decode("k", [kind | size << 16, kind | 1 << 8 | size << 16])
    assert parameters[0].cxx_type == type_
    packer = Packer("k", parameters, on_device=False)
    values = np.zeros(3, dtype)
    for value in (0.0, 1.0, -2.75, 0.1, 3.14159):
        frame = packer.pack([value, values])
        pointers = struct.unpack_from("2P", frame.buffer)
        assert ctypes.string_at(pointers[0], size) == dtype(value).tobytes()
        assert ctypes.c_void_p.from_address(pointers[1]).value == values.ctypes.data
    with pytest.raises(pct.LaunchError, match=r"float32"):
        packer.pack([1.0, np.zeros(3, np.float32)])


def test_bfloat16_rounds_to_nearest_even():
    values = np.random.default_rng(1).standard_normal(2000).astype(np.float32)
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 3e38, 1e-40, 1.00390625, 1.01171875], np.float32)
    for value in (*values, *special):
        expected = int(np.array(value).astype(ml_dtypes.bfloat16).view(np.uint16))
        got = _round_float32(value, 16) >> 16
        assert got == expected or (np.isnan(value) and got & 0x7FFF > 0x7F80), value


OPAQUE = (
    HEAD
    + """struct handle;
__tile__ int read(const handle* h) { return *reinterpret_cast<const int*>(h); }
__tile_global__ void call(int* out, int (*f)(int), const handle* h) { out[0] = f ? f(3) : read(h); }
"""
)


@pytest.mark.parametrize("checked", [False, True])
def test_functions_and_incomplete_types(make_target, checked: bool):
    """A function is passed by address; an unknown type accepts an array of any type."""
    kernel = make_target("cpu").build(OPAQUE, checked=checked)["call"]
    assert [p.cxx_type for p in kernel.parameters] == ["int*", "pointer to a function", "const void*"]
    twice = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: 2 * x)
    address = ctypes.cast(twice, ctypes.c_void_p).value
    out = np.zeros(1, np.int32)
    for given in (address, np.uint64(address)):
        kernel[1](out, given, None)
        assert out.tolist() == [6]
        out[0] = 0
    kernel[1](out, None, np.array([5], np.int32))
    assert out.tolist() == [5]
    for wrong in (twice, out, True, 1.0, "f"):
        with pytest.raises(
            pct.LaunchError, match=r"'f' \(pointer to a function\) expects the function's address"
        ):
            kernel[1](out, wrong, None)
    with pytest.raises(pct.LaunchError, match=r"from 0 to 2\*\*64 - 1, got -1"):
        kernel[1](out, -1, None)
