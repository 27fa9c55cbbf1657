"""Launches without Python code match launches through Python, and start nothing that those refuse, for every
kind of parameter with every kind of argument."""

import ctypes

import ml_dtypes
import numpy as np
import pytest
from direct_site import STREAM, Site, parameter

import pycuda_tile as pct
from pycuda_tile.launching.arguments import Packer
from pycuda_tile.launching.parameters import BOOL, FLOAT, SIGNED, UNSIGNED, VOID, kind_of
from pycuda_tile.spec.element_types import CXX_TYPES

BFLOAT16, E4M3, TF32 = (kind_of(CXX_TYPES[n]) for n in ("__nv_bfloat16", "__nv_fp8_e4m3", "__nv_tf32"))

PARAMETERS = [
    *(parameter(kind, size) for kind in (SIGNED, UNSIGNED) for size in (1, 2, 4, 8)),
    *(parameter(BOOL, 1), parameter(FLOAT, 4), parameter(FLOAT, 8)),
    *(parameter(FLOAT, size, True, const) for size in (2, 4, 8) for const in (False, True)),
    *(parameter(SIGNED, size, True) for size in (1, 4, 8)),
    *(parameter(UNSIGNED, 1, True), parameter(BOOL, 1, True), parameter(VOID, 0, True)),
    *(parameter(BFLOAT16, 2, True), parameter(E4M3, 1, True), parameter(TF32, 4, True)),
]
POINTERS = [each for each in PARAMETERS if each.pointer]
POWERS = [sign * 2**bits for bits in (0, 7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)]
NUMBERS = [
    *(power + more for power in POWERS for more in (-1, 0, 1)),
    *(True, False, 0.0, -0.0, 0.1, -1.0, 1e-50, 3.4e38, 3.5e38, 1e300, 2**100, 10**400),
    *(float("inf"), float("-inf"), float("nan"), np.float64(0.5), np.float32(0.1), np.int32(-5)),
    *(np.bool_(True), None, "1", 1j, b"1", object(), np.zeros(()), np.zeros(1), [1.0]),
    type("Integer", (int,), {})(3),
]


def arrays() -> list:
    single = np.arange(16, dtype=np.float32).reshape(4, 4)
    readonly = single.copy()
    readonly.flags.writeable = False
    dtypes = [
        np.float16,
        np.float64,
        np.int8,
        np.int32,
        np.int64,
        np.uint8,
        np.uint64,
        np.bool_,
        np.complex64,
    ]
    dtypes += [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ">f4", "datetime64[s]"]
    dtypes += [np.dtype([("a", "f4")]), object]
    return [
        *(np.zeros(4, dtype) for dtype in dtypes),
        *(single, readonly, single.T, single[:, ::2], single[1:], single[:, :1], single[:0], single[::-1]),
        *(np.zeros(()), np.float32(3).reshape(()), np.zeros((2, 0), np.float32), single.view(np.matrix)),
        np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float32),
        *(np.frombuffer(b"12345678", np.float32), np.ma.masked_array(single), memoryview(single)),
        *(pct.ptr(single, 2), pct.strided(single.T), None, 0, 4096, [1.0], "text", single.dtype),
    ]


def tensors(torch) -> list:
    single = torch.arange(16.0).reshape(4, 4)
    dtypes = [
        "float16",
        "float64",
        "int8",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "bool",
        "complex64",
        "bfloat16",
    ]
    dtypes += ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz"]
    freed = torch.zeros(4)
    freed.untyped_storage().resize_(0)
    unaligned = torch.frombuffer(bytearray(17), dtype=torch.uint8)[1:]
    return [
        *(torch.zeros(4, dtype=getattr(torch, dtype)) for dtype in dtypes),
        *(single, single.t(), single[:, ::2], single[1:], single[:, :1], single[:0], single.to_sparse()),
        *(single[0, 0], torch.nn.Parameter(single), single.clone().requires_grad_(), torch._neg_view(single)),
        *(torch.zeros(1, dtype=torch.complex64).conj().imag, torch.zeros(4, dtype=torch.complex64).conj()),
        *(single.to("meta"), freed, unaligned),
        *(single.expand(2, 4, 4), torch.zeros(1, 4, 1).transpose(0, 2), torch._efficientzerotensor(4)),
        *(single.as_subclass(type("Own", (torch.Tensor,), {})), pct.ptr(single, 1), pct.strided(single.t())),
    ]


def agree(parameters, on_device: bool, values: list) -> int:
    """Launches both ways for each parameter and value; returns how many were started directly."""
    count = 0
    for each in parameters:
        site, packer = Site([each], on_device, STREAM), Packer("k", [each], on_device)
        for value in values:
            try:
                packed = packer.pack([value])
            except pct.LaunchError:
                packed = None
            site.started.clear(), site.by_python.clear()
            site.launch(value)
            assert len(site.started) + len(site.by_python) == 1
            if site.started:
                assert packed is not None, (str(each), value)
                place = ctypes.c_void_p.from_address(packed.address).value
                assert site.started[0].values == [ctypes.string_at(place, site.sizes[0])], (str(each), value)
                count += 1
    return count


def test_numbers_as_through_python():
    scalars = [each for each in PARAMETERS if not each.pointer]
    assert agree(scalars, True, NUMBERS) == agree(scalars, False, NUMBERS) > 200


def test_arrays_as_through_python():
    assert agree(POINTERS, False, arrays()) > 50
    assert agree(POINTERS, True, [*arrays(), *NUMBERS]) == 2 * len(POINTERS)  # None


def test_tensors_as_through_python(torch):
    assert agree(POINTERS, False, tensors(torch)) > 40
    assert agree(POINTERS, True, tensors(torch)) == 0


def test_cuda_tensors_as_through_python(torch, cuda_tensor):
    try:
        cuda_tensor(0x1000, (4, 4)).t()
    except NotImplementedError:
        pytest.skip("this PyTorch has CUDA tensors, but no operators for them")
    types = [(2, 32), (2, 64), (2, 16), (4, 16), (0, 32), (0, 64), (6, 8), (1, 8), (10, 8), (5, 64)]
    values = [
        *(cuda_tensor(0x1000, (4,), code, bits) for code, bits in types),
        *(cuda_tensor(0x1002, (4,)), cuda_tensor(0x1000, (4, 4)).t(), cuda_tensor(0x1000, (0, 4))),
        *(cuda_tensor(0x1000, (4, 1)).t(), torch.zeros(4), cuda_tensor(0, (4,))),
        *(torch.nn.Parameter(cuda_tensor(0x2000, (2,))), torch._neg_view(cuda_tensor(0x1000, (4,)))),
        cuda_tensor(0x1000, (4,), 5, 64).conj(),
    ]
    assert agree(POINTERS, True, values) > 20
    assert agree(POINTERS, False, [value for value in values if value.is_cuda]) == 0
