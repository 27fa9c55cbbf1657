"""Undefined behaviour of Tile IR in checked builds: what the interpreter finds, and nothing else."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from pycuda_tile import UndefinedBehaviorError, tileir
from pycuda_tile.checked import lines

OPERATIONS = {
    "floor": "divi %x, %y signed rounding<negative_inf>",
    "quotient": "divi %x, %y unsigned",
    "remainder": "remi %x, %y signed",
    "left": "shli %x, %y",
    "right": "shri %x, %y unsigned",
}


def module(entries: list[str]) -> Any:
    found = tileir.parse(f"cuda_tile.module @m {{ {' '.join(entries)} }}")
    tileir.verify(found)
    return found


@pytest.fixture(scope="module")
def built():
    entries = [
        f"""entry @{name}(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {{
            %t0 = make_token : token
            %x, %t1 = load_ptr_tko weak %a token=%t0 : tile<ptr<i32>> -> tile<i32>, token
            %y, %t2 = load_ptr_tko weak %b token=%t1 : tile<ptr<i32>> -> tile<i32>, token
            %z = {text} : tile<i32>
            %t3 = store_ptr_tko weak %a, %z token=%t2 : tile<ptr<i32>>, tile<i32> -> token
        }}"""
        for name, text in OPERATIONS.items()
    ]
    return tileir.build(module(entries), checked=True)


@pytest.mark.parametrize(
    ("name", "x", "y", "kind"),
    [
        ("floor", 1, 0, "division-by-zero"),
        ("floor", -(2**31), -1, "integer-overflow"),
        ("quotient", -(2**31), -1, None),
        ("quotient", 1, 0, "division-by-zero"),
        ("remainder", 5, 0, "division-by-zero"),
        ("left", 1, 32, "shift-range"),
        ("left", 1, 31, None),
        ("right", 1, -1, "shift-range"),
    ],
)
def test_integers(built, name, x, y, kind) -> None:
    a, b = np.array([x], np.int32), np.array([y], np.int32)
    if kind is None:
        built[name][1](a, b)
        return
    with pytest.raises(UndefinedBehaviorError) as caught:
        built[name][1](a, b)
    assert caught.value.kind == kind
    assert a[0] == x


def outcome(launch: Any, *arguments: Any) -> object:
    """What a launch stores in its last argument, or the kind of undefined behaviour that it has."""
    result = np.copy(arguments[-1])
    try:
        launch(*arguments[:-1], result)
    except UndefinedBehaviorError as error:
        return error.kind
    return result.tolist()


def outcomes(m: Any, built: Any, name: str, *arguments: Any) -> list[object]:
    def interpret(*given: Any) -> None:
        tileir.interpret(m, name, 1, *given)

    return [outcome(launch, *arguments) for launch in (interpret, built[name][1])]


PROMISES = ["", " overflow<no_signed_wrap>", " overflow<no_unsigned_wrap>", " overflow<no_wrap>"]
TYPES = {"i1": np.bool_, "i8": np.int8, "i64": np.int64}


def arithmetic() -> dict[str, tuple[str, str]]:
    """For each entry, the type of its operands and its operation."""
    found = {}
    for kind in TYPES:
        texts = [f"{op} %x, %y{p}" for op in ("addi", "subi", "muli", "shli") for p in PROMISES]
        texts += ["negi %x", "negi %x overflow<no_signed_wrap>", "absi %x"]
        found |= {f"{kind}_{i}": (kind, f"{text} : tile<{kind}>") for i, text in enumerate(texts)}
    for to in ("i8", "i1"):
        texts = [f"trunci %x{p} : tile<i64> -> tile<{to}>" for p in PROMISES]
        found |= {f"to_{to}_{i}": ("i64", text) for i, text in enumerate(texts)}
    return found


def test_integers_wrap_and_broken_promises_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "line_tool", lambda: None)  # a process for each of hundreds of reports
    cases = arithmetic()
    entries = []
    for name, (kind, text) in cases.items():
        to = text.rsplit("tile<", 1)[1].removesuffix(">")
        entries.append(
            f"""entry @{name}(%x: tile<{kind}>, %y: tile<{kind}>, %o: tile<ptr<{to}>>) {{
                %z = {text}
                %t = store_ptr_tko weak %o, %z : tile<ptr<{to}>>, tile<{to}> -> token
            }}"""
        )
    m = module(entries)
    built = tileir.build(m, checked=True, options=("-O0",))
    found = set()
    for name, (kind, text) in cases.items():
        dtype = TYPES[text.rsplit("tile<", 1)[1].removesuffix(">")]
        values = [0, 1]
        if kind != "i1":
            half = np.iinfo(TYPES[kind]).max
            values = [0, 1, 2, 7, -1, half, -half - 1, half // 2 + 1]
        if text.startswith("trunci"):
            values += [127, 128, 255, 256, -128, -129]
        for x, y in itertools.product(values, values if "%y" in text else [0]):
            expected, got = outcomes(m, built, name, x, y, np.zeros(1, dtype))
            assert got == expected, (text, x, y)
            found.add(got if isinstance(got, str) else None)
    assert found == {None, "integer-overflow", "shift-range"}


def folds() -> list[str]:
    """Entries that load four integers and store what they make of them at another place."""
    body = "(%e: tile<i32>, %a: tile<i32>) {{ %s = {} : tile<i32> yield %s : tile<i32> }}"
    whole, one = "identities=[0 : i32] : tile<4xi32> -> tile<4xi32>", "tile<4xi32> -> tile<i32>"
    made = {
        "sum": f"reduce %x dim=0 identities=[0 : i32] : {one} " + body.format("addi %e, %a"),
        "promised": f"reduce %x dim=0 identities=[0 : i32] : {one} "
        + body.format("addi %e, %a overflow<no_signed_wrap>"),
        "product": f"reduce %x dim=0 identities=[1 : i32] : {one} " + body.format("muli %e, %a"),
        "sums": f"scan %x dim=0 reverse=false {whole} " + body.format("addi %e, %a"),
    }
    entries = []
    for name, text in made.items():
        shape = "4xi32" if name == "sums" else "i32"
        pointers, places = ("%o4", "4xptr<i32>") if name == "sums" else ("%o", "ptr<i32>")
        entries.append(
            f"""entry @{name}(%p: tile<ptr<i32>>, %o: tile<ptr<i32>>) {{
                %i = iota : tile<4xi32>
                %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
                %p4 = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
                %from = offset %p4, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
                %o1 = reshape %o : tile<ptr<i32>> -> tile<1xptr<i32>>
                %o0 = broadcast %o1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
                %o4 = offset %o0, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
                %x, %t = load_ptr_tko weak %from : tile<4xptr<i32>> -> tile<4xi32>, token
                %r = {text}
                %u = store_ptr_tko weak {pointers}, %r : tile<{places}>, tile<{shape}> -> token
            }}"""
        )
    return entries


OTHERS = [
    """entry @atomic(%p: tile<ptr<i32>>, %o: tile<ptr<i32>>) {
        %x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
        %a, %u = atomic_rmw_tko relaxed device %o, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
        %b, %v = atomic_rmw_tko relaxed device %o, add, %x token=%u
          : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    }""",
    """entry @rounds(%p: tile<ptr<i32>>, %o: tile<ptr<i32>>) {
        %step, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %end = constant <i32: 2147483647> : tile<i32>
        %n = for %i in (%zero to %end, step %step) : tile<i32> iter_values(%k = %zero) -> (tile<i32>) {
          %next = addi %k, %one : tile<i32>
          continue %next : tile<i32>
        }
        %u = store_ptr_tko weak %o, %n : tile<ptr<i32>>, tile<i32> -> token
    }""",
]


def test_sums_and_products_wrap() -> None:
    m = module([*folds(), *OTHERS])
    built = tileir.build(m, checked=True)
    x = np.full(4, 2**30 + 1, np.int32)
    results = {
        name: outcomes(m, built, name, x, np.zeros(4, np.int32))
        for name in ("sum", "promised", "product", "sums", "atomic", "rounds")
    }
    a = 2**30 + 1
    assert results == {
        "sum": [[4, 0, 0, 0]] * 2,
        "promised": ["integer-overflow"] * 2,
        "product": [[1, 0, 0, 0]] * 2,
        "sums": [[a, 2 * a - 2**32, 3 * a - 2**32, 4]] * 2,
        "atomic": [[2 * a - 2**32, 0, 0, 0]] * 2,
        "rounds": [[2, 0, 0, 0]] * 2,
    }


def test_elements_of_views_may_overlap() -> None:
    tensors = [f"tensor_view<4x4xf32, strides=[{stride},1]>" for stride in ("?", "4")]
    source, target = [f"partition_view<tile=(4x4), {tensor}>" for tensor in tensors]
    entry = f"""entry @load(%p: tile<ptr<f32>>, %stride: tile<i32>, %o: tile<ptr<f32>>) {{
        %i = constant <i32: 0> : tile<i32>
        %s = make_tensor_view %p, shape = [4, 4], strides = [%stride, 1] : tile<i32> -> {tensors[0]}
        %v = make_partition_view %s : {source}
        %d = make_tensor_view %o, shape = [4, 4], strides = [4, 1] : {tensors[1]}
        %w = make_partition_view %d : {target}
        %x, %t = load_view_tko weak %v[%i, %i] : {source}, tile<i32> -> tile<4x4xf32>, token
        %u = store_view_tko weak %x, %w[%i, %i] : tile<4x4xf32>, {target}, tile<i32> -> token
    }}"""
    m = module([entry])
    built = tileir.build(m, checked=True)
    x, nothing = np.arange(7, dtype=np.float32), np.zeros((4, 4), np.float32)
    for stride in (0, 1):
        rows = np.lib.stride_tricks.as_strided(x, (4, 4), (4 * stride, 4))
        assert outcomes(m, built, "load", x, stride, nothing) == [rows.tolist()] * 2


ASSUMPTIONS = {  # what is assumed of four integers, some for which it holds, and some for which it does not
    "least": ("bounded<-3, ?>", "i32", [-3, 0, 9, 5], [-3, 0, -4, 5]),
    "most": ("bounded<?, 9>", "i32", [-3, 0, 9, 5], [-3, 10, 0, 5]),
    "between": ("bounded<-3, 9>", "i8", [-3, 0, 9, 5], [-3, 0, 100, 5]),
    "negative": ("bounded<-1, -1>", "i1", [1, 1, 1, 1], [1, 0, 1, 1]),
    "multiples": ("div_by<8>", "i64", [8, 0, -16, 24], [8, 0, -16, 4]),
    "runs": ("div_by<8, every 2 along 0>", "i32", [8, 9, 16, 17], [8, 9, 16, 18]),
    "starts": ("div_by<8, every 2 along 0>", "i32", [8, 9, -8, -7], [4, 5, 16, 17]),
    "pairs": ("same_elements<[2]>", "i32", [8, 8, 7, 7], [8, 8, 7, 8]),
}


def test_broken_assumptions_are_reported() -> None:
    entries = []
    for name, (predicate, kind, *_) in ASSUMPTIONS.items():
        view = f"partition_view<tile=(4), tensor_view<4x{kind}, strides=[1]>>"
        entries.append(
            f"""entry @{name}(%p: tile<ptr<{kind}>>, %o: tile<ptr<{kind}>>) {{
                %i = constant <i32: 0> : tile<i32>
                %s = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4x{kind}, strides=[1]>
                %v = make_partition_view %s : {view}
                %d = make_tensor_view %o, shape = [4], strides = [1] : tensor_view<4x{kind}, strides=[1]>
                %w = make_partition_view %d : {view}
                %x, %t = load_view_tko weak %v[%i] : {view}, tile<i32> -> tile<4x{kind}>, token
                %y = assume {predicate}, %x : tile<4x{kind}>
                %u = store_view_tko weak %y, %w[%i] : tile<4x{kind}>, {view}, tile<i32> -> token
            }}"""
        )
    entries += [
        """entry @number(%n: tile<i64>, %o: tile<ptr<i64>>) {
            %a = assume div_by<8>, %n : tile<i64>
            %t = store_ptr_tko weak %o, %a : tile<ptr<i64>>, tile<i64> -> token
        }""",
        """entry @pointer(%n: tile<i64>, %o: tile<ptr<i64>>) {
            %p = assume div_by<8>, %o : tile<ptr<i64>>
            %q = ptr_to_ptr %p : tile<ptr<i64>> -> tile<ptr<i8>>
            %r = offset %q, %n : tile<ptr<i8>>, tile<i64> -> tile<ptr<i8>>
            %s = assume div_by<4>, %r : tile<ptr<i8>>
            %v = make_tensor_view %s, shape = [4], strides = [1] : tensor_view<4xi8, strides=[1]>
            %w = assume div_by<8>, %v : tensor_view<4xi8, strides=[1]>
        }""",
    ]
    m = module(entries)
    built = tileir.build(m, checked=True)
    for name, (_, kind, true, false) in ASSUMPTIONS.items():
        dtype = (TYPES | {"i32": np.int32})[kind]
        for given, expected in ((true, np.array(true, dtype).tolist()), (false, "assumption")):
            got = outcomes(m, built, name, np.array(given, dtype), np.zeros(4, dtype))
            assert got == [expected] * 2, (name, given)
    zero = np.zeros(1, np.int64)
    assert outcomes(m, built, "number", 16, zero) == [[16]] * 2
    assert outcomes(m, built, "number", 12, zero) == ["assumption"] * 2
    assert outcomes(m, built, "pointer", 8, zero) == [[0]] * 2
    assert outcomes(m, built, "pointer", 2, zero) == ["assumption"] * 2
    assert outcomes(m, built, "pointer", 4, zero) == ["assumption"] * 2
