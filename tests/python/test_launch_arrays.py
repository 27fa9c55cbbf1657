"""Arrays as kernel arguments: what reaches the kernel, and what is refused before it runs."""

import array
import ctypes

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.launching.arguments import Packer
from pycuda_tile.launching.parameters import FLOAT, decode

HEAD = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
F = np.float32


def add(kernel: pct.Kernel, a, b, out) -> None:
    kernel[1](a, b, out, 4)


class DeviceArray:
    """Four floats at an address of a GPU."""

    @property
    def __cuda_array_interface__(self) -> dict:
        return {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 3, "strides": None}


def test_holders_of_arrays(vector_add):
    ones = np.ones(4, np.float32)
    out = np.zeros(4, np.float32)

    class Interface:
        __array_interface__ = ones.__array_interface__

    class DLPack:
        def __dlpack__(self, **arguments):
            return ones.__dlpack__(**arguments)

        def __dlpack_device__(self):
            return ones.__dlpack_device__()

    read_only = ones.copy()
    read_only.flags.writeable = False
    holders = [
        ones,
        read_only,
        array.array("f", [1] * 4),
        (ctypes.c_float * 4)(1, 1, 1, 1),
        memoryview(ones),
        ones.view(np.matrix),
        Interface(),
        DLPack(),
        pct.ptr(np.ones(9, np.float32), offset=5),
        pct.strided(ones),
    ]
    for holder in holders:
        out[:] = 0
        add(vector_add, holder, ones, out)
        assert out.tolist() == [2] * 4, holder
    raw = array.array("f", [0] * 4)
    add(vector_add, ones, ones, raw)
    assert raw.tolist() == [2] * 4


def test_reference_is_an_array(host_target):
    """A reference is passed as an address, as NVIDIA's compilers do."""
    source = '#include "cuda_tile.h"\n__tile_global__ void k(int& x, const float& y) { x = 21 * int(y); }\n'
    kernel = host_target.build(source)["k"]
    x = np.array([40, 7], np.int32)
    kernel[1](x, np.full((), 2, np.float32))
    assert x.tolist() == [42, 7]
    with pytest.raises(pct.LaunchError, match="argument 1 'x'"):
        kernel[1](3, np.zeros(1, np.float32))


def test_torch_tensors(vector_add):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    a, out = torch.ones(4), torch.zeros(4)
    add(vector_add, a, a, out)
    assert out.tolist() == [2] * 4
    with pytest.raises(pct.LaunchError, match=r"float64"):
        add(vector_add, a.double(), a, out)


def test_null_pointer_and_empty_array(make_target):
    source = HEAD + "__tile_global__ void is_null(const float* p, int* out) { out[0] = p == nullptr; }\n"
    kernel = make_target("cpu").build(source).kernel("is_null")
    out = np.zeros(1, np.int32)
    kernel[1](None, out)
    assert out[0] == 1
    kernel[1](np.zeros(4, np.float32), out)
    assert out[0] == 0
    kernel[1](np.zeros(0, np.float32), out)


def aligned_wrongly() -> np.ndarray:
    return np.frombuffer(bytearray(17), np.uint8)[1:].view(F)


@pytest.mark.parametrize(
    ("a", "builtin", "words"),
    [
        (lambda: np.ones(4), TypeError, "expects an array of float32, got one of float64"),
        (lambda: np.ones(4, np.int32), TypeError, "got one of int32"),
        (lambda: np.ones(4, ">f4"), TypeError, "non-native byte order"),
        (lambda: np.ones(8, F)[::2], ValueError, "C-contiguous.*ascontiguousarray"),
        (lambda: np.ones((2, 2), F).T, ValueError, "C-contiguous"),
        (aligned_wrongly, ValueError, "aligned to 4 bytes"),
        (lambda: [1.0] * 4, TypeError, "got a list: pass numpy.asarray"),
        (lambda: 3, TypeError, "got int 3"),
        (lambda: F(3), TypeError, "got float32 3.0"),
        (lambda: "text", TypeError, "type str"),
        (lambda: object(), TypeError, "type object"),
        (lambda: b"1234", TypeError, "got one of uint8"),
    ],
)
def test_wrong_arrays(vector_add, a, builtin: type, words: str):
    out = np.full(4, 5, F)
    with pytest.raises(
        pct.LaunchError, match=f"vector_add: argument 1 'a' \\(const float\\*\\) .*{words}"
    ) as caught:
        vector_add[1](a(), np.ones(4, F), out, 4)
    assert isinstance(caught.value, builtin)
    assert out.tolist() == [5] * 4


class Liar:
    """An array that describes itself as told."""

    def __init__(self, protocol: str, **said: object):
        setattr(self, protocol, said)


class Raising:
    """Frameworks do so for arrays that they cannot export."""

    @property
    def __array_interface__(self) -> dict:
        raise RuntimeError("not this one")


HOST, DEVICE = "__array_interface__", "__cuda_array_interface__"
FOUR = {"shape": (4,), "typestr": "<f4", "version": 3}


@pytest.mark.parametrize(
    ("a", "words"),
    [
        (lambda: Liar(HOST, **FOUR, data=(0, False)), "NULL"),
        (lambda: Liar(HOST, **{**FOUR, "shape": (-4,)}, data=(64, False)), "negative"),
        (lambda: Liar(HOST, shape=(4,)), "typestr"),
        (lambda: Raising(), "RuntimeError: not this one"),
        (lambda: Liar(DEVICE, shape=(4,)), "KeyError: 'typestr'"),
        (lambda: Liar(DEVICE, **FOUR, data=4096), "unpack"),
        (lambda: Liar(DEVICE, **FOUR, data=("4096", False)), "integer"),
        (lambda: Liar(DEVICE, **FOUR, data=(0, False)), "elements but no memory"),
        (lambda: Liar(DEVICE, **FOUR, data=(4096, False), mask=DeviceArray()), "mask"),
    ],
)
def test_objects_that_describe_no_array(vector_add, a, words: str):
    with pytest.raises(
        pct.LaunchError, match=f"argument 1 'a' .* (Liar|Raising), which cannot be used as one: .*{words}"
    ) as caught:
        add(vector_add, a(), np.ones(4, F), np.zeros(4, F))
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("dtype", [object, [("O", "f4"), ("x", object)]])
@pytest.mark.parametrize("wrap", [lambda x: x, pct.ptr, pct.strided])
def test_python_objects_are_no_elements(make_target, dtype, wrap):
    """A kernel that writes to them would break Python."""
    source = f"""{HEAD}
    struct pair {{ long long a, b; }};
    __tile_global__ void any(void* x) {{ *static_cast<long long*>(x) = 7; }}
    __tile_global__ void pairs(pair* x) {{ x->a = 7; }}
    __tile_global__ void value(pair x) {{}}
    """
    module, objects = make_target("cpu").build(source), np.zeros(2, dtype)
    for name in ("any", "pairs", "value"):
        with pytest.raises(pct.LaunchError, match="argument 1 'x'"):
            module[name][1](wrap(objects))


def test_fields_by_any_name(make_target):
    kernel = make_target("cpu").build(f"{HEAD}__tile_global__ void any(void* x) {{}}\n")["any"]
    kernel[1](np.zeros(2, [("Old", "f4")]))
    with pytest.raises(pct.LaunchError, match=r"void\*\) expects an array of any type or None, got a list"):
        kernel[1]([1])


@pytest.mark.parametrize("value, got", [(None, "None: .* pass None by itself"), ([1.0], "a list: ")])
def test_what_is_in_a_ptr_or_a_strided_is_an_array(vector_add, value, got):
    """None is no array, and stands for one only where an array may stand by itself."""
    a = np.ones(4, F)
    with pytest.raises(pct.LaunchError, match=rf"'a' .* expects an array in pycuda_tile\.ptr, got {got}"):
        add(vector_add, pct.ptr(value, 4), a, a)
    wanted = r"an array of float32 in pycuda_tile\.strided"
    with pytest.raises(pct.LaunchError, match=f"'b' .* expects {wanted}, got {got}"):
        add(vector_add, a, pct.strided(value), a)
    with pytest.raises(pct.LaunchError, match=r"'a' .* expects an array of float32 or None, got a list: "):
        add(vector_add, [1.0], a, a)


def test_address_that_is_none(vector_add):
    a = np.ones(4, F)
    for offset in (2**70, -(2**70)):
        with pytest.raises(
            pct.LaunchError, match=r"argument 1 'a' .* expects an address from 0 to 2\*\*64 - 1"
        ):
            add(vector_add, pct.ptr(a, offset), a, a)


def test_read_only_array(vector_add):
    out = np.zeros(4, F)
    out.flags.writeable = False
    with pytest.raises(pct.LaunchError, match=r"argument 3 'out' .* may write, got a read-only one"):
        vector_add[1](np.ones(4, F), np.ones(4, F), out, 4)
    with pytest.raises(pct.LaunchError, match=r"read-only"):
        vector_add[1](np.ones(4, F), np.ones(4, F), pct.strided(out), 4)


def test_device_array_on_the_host(vector_add):

    with pytest.raises(pct.LaunchError, match=r"argument 2 'b' .* host memory, got one on a GPU"):
        vector_add[1](np.ones(4, F), DeviceArray(), np.zeros(4, F), 4)


def test_host_array_on_a_gpu_target():
    packer = Packer("k", decode("k", [FLOAT | 1 << 8 | 4 << 16], ["x"]), on_device=True)
    with pytest.raises(pct.LaunchError, match=r"'x' .* on the GPU, got one in host memory"):
        packer.pack([np.zeros(4, F)])
    frame = packer.pack([DeviceArray()])
    assert ctypes.c_void_p.from_address(ctypes.c_void_p.from_address(frame.address).value).value == 4096


@pytest.mark.parametrize("offset", ["1", 1.5, None])
def test_offset_that_is_no_number_of_elements(offset):
    with pytest.raises(pct.Error, match=r"ptr: the offset must be an integer, counted in elements, got"):
        pct.ptr(np.zeros(8), offset)
