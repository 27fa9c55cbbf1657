"""Launches: what arrives in the kernel, what is refused before it runs, and what a launch does to the
process."""

import array
import ctypes
import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct

VECTOR_ADD = Path(__file__).resolve().parents[2] / "examples" / "vector_add.cu"
HEAD = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
BLOCKS = (
    HEAD
    + """
__tile_global__ void blocks(int* out) {
  auto block = ct::bid();
  auto grid = ct::num_blocks();
  out[(block.z * grid.y + block.y) * grid.x + block.x] = 100 * block.z + 10 * block.y + block.x;
}
"""
)
SPIN = (
    HEAD
    + """
__tile_global__ void spin(volatile int* started, int rounds) {
  started[0] = 1;
  for (volatile int i = 0; i < rounds; i = i + 1) {}
}
"""
)
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


# --- what arrives -------------------------------------------------------------------------------------------


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
        with pytest.raises(pct.LaunchError, match=r"argument 2 'value' .* wants an integer") as caught:
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
        with pytest.raises(pct.LaunchError, match=r"argument 2 'value' .* wants a number"):
            kernel[1](out, value)


def test_float_that_does_not_fit(make_target):
    kernel = copy_kernel(make_target("cpu"), "float")
    with pytest.raises(pct.LaunchError, match=r"range of float, got 1e"):
        kernel[1](np.zeros(1, np.float32), 1e40)


def test_small_float_that_does_not_fit():
    from pycuda_tile.arguments import Packer
    from pycuda_tile.parameters import BFLOAT16, E4M3, decode

    for kind, size in ((BFLOAT16, 2), (E4M3, 1)):
        packer = Packer("k", decode("k", [kind | size << 16]), on_device=False)
        with pytest.raises(pct.LaunchError, match=r"in the range of \w+, got 1e\+40"):
            packer.pack([1e40])


def test_reference_is_an_array(host_target):
    """As for NVIDIA's compilers, a reference is passed as an address."""
    source = '#include "cuda_tile.h"\n__tile_global__ void k(int& x, const float& y) { x = 21 * int(y); }\n'
    kernel = host_target.build(source)["k"]
    x = np.array([40, 7], np.int32)
    kernel[1](x, np.full((), 2, np.float32))
    assert x.tolist() == [42, 7]
    with pytest.raises(pct.LaunchError, match="argument 1 'x'"):
        kernel[1](3, np.zeros(1, np.float32))


def test_bool(make_target):
    kernel = copy_kernel(make_target("cpu"), "bool")
    out = np.zeros(1, np.bool_)
    for value in (True, np.False_, 1, 0):
        kernel[1](out, value)
        assert out[0] == bool(value)
    for value in (2, 1.0, "yes", None):
        with pytest.raises(pct.LaunchError, match=r"wants a bool"):
            kernel[1](out, value)


def test_grid(host_target):
    kernel = host_target.build(BLOCKS).kernel("blocks")
    for grid, size in ((5, 5), ((5,), 5), ((3, 2), 6), ((3, 2, 4), 24), ([2, 2], 4), (np.int64(3), 3)):
        out = np.full(size + 1, -1, np.int32)
        kernel[grid](out)
        x, y, z = (*(grid if isinstance(grid, (tuple, list)) else (grid,)), 1, 1)[:3]
        expected = [100 * k + 10 * j + i for k in range(z) for j in range(y) for i in range(x)]
        assert out.tolist() == [*expected, -1]


def test_schedule_seed_changes_the_order_only(host_target):
    source = (
        HEAD
        + """
    __tile_global__ void order(int* next, int* out) {
      using one = ct::shape<1>;
      auto place = out + static_cast<int>(ct::bid().x) + ct::zeros<ct::tile<int, one>>();
      ct::store(place, ct::atomic_add(next + ct::zeros<ct::tile<int, one>>(), ct::ones<ct::tile<int, one>>(),
                                      ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{}));
    }
    """
    )
    kernel = host_target.build(source).kernel("order")
    pct.set_num_workers(1)
    try:
        orders = []
        for seed in (None, 1, 1, 2):
            out = np.zeros(64, np.int32)
            kernel.launch(64, np.zeros(1, np.int32), out, schedule_seed=seed)
            orders.append(out.tolist())
    finally:
        pct.set_num_workers(None)
    assert orders[0] == list(range(64)) and orders[1] == orders[2]
    assert orders[1] != orders[3] and all(sorted(order) == orders[0] for order in orders)
    with pytest.raises(pct.LaunchError, match=r"schedule_seed"):
        kernel.launch(1, np.zeros(1, np.int32), np.zeros(1, np.int32), schedule_seed=-1)


def add(kernel: pct.Kernel, a, b, out) -> None:
    kernel[1](a, b, out, 4)


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


@pytest.mark.parametrize(
    ("type_", "dtype"),
    [
        ("__nv_bfloat16", ml_dtypes.bfloat16),
        ("__half", np.float16),
        ("__nv_fp8_e4m3", ml_dtypes.float8_e4m3fn),
    ],
)
def test_small_floats_by_their_codes(type_: str, dtype: type):
    """Without a header that defines these types: the packing alone."""
    import struct

    from pycuda_tile.arguments import Packer
    from pycuda_tile.parameters import BFLOAT16, E4M3, FLOAT, decode

    kind = {"__nv_bfloat16": BFLOAT16, "__half": FLOAT, "__nv_fp8_e4m3": E4M3}[type_]
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
    from pycuda_tile.arguments import _round_float32

    values = np.random.default_rng(1).standard_normal(2000).astype(np.float32)
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 3e38, 1e-40, 1.00390625, 1.01171875], np.float32)
    for value in (*values, *special):
        expected = int(np.array(value).astype(ml_dtypes.bfloat16).view(np.uint16))
        got = _round_float32(value, 16) >> 16
        assert got == expected or (np.isnan(value) and got & 0x7FFF > 0x7F80), value


class DeviceArray:
    """Four floats at an address of a GPU."""

    @property
    def __cuda_array_interface__(self) -> dict:
        return {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 3, "strides": None}


# --- what is refused ----------------------------------------------------------------------------------------

F = np.float32


def aligned_wrongly() -> np.ndarray:
    return np.frombuffer(bytearray(17), np.uint8)[1:].view(F)


@pytest.mark.parametrize(
    ("a", "builtin", "words"),
    [
        (lambda: np.ones(4), TypeError, "wants an array of float32, got one of float64"),
        (lambda: np.ones(4, np.int32), TypeError, "got one of int32"),
        (lambda: np.ones(4, ">f4"), TypeError, "foreign byte order"),
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
    from pycuda_tile.arguments import Packer
    from pycuda_tile.parameters import FLOAT, decode

    packer = Packer("k", decode("k", [FLOAT | 1 << 8 | 4 << 16], ["x"]), on_device=True)
    with pytest.raises(pct.LaunchError, match=r"'x' .* on the GPU, got one in host memory"):
        packer.pack([np.zeros(4, F)])
    frame = packer.pack([DeviceArray()])
    assert ctypes.c_void_p.from_address(ctypes.c_void_p.from_address(frame.address).value).value == 4096


@pytest.mark.parametrize("count", [0, 3, 5])
def test_wrong_number_of_arguments(vector_add, count: int):
    with pytest.raises(
        pct.LaunchError, match=rf"takes 4 arguments \(const float\* a, .* int n\), got {count}"
    ):
        vector_add[1](*[None] * count)


@pytest.mark.parametrize("checked", [False, True])
def test_arguments_by_name(vector_add, make_target, checked: bool):
    if checked:
        vector_add = make_target("cpu").build(VECTOR_ADD, checked=True)["vector_add"]
    a = np.zeros(4, F)
    words = r"^vector_add takes 4 arguments \(const float\* a, .* int n\), got 3 and by name n: .* position$"
    for launch in (vector_add[1], functools.partial(vector_add.launch, 1)):
        with pytest.raises(pct.LaunchError, match=words) as caught:
            launch(a, a, a, n=4)
        assert isinstance(caught.value, TypeError)
    with pytest.raises(
        pct.LaunchError, match=r"schedule_seed can be given to kernel\.launch\(grid, \.\.\.\)"
    ):
        vector_add[1](a, a, a, 4, schedule_seed=1)
    with pytest.raises(pct.LaunchError, match=r"kernel\[grid\]"):
        vector_add(a, a, a, n=4)


@pytest.mark.parametrize(
    ("grid", "builtin", "words"),
    [
        (0, ValueError, "0 blocks along x, allowed are 1 to 2147483647"),
        (-1, ValueError, "-1 blocks along x"),
        (2**31, ValueError, "along x"),
        ((1, 65536), ValueError, "65536 blocks along y, allowed are 1 to 65535"),
        ((1, 1, 0), ValueError, "0 blocks along z"),
        ((), TypeError, "one to three"),
        ((1, 1, 1, 1), TypeError, "one to three"),
        (1.0, TypeError, "one to three"),
        ("1", TypeError, "one to three"),
        (None, TypeError, "one to three"),
    ],
)
def test_wrong_grids(vector_add, grid, builtin: type, words: str):
    with pytest.raises(pct.LaunchError, match=words) as caught:
        vector_add[grid]
    assert isinstance(caught.value, builtin)
    with pytest.raises(pct.LaunchError, match=words):
        vector_add.launch(grid, None, None, None, 0)


def test_launch_needs_a_grid(vector_add):
    with pytest.raises(pct.LaunchError, match=r"kernel\[grid\]"):
        vector_add(None, None, None, 0)


def test_no_streams_on_the_host(vector_add):
    with pytest.raises(pct.LaunchError, match=r"no streams"):
        vector_add.launch(1, None, None, None, 0, stream=1)


def test_number_of_workers(vector_add):
    from pycuda_tile import launcher

    pct.set_num_workers(1)
    assert launcher.num_workers() == 1
    pct.set_num_workers(None)
    assert launcher.num_workers() == len(os.sched_getaffinity(0))
    for count in (0, -1, 10**9, 1.0):
        with pytest.raises(pct.LaunchError, match=r"workers"):
            pct.set_num_workers(count)


# --- what a launch does to the process ----------------------------------------------------------------------


def test_launches_from_many_threads(vector_add):
    failed = []

    def work(number: int) -> None:
        a = np.full(1000, number, F)
        for _ in range(50):
            out = np.zeros(1000, F)
            vector_add[1](a, a, out, 1000)
            if not (out[:1000] == 2 * number).all():
                failed.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_launch_lets_other_threads_run(make_target):
    kernel = make_target("cpu").build(SPIN).kernel("spin")
    started = np.zeros(1, np.int32)
    launch = threading.Thread(target=lambda: kernel[4](started, 50_000_000))
    launch.start()
    while not started[0]:
        time.sleep(0.001)
    assert launch.is_alive()  # this thread got the interpreter while the kernel was running
    launch.join()


def _in_child(results) -> None:
    kernel = pct.build(VECTOR_ADD, target="cpu").kernel("vector_add")
    out = np.zeros(5000, F)
    kernel[5](np.ones(5000, F), np.ones(5000, F), out, 5000)
    results.put(bool((out == 2).all()))


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded")
def test_launches_after_fork(vector_add):
    vector_add[8](np.ones(8000, F), np.ones(8000, F), np.zeros(8000, F), 8000)
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    children = [context.Process(target=_in_child, args=(results,)) for _ in range(2)]
    for child in children:
        child.start()
    assert [results.get() for _ in children] == [True, True]
    for child in children:
        child.join(timeout=30)
        assert child.exitcode == 0


INTERRUPTED = """
import sys, threading, time, os, signal
import numpy as np
import pycuda_tile as pct
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
kernel = pct.build(sys.argv[1], target=sys.argv[2]).kernel("spin")
started = np.zeros(1, np.int32)
def interrupt():
    while not started[0]: time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
begin = time.monotonic()
try:
    kernel[1000000](started, 3000000)
except KeyboardInterrupt:
    assert time.monotonic() - begin < 30
    kernel[2](started, 10)
    print("usable")
"""


@pytest.mark.parametrize("target", ["cpu", "emulated"])
def test_ctrl_c_ends_a_launch(target: str):
    root = Path(pct.__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, SPIN, target],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == "usable", done.stderr


def test_ctrl_c_with_a_handler_of_the_programs_own(make_target):
    kernel = make_target("cpu").build(SPIN).kernel("spin")
    started = np.zeros(1, np.int32)
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))

    def interrupt() -> None:
        while not started[0]:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            kernel[1000000](started, 3000000)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert calls == [1]
