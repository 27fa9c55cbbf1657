"""Operations of Tile IR 13.3 to 13.5, interpreted and built, against results computed by other means."""

from __future__ import annotations

import functools
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from pycuda_tile import tileir
from pycuda_tile.errors import BuildValueError, TargetUnavailable, UndefinedBehaviorError
from pycuda_tile.tileir.elements import DTYPES
from pycuda_tile.tileir.loops import fuse

CAST = "#cuda_tile.multimem_reduction_kind"
TENSOR = "tensor_view<6xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>"
VIEW = f"partition_view<tile=(4), padding_value = nan, {TENSOR}>"
WORDS = "tensor_view<6xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>"


def loaded(name: str, count: int, element: str) -> str:
    """Loads %name, %name_at are the pointers."""
    many = f"tile<{count}xptr<{element}>>"
    return f"""
  %{name}_1 = reshape %{name}_p : tile<ptr<{element}>> -> tile<1xptr<{element}>>
  %{name}_2 = broadcast %{name}_1 : tile<1xptr<{element}>> -> {many}
  %{name}_i = iota : tile<{count}xi32>
  %{name}_at = offset %{name}_2, %{name}_i : {many}, tile<{count}xi32> -> {many}
  %{name}, %{name}_t = load_ptr_tko weak %{name}_at : {many} -> tile<{count}x{element}>, token"""


def stored(name: str, to: str, count: int, element: str) -> str:
    types = f"tile<{count}xptr<{element}>>, tile<{count}x{element}>"
    return f"""
  %{to}_s = store_ptr_tko weak %{to}_at, %{name} token=%{to}_t : {types} -> token"""


POWERS = {("f16", "i16"), ("bf16", "i8"), ("f32", "i32"), ("f64", "i32"), ("f32", "i1")}


def power(base: str, exponent: str) -> str:
    return f"""entry @power_{base}_{exponent}(%x_p: tile<ptr<{base}>>, %n_p: tile<ptr<{exponent}>>) {{
{loaded("x", 16, base)}{loaded("n", 16, exponent)}
  %y = fpowi %x, %n : tile<16x{base}>, tile<16x{exponent}>{stored("y", "x", 16, base)}
}}
"""


HALVES = f"""
entry @halves(%x_p: tile<ptr<i8>>, %s_p: tile<ptr<i8>>, %u_p: tile<ptr<i8>>,
    %f_p: tile<ptr<f32>>, %b_p: tile<ptr<i8>>) {{
{loaded("x", 256, "i8")}{loaded("s", 512, "i8")}{loaded("u", 512, "i8")}{loaded("f", 512, "f32")}
{loaded("b", 256, "i8")}
  %h = unpack %x : tile<256xi8> -> tile<512xi4>
  %signed = exti %h signed : tile<512xi4> -> tile<512xi8>{stored("signed", "s", 512, "i8")}
  %unsigned = exti %h unsigned : tile<512xi4> -> tile<512xi8>{stored("unsigned", "u", 512, "i8")}
  %small = bitcast %h : tile<512xi4> -> tile<512xf4E2M1FN>
  %wide = ftof %small : tile<512xf4E2M1FN> -> tile<512xf32>{stored("wide", "f", 512, "f32")}
  %again = bitcast %small : tile<512xf4E2M1FN> -> tile<512xi4>
  %cut = trunci %unsigned : tile<512xi8> -> tile<512xi4>
  %first = constant <i32: 0> : tile<i32>
  %second = constant <i32: 1> : tile<i32>
  %left = extract %again[%first] : tile<512xi4> -> tile<256xi4>
  %right = extract %cut[%second] : tile<512xi4> -> tile<256xi4>
  %both = cat %left, %right dim = 0 : tile<256xi4>, tile<256xi4> -> tile<512xi4>
  %packed = pack %both : tile<512xi4> -> tile<256xi8>{stored("packed", "b", 256, "i8")}
}}
"""

MANY_DEVICES = f"""entry @devices(%p: tile<ptr<f32, <multicast>>>, %q: tile<ptr<i32, <multicast>>>,
    %x_p: tile<ptr<f32>>) {{
{loaded("x", 4, "f32")}
  %k = constant <i32: 1> : tile<i32>
  %w = gdc_wait_tko token = %x_t -> token
  %l = gdc_launch_dependents_tko token = %w -> token
  %f = memory_fence_alias_tko %l
  %t = make_tensor_view %p, shape = [6], strides = [1] : {TENSOR}
  %v = make_partition_view %t : {VIEW}
  %y, %a = multimem_load_reduce_view_tko relaxed sys %v[%k] token = %f
    : {VIEW}, tile<i32>, token -> tile<4xf32>, token
  %b = multimem_reduce_view_tko relaxed sys %v, %x[%k] token = %a
    : {VIEW}, tile<4xf32>, tile<i32>, token -> token
  %zero = constant <i32: 0> : tile<i32>
  %c = multimem_store_view_tko weak %v, %x[%zero] : {VIEW}, tile<4xf32>, tile<i32> -> token
  %words = make_tensor_view %q, shape = [6], strides = [1] : {WORDS}
  %n = make_partition_view %words : partition_view<tile=(4), {WORDS}>
  %ones = constant <i32: [-1, 1, -1, 1]> : tile<4xi32>
  %d = multimem_reduce_view_tko release device %n, %ones[%k] attributes {{reduction = {CAST}<umax>}}
    : partition_view<tile=(4), {WORDS}>, tile<4xi32>, tile<i32> -> token{stored("y", "x", 4, "f32")}
}}
"""

LINE = "tensor_view<6xf32, strides=[1]>"


def views(n: int) -> str:
    """Tiles of n elements that overlap, or whose elements are chosen."""
    overlapping = f"strided_view<tile=({n}), traversal_strides=[1], padding_value = neg_inf, {LINE}>"
    chosen = f"gather_scatter_view<tile=({n}), padding_value = nan, {LINE}, sparse_dim=0>"
    at = f"{chosen}, tile<{n}xi32>"
    return f"""
entry @sums(%p: tile<ptr<f32>>) {{
  %i, %j, %k = get_tile_block_id : tile<i32>
  %t = make_tensor_view %p, shape = [6], strides = [1] : {LINE}
  %v = make_strided_view %t : {overlapping}
  %x = constant <f32: 1.0> : tile<{n}xf32>
  %a = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<{n}xf32>, {overlapping}, tile<i32> -> token
}}
entry @chosen(%p: tile<ptr<f32>>, %n_p: tile<ptr<i32>>, %x_p: tile<ptr<f32>>) {{
{loaded("n", n, "i32")}{loaded("x", n, "f32")}
  %t = make_tensor_view %p, shape = [6], strides = [1] : {LINE}
  %v = make_gather_scatter_view %t : {chosen}
  %y, %a = load_view_tko weak %v[%n] : {at} -> tile<{n}xf32>, token
  %b = store_view_tko weak %x, %v[%n] token = %a : tile<{n}xf32>, {at} -> token
{stored("y", "x", n, "f32")}
}}
"""


INSERTED = f"""entry @inserted(%x_p: tile<ptr<i32>>, %y_p: tile<ptr<i32>>, %i: tile<i32>, %j: tile<i32>) {{
{loaded("x", 4, "i32")}{loaded("y", 32, "i32")}
  %part = reshape %x : tile<4xi32> -> tile<2x2xi32>
  %whole = reshape %y : tile<32xi32> -> tile<4x8xi32>
  %both = insert %part, %whole[%i, %j] : tile<2x2xi32>, tile<4x8xi32>
  %z = reshape %both : tile<4x8xi32> -> tile<32xi32>{stored("z", "y", 32, "i32")}
}}
"""

TEXT = "".join([*(power(*kinds) for kinds in sorted(POWERS)), HALVES, MANY_DEVICES, INSERTED, views(4)])


def test_accesses_to_single_elements_run_on_whole_tiles() -> None:
    _, _, attributes = fuse(tileir.parse(views(64)))
    assert attributes == {
        "sums": {"path": "by operation", "reason": "no loops that operations could share"},
        "chosen": {"path": "fused"},
    }


def test_older_versions_of_the_api_are_refused() -> None:
    with pytest.raises(BuildValueError, match=r"api: modules of Tile IR are built with the API of 13\.5"):
        tileir.build(tileir.parse(INSERTED), api="13.3")


@functools.cache
def launcher(way: str) -> Callable[..., None]:
    module = tileir.parse(TEXT)
    if way == "interpret":
        return lambda name, *arrays, grid=1: tileir.interpret(module, name, grid, *arrays)
    target, threads = (way, 4) if way == "emulated" else ("cpu", None)
    how = {"optimize": "auto"} if way == "fused" else {"options": ("-O1",), "num_threads": threads}
    built = tileir.build(module, target=target, **how)
    return lambda name, *arrays, grid=1: built.kernel(name)[grid](*arrays)


@pytest.fixture(params=["interpret", "cpu", pytest.param("fused", marks=pytest.mark.wide), "emulated"])
def run(request: pytest.FixtureRequest) -> Callable[..., None]:
    return launcher(request.param)


@pytest.mark.parametrize("base, exponent", sorted(POWERS))
def test_integral_powers(base: str, exponent: str, run: Callable[..., None]) -> None:
    """Odd exponents that are not numbers of the base's type keep the sign; as C's pow where it is defined. An
    i1 is 0 or -1, as NVIDIA's compiler takes it."""
    x = np.array([-1, -1, -1, 2, -2, -2, 0, -0.0, -0.0, 0, np.inf, -np.inf, np.nan, 3, -3, 0.5])
    n = np.array([2049, 2048, -3, 3, -3, 4, -1, -1, 3, 0, -1, 3, 0, 5, 4, -10])
    last = {"i16": 2**15 - 1, "i32": 2**31 - 1, "i8": 127, "i1": 1}[exponent]
    exponents = np.append(np.clip(n, -last - 1, last)[:-1], last).astype(DTYPES[exponent])
    array = x.astype(DTYPES[base])
    run(f"power_{base}_{exponent}", array, exponents)
    sign = -1 if exponent == "i1" else 1
    wanted = [_power(float(a), sign * int(b)) for a, b in zip(x, exponents, strict=True)]
    np.testing.assert_array_equal(array, np.array(wanted).astype(DTYPES[base]))
    np.testing.assert_array_equal(np.signbit(array), np.signbit(wanted))


def _power(x: float, n: int) -> float:
    """By multiplication; all products are exact or far out of range."""
    if n < 0:
        with np.errstate(divide="ignore"):
            return float(1 / np.float64(_power(x, -n)))
    result, factor = 1.0, x
    while n:
        result, factor, n = result * (factor if n & 1 else 1.0), factor * factor, n >> 1
    return result


def test_integers_of_four_bits(run: Callable[..., None]) -> None:
    """All bytes as pairs of i4: extended, read as f4E2M1FN, cut off again and packed."""
    x = np.random.default_rng(0).permutation(256).astype(np.uint8)
    halves = np.stack([x & 15, x >> 4], 1).reshape(-1)
    signed, unsigned = np.zeros(512, np.int8), np.zeros(512, np.int8)
    floats, packed = np.zeros(512, np.float32), np.zeros(256, np.int8)
    run("halves", x.view(np.int8), signed, unsigned, floats, packed)
    np.testing.assert_array_equal(signed, np.where(halves < 8, halves, halves.astype(np.int8) - 16))
    np.testing.assert_array_equal(unsigned, halves)
    np.testing.assert_array_equal(floats, halves.view(ml_dtypes.float4_e2m1fn).astype(np.float32))
    np.testing.assert_array_equal(packed.view(np.uint8), x)


def test_memory_of_several_devices_is_that_of_one(run: Callable[..., None]) -> None:
    """A partial tile: loads pad it, and stores and updates leave what lies beyond the tensor alone."""
    floats, words = np.arange(8, dtype=np.float32), np.full(8, 5, np.int32)
    x = np.array([10, 20, 30, 40], np.float32)
    run("devices", floats, words, x)
    np.testing.assert_array_equal(x, [4, 5, np.nan, np.nan])
    assert floats.tolist() == [10, 20, 30, 40, 14, 25, 6, 7]
    assert words.tolist() == [5, 5, 5, 5, -1, 5, 5, 5]


def test_overlapping_updates(run: Callable[..., None]) -> None:
    """Tiles of 4 at each of 6 elements: padding means nothing, and what is beyond the tensor stays."""
    x = np.zeros(8, np.float32)
    run("sums", x, grid=6)
    assert x.tolist() == [1, 2, 3, 4, 4, 4, 0, 0]


@pytest.mark.parametrize(
    "indices, loaded, left",
    [
        ([3, 0, 3, 3], [3, 0, 3, 3], [20, 1, 2, 40, 4, 5]),  # the last of the values that are stored
        ([-1, 5, 6, -(2**31)], [np.nan, 5, np.nan, np.nan], [0, 1, 2, 3, 4, 20]),
        ([9, 6, -1, 7], [np.nan] * 4, [0, 1, 2, 3, 4, 5]),  # altogether outside
    ],
)
def test_chosen_elements(indices: list, loaded: list, left: list, run: Callable[..., None]) -> None:
    """Equal indices, and those beyond the tensor, to which negative ones belong."""
    memory, x = np.arange(7, dtype=np.float32), np.array([10, 20, 30, 40], np.float32)
    run("chosen", memory, np.array(indices, np.int32), x)
    np.testing.assert_array_equal(x, loaded)
    assert memory.tolist() == [*left, 6]


@pytest.mark.parametrize("i, j", [(0, 0), (1, 3), (0, 2)])
def test_insert(i: int, j: int, run: Callable[..., None]) -> None:
    x, y = np.arange(1, 5, dtype=np.int32), np.arange(-32, 0, dtype=np.int32)
    expected = y.reshape(4, 8).copy()
    expected[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = [[1, 2], [3, 4]]
    run("inserted", x, y, i, j)
    np.testing.assert_array_equal(y, expected.reshape(-1))


@pytest.mark.parametrize("i, j", [(2, 0), (0, 4), (-1, 0)])
def test_insert_beyond_the_tile(i: int, j: int) -> None:
    """It is undefined; built code replaces nothing, and neither does interpret where it goes on."""
    x, y = np.ones(4, np.int32), np.zeros(32, np.int32)
    module = tileir.parse(INSERTED)
    with pytest.raises(UndefinedBehaviorError) as caught:
        tileir.interpret(module, "inserted", 1, x, y, i, j)
    assert caught.value.kind == "extract-bounds"
    tileir.interpret(module, "inserted", 1, x, y, i, j, on_ub="continue")
    launcher("cpu")("inserted", x, y, i, j)
    assert not y.any()


@pytest.mark.parametrize("target", ["interpret", "cpu", "emulated"])
def test_a_printed_tile(target: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Also where several threads share it; an i4 with the signedness that the letter specifies."""
    module = tileir.parse("""entry @kernel(%n: tile<i32>) {
  %x = constant <i8: [[0, 7], [8, -1]]> : tile<2x2xi8>
  %h = trunci %x : tile<2x2xi8> -> tile<2x2xi4>
  %t = print_tko "n %d: %d and %u\\0A", %n, %h, %h : tile<i32>, tile<2x2xi4>, tile<2x2xi4> -> token
}""")
    if target == "interpret":
        tileir.interpret(module, "kernel", 1, 5)
    else:
        threads = 4 if target == "emulated" else None
        built = tileir.build(module, target=target, options=("-O1",), num_threads=threads)
        built.kernel("kernel")[1](5)
    assert capfd.readouterr().out == "n 5: [[0, 7], [-8, -1]] and [[0, 7], [8, 15]]\n"


@pytest.mark.wide
def test_compiles_for_simt() -> None:
    try:
        built = tileir.build(tileir.parse(TEXT), target="simt", arch="sm_90")
    except TargetUnavailable as error:
        pytest.skip(str(error))
    assert all(".target sm_90" in built.kernel(kernel.name).ptx for kernel in built.kernels)
