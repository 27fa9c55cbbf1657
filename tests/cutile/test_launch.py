"""ct.launch on the CPU: what it takes as arguments, what it refuses, what it prints, asserts and measures."""

from __future__ import annotations

import importlib.util
import itertools
import subprocess
import sys
import textwrap
import weakref
from collections import namedtuple
from typing import Annotated

import ml_dtypes
import numpy as np
import pytest

from pycuda_tile import LaunchError, UndefinedBehaviorError, tileir

ct = pytest.importorskip("cuda.tile", reason="needs NVIDIA's cuda-tile package")

import pycuda_tile.cutile as on_cpu  # noqa: E402
from pycuda_tile.cutile import launching  # noqa: E402
from pycuda_tile.cutile.cupy_numpy import cupy_is_numpy  # noqa: E402

ConstInt = ct.Constant[int]


@pytest.fixture
def interpreted():
    with on_cpu.options(interpret=True):
        yield


@ct.kernel
def copy(x, y, n: ConstInt):
    ct.store(y, index=(ct.bid(0),), tile=ct.load(x, index=(ct.bid(0),), shape=(n,)))


@ct.kernel
def copy_backwards(x, y, n: ConstInt):
    """Not fused: the elements change places."""
    tile = ct.load(x, index=(0,), shape=(n,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(0,), tile=ct.reshape(ct.transpose(ct.reshape(tile, (2, n // 2))), (n,)))


TYPES = [np.int8, np.uint16, np.int32, np.int64, bool, np.float16, np.float32, np.float64]
SMALL_FLOATS = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


@pytest.mark.parametrize("dtype", TYPES + SMALL_FLOATS, ids=lambda each: np.dtype(each).name)
def test_every_element_type_is_copied_as_it_is(interpreted, dtype) -> None:
    x = np.arange(-10, 11).astype(np.float32).astype(dtype)
    y = np.zeros_like(x)
    ct.launch(None, (2,), copy, (x, y, 16))
    assert y.tobytes() == x.tobytes()


@pytest.mark.parametrize("interpret", [True, False])
def test_strided_and_read_only_arrays_are_taken_as_they_lie(interpret) -> None:
    x = np.arange(64, dtype=np.float32)[::2]
    x.setflags(write=False)
    y = np.zeros((32, 3), np.float32)
    with on_cpu.options(interpret=interpret):
        ct.launch(None, (2,), copy, (x, y[:, 1], 16))
        assert np.array_equal(y[:, 1], x)
        assert not y[:, [0, 2]].any()
        with pytest.raises(ValueError, match="#1: the kernel stores to this array, which is read-only"):
            ct.launch(None, (2,), copy, (y[:, 1], x, 16))


def test_numbers_have_the_types_that_a_gpu_gives_them(interpreted) -> None:
    @ct.kernel
    def numbers(out, i, f, b, wide: ct.ScalarInt64):
        ct.scatter(out, 0, ct.astype(i, ct.float64))
        ct.scatter(out, 1, ct.astype(f, ct.float64))
        ct.scatter(out, 2, ct.astype(b, ct.float64))
        ct.scatter(out, 3, ct.astype(wide - 2**40, ct.float64))

    out = np.zeros(4)
    ct.launch(None, (1,), numbers, (out, -7, 0.1, True, 2**40 + 1))
    assert np.array_equal(out, [-7, np.float32(0.1), 1, 1])
    ct.launch(None, (), numbers, (out, np.int32(5), np.float64(-1e300), np.bool_(False), 0))
    assert np.array_equal(out, [5, -np.inf, 0, -(2.0**40)])


@pytest.mark.parametrize("how", [{"interpret": True}, {"checked": True}, {}])
def test_tuples_and_lists_of_arrays(how) -> None:
    @ct.kernel
    def total(pair, arrays, out, shape: ct.Constant):
        result = ct.load(pair[0], (0, 0), shape) * pair[1]
        for i in range(len(arrays)):
            result += ct.load(arrays[i], (0, 0), shape)
        ct.store(out, (0, 0), result)

    x, y, z, out = np.random.default_rng(0).integers(0, 9, (4, 4, 4)).astype(np.int32)
    with on_cpu.options(**how):
        ct.launch(None, (1,), total, ((x, 3), [y, z, y], out, (4, 4)))
        assert np.array_equal(out, 3 * x + y + z + y)
        with pytest.raises(TypeError, match="#1: the arrays of a list must have one type and rank"):
            ct.launch(None, (1,), total, ((x, 3), [y, z[0]], out, (4, 4)))


def test_items_of_tuples_have_annotations_of_their_own(interpreted) -> None:
    @ct.kernel
    def total(out, pair: tuple[ct.ScalarInt64, ct.Constant[int]], rest: tuple[ct.Constant[int], ...]):
        ct.static_assert(pair[1] + rest[0] + rest[1] == 10)
        ct.scatter(out, (0,), pair[0] + pair[1])

    out = np.zeros(1, np.int64)
    ct.launch(None, (1,), total, (out, (2**40, 3), (5, 2)))
    assert out[0] == 2**40 + 3
    with pytest.raises(TypeError, match=r"kernel argument #1: Received a tuple of length 1 .* of length 2"):
        ct.launch(None, (1,), total, (out, (3,), ()))
    with pytest.raises(TypeError, match=r"item #1 of kernel argument #1: .* type 'ndarray' as a constant"):
        ct.launch(None, (1,), total, (out, (3, out), ()))
    Point = namedtuple("Point", "x y")
    with pytest.raises(TypeError, match="'Point' is a subclass of 'tuple'"):
        ct.launch(None, (1,), total, (out, Point(3, 4), ()))


@pytest.mark.parametrize("how", [{"interpret": True}, {"checked": True}, {}])
def test_the_stride_of_an_axis_of_one_element_is_never_used(how) -> None:
    x, y = np.arange(8, dtype=np.float32)[:1], np.zeros((1, 3), np.float32)[:, 1]
    with on_cpu.options(**how):
        ct.launch(None, (1,), copy_backwards, (x + 5, y, 4))
    assert y[0] == 5


Static = Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(-1,), static_stride_dims=(0,))]
Impossible = Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(2,))]


def test_annotations_make_extents_and_strides_constants(interpreted) -> None:
    @ct.kernel
    def extents(x: Static, out: ct.IndexedWithInt64):
        ct.static_assert(x.shape[1] == x.strides[0] - 2)
        ct.scatter(out, 0, x.shape[1])

    out = np.zeros(1, np.int64)
    for columns in (3, 5):
        ct.launch(None, (1,), extents, (np.zeros((4, columns + 2), np.int8)[:, :columns], out))
        assert out[0] == columns

    @ct.kernel
    def impossible(x: Impossible):
        pass

    with pytest.raises(ValueError, match=r"static_shape_dims contains axis 2, .* rank 2 does not have"):
        ct.launch(None, (1,), impossible, (np.zeros((4, 4)),))


def test_a_constant_has_a_kernel_for_each_value_and_type(interpreted) -> None:
    @ct.kernel
    def store(out, value: ct.Constant):
        ct.scatter(out, 0, value)

    for value in (2, 2.0, 0.0, -0.0, 0, True, 1):
        out = np.full(1, 7, type(value))
        ct.launch(None, (1,), store, (out, value))
        assert out.tobytes() == np.array([value]).tobytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("grid", "arguments", "error", "message"),
    [
        ((1,), (np.zeros(4),), TypeError, "Kernel expects 3 arguments but 1 was given"),
        ((1,), (np.zeros(4), "y", 4), TypeError, "kernel argument #1: Objects of type 'str'"),
        (
            (1,),
            (np.zeros(4)[::-1], np.zeros(4), 4),
            ValueError,
            "#0: the strides .* are negative",
        ),
        ((0,), (np.zeros(4), np.zeros(4), 4), ValueError, r"Grid\[0\] must be at least 1"),
        ((1, 2**24), (np.zeros(4), np.zeros(4), 4), ValueError, r"Grid\[1\] exceeds 24-bit limit"),
        ((1, 1, 1, 1), (np.zeros(4), np.zeros(4), 4), TypeError, "tuple of up to three integers"),
        (4, (np.zeros(4), np.zeros(4), 4), TypeError, "tuple of up to three integers"),
        ((1.5,), (np.zeros(4), np.zeros(4), 4), TypeError, "expected integers, got 1.5"),
        ((1,), (2**31, np.zeros(4), 4), ValueError, "2147483648 does not fit int32"),
        ((1,), (np.zeros(4, complex), np.zeros(4), 4), TypeError, "no arrays of complex128"),
        ((1,), (np.zeros(4, ">f4"), np.zeros(4), 4), TypeError, "float32 in non-native byte order"),
        ((1,), (np.zeros(4), np.zeros(4), "4"), TypeError, "#2: .* type 'str' as a constant"),
        ((1,), np.zeros(4), TypeError, "kernel_args: expected a tuple .*, got ndarray"),
    ],
)
def test_wrong_launches_are_refused(interpreted, grid, arguments, error, message) -> None:
    with pytest.raises(error, match=message) as caught:
        ct.launch(None, grid, copy, arguments)
    assert isinstance(caught.value, LaunchError)


def test_what_is_no_kernel_is_refused_and_cuda_tile_says_what_is_wrong_in_one(interpreted) -> None:
    with pytest.raises(LaunchError, match=r"decorator ct\.kernel"):
        ct.launch(None, (1,), print, ())

    @ct.kernel
    def wrong(x):
        ct.store(x, (0,), ct.no_such_function(x))

    with pytest.raises(ct.TileError, match="no_such_function"):
        ct.launch(None, (1,), wrong, (np.zeros(4),))


@ct.kernel
def shout(x, n: ConstInt):
    ct.printf("%d of %d\n", ct.bid(0), ct.num_blocks(0))
    ct.assert_(ct.load(x, (0,), (n,)) < 3, "too large")


@pytest.mark.parametrize("interpret", [True, False])
def test_kernels_print_and_assert(capsys, interpret) -> None:
    with on_cpu.options(interpret=interpret):
        ct.launch(None, (1,), shout, (np.arange(4), 2))
        with pytest.raises(tileir.AssertionFailed, match="too large"):
            ct.launch(None, (1,), shout, (np.arange(4), 4))
    assert capsys.readouterr().out.count("0 of 1\n") == 2


def test_checked_launches_find_undefined_behaviour() -> None:
    def quotient(tile):
        return tile // (tile - 1)

    @ct.kernel
    def quotients(x, n: ConstInt):
        tile = ct.load(x, (0,), (n,))
        ct.store(x, (0,), quotient(tile))  # the line of the report

    with on_cpu.options(checked=True), pytest.raises(UndefinedBehaviorError, match="zero") as caught:
        ct.launch(None, (1,), quotients, (np.ones(4, np.int32), 4))
    assert caught.value.kind == "division-by-zero"
    assert "# the line of the report" in str(caught.value)


@ct.kernel
def wrapping(a, b, u, sums, counts, n: ConstInt):
    x, y = ct.load(a, (0,), (n,)), ct.load(b, (0,), (n,))
    hashed = ct.load(u, (0,), (n,)) * 2654435769 - 7
    ct.store(sums, (0,), ct.sum(hashed))
    ct.store(sums, (1,), ct.sum(ct.cumsum(hashed)))
    ct.store(a, (0,), x % y)
    ct.store(u, (0,), hashed)
    ct.atomic_add(counts, ct.arange(n, dtype=ct.int32) * 0, x)


@ct.kernel
def copy_rows(x, y, n: ConstInt):
    ct.store(y, (0, 0), ct.load(x, (0, 0), (n, n)))


def test_checked_launches_report_nothing_that_is_defined() -> None:
    a = np.array([1_500_000_000, -7, 7, 2_000_000_000], np.int32)
    b = np.array([2_000_000_000, 3, -3, 2_000_000_000], np.int32)
    u, sums, counts = np.arange(4, dtype=np.uint32) + 2**31, np.zeros(2, np.uint32), np.zeros(1, np.int32)
    hashed = [(int(each) * 2654435769 - 7) % 2**32 for each in u]
    expected = [x % y for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    with on_cpu.options(checked=True):
        ct.launch(None, (1,), wrapping, (a, b, u, sums, counts, 4))
        x, y = np.arange(7, dtype=np.float32), np.zeros((4, 4), np.float32)
        for rows in (np.broadcast_to(x[:4], (4, 4)), np.lib.stride_tricks.sliding_window_view(x, 4)):
            ct.launch(None, (1,), copy_rows, (rows, y, 4))
            np.testing.assert_array_equal(y, rows)
    assert a.tolist() == expected
    assert u.tolist() == hashed
    assert sums.tolist() == [sum(hashed) % 2**32, sum(itertools.accumulate(hashed)) % 2**32]
    assert counts[0] == 3_500_000_000 - 2**32


def test_checked_launches_find_broken_assumptions() -> None:
    @ct.kernel
    def load_one(x, y, n):
        ct.store(y, (0,), ct.load(x, (ct.assume_divisible_by(n, 8),), (1,)))

    x, y = np.arange(16, dtype=np.int32), np.zeros(1, np.int32)
    with on_cpu.options(checked=True):
        ct.launch(None, (1,), load_one, (x, y, 8))
        assert y[0] == 8
        with pytest.raises(UndefinedBehaviorError, match="4, and was assumed to be divisible by 8") as caught:
            ct.launch(None, (1,), load_one, (x, y, 4))
    assert caught.value.kind == "assumption"


def test_tuning_measures_what_runs_and_names_what_does_not(capsys) -> None:
    x, y = np.arange(64.0), np.zeros(64)
    result = ct.tune.exhaustive_search(
        [16, 17, 32],
        None,
        lambda n: (64 // n,),
        copy,
        lambda n: (x, y, n),
        lambda n: {"occupancy": 2},
        single_run_timeout_sec=1,
    )
    assert {each.config for each in result.successes} == {16, 32}
    assert result.best.mean_us == min(each.mean_us for each in result.successes)
    assert result.best.num_samples >= 5
    ((config, kind, message),) = result.failures
    assert config == 17 and issubclass(kind, ct.TileError) and "power of" in message
    assert "2 succeeded, 1 failed" in capsys.readouterr().out
    assert np.array_equal(x, y)
    with pytest.raises(ValueError, match="empty"):
        ct.tune.exhaustive_search([], None, None, copy, None)


def test_signatures_of_arguments_say_what_divides_them() -> None:
    memory = np.zeros(4096 + 64, np.float16)
    start = -memory.ctypes.data % 64 // 2
    x, odd = memory[start : start + 48 * 32].reshape(48, 32), memory[start + 1 : start + 34]

    def divisors(array, signature):
        found = signature.parameters[array]
        return found.base_addr_divisible_by, found.stride_divisible_by, found.shape_divisible_by

    convention = ct.compilation.CallingConvention.cutile_python_v2()
    made = ct.compilation.KernelSignature.from_kernel_args(copy, (x, odd, 16), convention)
    assert divisors(0, made) == (16, (8, 1), (16, 16)) and divisors(1, made) == (1, (1,), (1,))
    assert "copy" in made.symbol


def test_disable_gives_cuda_tile_its_functions_back() -> None:
    ours = ct.launch
    on_cpu.disable()
    try:
        assert ct.launch is not ours and ct.launch.__name__ == "launch"
        on_cpu.disable()
    finally:
        on_cpu.enable()
    assert ct.launch is ours


def test_tensors_of_pytorch(interpreted) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    for dtype in (torch.float32, torch.bfloat16, torch.float8_e5m2):
        x = torch.arange(20, dtype=torch.float32).to(dtype)
        y = torch.zeros(40, dtype=torch.float32).to(dtype)[::2]
        ct.launch(0, (2,), copy, (x, y, 16))
        assert torch.equal(x.float(), y.float())
    with pytest.raises(ValueError, match="got a tensor on meta"):
        ct.launch(0, (2,), copy, (x, torch.empty(20, device="meta"), 16))


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy itself is installed")
def test_numpy_stands_in_for_cupy(interpreted) -> None:
    with cupy_is_numpy():
        import cupy as cp

        x, start, end = cp.arange(8.0), cp.cuda.Event(), cp.cuda.Event()
        y = cp.zeros_like(x)
        start.record()
        with cp.cuda.Stream() as stream:
            ct.launch(stream, (1,), copy, (x, y, 8))
        end.record()
        cp.cuda.get_current_stream().synchronize()
        assert cp.cuda.get_elapsed_time(start, end) > 0
        assert np.array_equal(cp.asnumpy(y), np.arange(8.0))
        host = np.zeros(4)
        there = cp.asarray(host)
        there += 1
        copies = [cp.asnumpy(there), there.get()]
        there += 1
        assert host.sum() == 0 and [each.sum() for each in copies] == [4, 4] and there.sum().get() == 8
        assert isinstance(there, cp.ndarray) and not isinstance(copies[1], cp.ndarray)
        assert cp.random.randn(2, 3, dtype=cp.float32).dtype == np.float32
        assert cp.random.uniform(size=5).shape == (5,) and cp.random.randint(3, size=4).get().shape == (4,)
        cp.cuda.Stream.null.synchronize()
        cp.cuda.Device().synchronize()
        with pytest.raises(AttributeError, match="no_such_name"):
            cp.no_such_name  # noqa: B018
    with pytest.raises(ImportError):
        import cupy  # noqa: F401


class Exported:
    """An array that is known by DLPack only."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **named):
        return self.tensor.__dlpack__(**named)


def test_other_arrays_are_taken_by_dlpack(interpreted) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    x, y = torch.arange(40.0).bfloat16()[::2], torch.zeros(20, dtype=torch.bfloat16)
    ct.launch(None, (2,), copy, (Exported(x), Exported(y), 16))
    assert torch.equal(x, y)
    empty = Exported(torch.zeros(0, dtype=torch.bfloat16))
    ct.launch(None, (1,), copy, (empty, empty, 16))
    with pytest.raises(TypeError, match="#0: expected an array in host memory"):
        ct.launch(None, (1,), copy, (Exported(x.float().requires_grad_()), y, 16))


SCRIPT = """
    import sys
    import cuda.tile as ct
    import numpy as np
    import torch

    @ct.kernel
    def double(x, n: ct.Constant[int]):
        ct.store(x, (0,), ct.load(x, (0,), (n,)) * 2)

    x = torch.arange(4.0, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        ct.launch(torch.cuda.current_stream(), (1,), double, (x, 4))
        end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) > 0
    torch.cuda.reset_peak_memory_stats()
    with torch.cuda.device(0):
        assert torch.cuda.max_memory_allocated() == 0 and isinstance(torch.cuda.device, type)
    assert x.is_cuda and torch.cuda.get_device_capability() >= (8, 0)
    assert torch.cuda.get_device_properties(0).multi_processor_count >= 8
    took = start.elapsed_time(end)
    end.wait(torch.cuda.current_stream())
    assert start.elapsed_time(end) == took
    torch.cuda.manual_seed(3)
    state = torch.cuda.get_rng_state()
    first, others = torch.rand(4, device=0), [torch.rand(4, device="cuda")]
    for seeded in (lambda: torch.cuda.manual_seed_all(3), lambda: torch.cuda.set_rng_state(state)):
        seeded()
        others.append(torch.rand(4, device="cuda"))
    by_itself = torch.Generator(device="cuda").manual_seed(3)
    others.append(torch.rand(4, device="cuda", generator=by_itself))
    assert [torch.equal(first, other) for other in others] == [False, True, True, True]
    host, array = torch.zeros(4), np.zeros(4)
    moved = [host.cuda(), host.to("cuda"), host.to(torch.device("cuda", 0))]
    moved.append(torch.as_tensor(array, device="cuda"))
    back = [each.add_(1).cpu() for each in moved]
    assert all(each.add_(1).to("cuda") is each and each.sum() == 8 for each in moved)
    assert all(each.sum() == 4 for each in back) and host.sum() == array.sum() == 0
    pinned = torch.ones(4, pin_memory=True).pin_memory().to(0, non_blocking=True)
    pinned.record_stream(torch.cuda.current_stream())
    torch.cuda.nvtx.range_push("a range")
    torch.cuda.nvtx.range_pop()
    assert torch.equal(torch.compile(lambda x: x + 1, backend="eager")(pinned), pinned + 1)
    print(sys.argv[1:], x.cpu().tolist())
"""


def test_kernels_that_differ_in_hints_are_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[object] = []
    build = launching._build
    monkeypatch.setattr(launching, "_known", weakref.WeakKeyDictionary())  # what other tests have built
    monkeypatch.setattr(launching, "_build", lambda *given: built.append(given) or build(*given))
    x, y = np.arange(6, dtype=np.int64), np.zeros(6, np.int64)
    with on_cpu.options(interpret=True):
        for occupancy in (1, 2, 4):
            y[:] = 0
            ct.launch(None, (2,), copy.replace_hints(occupancy=occupancy), (x, y, 4))
            np.testing.assert_array_equal(y, x)
    assert len(built) == 1


def test_a_script_for_a_gpu_runs_as_it_is(tmp_path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch")
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    command = [sys.executable, "-m", "pycuda_tile.cutile", "--interpret", str(script), "a", "-b"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "['a', '-b'] [0.0, 2.0, 4.0, 6.0]\n", done.stderr
    for arguments, error in (("none.py",), "none.py: there is no such file"), (("-m",), "or -m and a module"):
        missing = subprocess.run([*command[:3], *arguments], capture_output=True, text=True, check=False)
        assert missing.returncode == 2 and error in missing.stderr


MODULE = """
    import sys
    import cuda.tile as ct
    import numpy as np

    @ct.kernel
    def double(x):
        ct.store(x, (0,), ct.load(x, (0,), (4,)) * 2)

    x = np.arange(4.0)
    ct.launch(None, (1,), double, (x,))
    print(__name__, sys.argv[1:], x.tolist())
"""


def test_a_module_runs_as_it_is(tmp_path) -> None:
    (tmp_path / "module.py").write_text(textwrap.dedent(MODULE))
    command = [sys.executable, "-m", "pycuda_tile.cutile", "--interpret", "-m", "module", "-m", "--checked"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "__main__ ['-m', '--checked'] [0.0, 2.0, 4.0, 6.0]\n", done.stderr
