"""Kernels with matrix products for the tests of fused code."""

from __future__ import annotations

import re


def _view(name: str, base: str, sizes: list[str], tile: str, kind: str) -> tuple[str, str]:
    """The lines that make a view of tiles of a dense array, and its type."""
    strides = [" * ".join(sizes[d + 1 :]) for d in range(len(sizes))]
    lines, given = "", []
    for d, text in enumerate(strides[:-1]):
        factors = text.split(" * ")
        value = factors[0]
        for n, factor in enumerate(factors[1:]):
            lines += f"  %{name}_s{d}_{n} = muli {value}, {factor} : tile<i32>\n"
            value = f"%{name}_s{d}_{n}"
        given.append(value)
    tensor = f"tensor_view<{'?x' * len(sizes)}{kind}, strides=[{'?,' * len(given)}1]>"
    view = f"partition_view<tile=({tile}), padding_value = zero, {tensor}>"
    lines += f"  %{name}_t = make_tensor_view %{base}, shape = [{', '.join(sizes)}], "
    lines += f"strides = [{', '.join([*given, '1'])}] : tile<i32> -> {tensor}\n"
    return lines + f"  %{name} = make_partition_view %{name}_t : {view}\n", view


def product(
    name: str,
    m: int,
    n: int,
    k: int,
    *,
    kind: str = "f32",
    sums: str = "f32",
    batch: int = 0,
    transposed: str = "",
    shared: str = "",
    wider: str = "",
    start: str = "0.0",
    body: str = "",
    signs: tuple[str, str] = ("signed", "signed"),
) -> str:
    """c = a b by tiles of m x n, each with a loop along k in steps, for arrays of (batch x) rows x columns.

    transposed:  of "a" and "b", those that lie in memory the other way round
    shared:      of "a" and "b", those that have one matrix for all batches
    wider:       the type to which factors are converted first
    start:       what the sums begin with
    body:        further operations in the loop, after the product
    """
    batches = f"{batch}x" if batch else ""
    many, block = (["%batches"], ["%z"]) if batch else ([], [])

    def operand(which: str, rows: int, columns: int, sizes: list[str], index: list[str]) -> str:
        permutation = "[0, 2, 1]" if batch else "[1, 0]"
        turned, alone = which in transposed, which in shared
        first, lead, at = ("1x", ["%one"], ["%zero"]) if alone else (batches, many, block)
        shape = f"{first}{columns}x{rows}" if turned else f"{first}{rows}x{columns}"
        sizes, index = (sizes[::-1], index[::-1]) if turned else (sizes, index)
        view = _view(f"v_{which}", which, [*lead, *sizes], shape, kind)
        outside.append(view[0])
        lines = f"    %l_{which}, %t_{which} = load_view_tko weak %v_{which}[{', '.join([*at, *index])}] : "
        lines += f"{view[1]}, tile<i32> -> tile<{shape}x{kind}>, token\n"
        current = f"%l_{which}"
        if wider:
            lines += f"    %w_{which} = ftof {current} : tile<{shape}x{kind}> -> tile<{shape}x{wider}>\n"
            current = f"%w_{which}"
        if turned:
            to = f"{first}{rows}x{columns}x{wider or kind}"
            lines += f"    %p_{which} = permute {current} {permutation} : tile<{shape}x{wider or kind}> -> "
            lines += f"tile<{to}>\n"
            current = f"%p_{which}"
        if alone:
            to = f"{rows}x{columns}x{wider or kind}"
            lines += f"    %s_{which} = broadcast {current} : tile<1x{to}> -> tile<{batches}{to}>\n"
            current = f"%s_{which}"
        names.append(current)
        return lines

    outside: list[str] = []
    names: list[str] = []
    loads = operand("a", m, k, ["%m", "%k"], ["%y", "%s"]) + operand("b", k, n, ["%k", "%n"], ["%s", "%x"])
    stored = _view("v_c", "c", [*many, "%m", "%n"], f"{batches}{m}x{n}", sums)
    outside.append(stored[0])
    acc, factor = f"tile<{batches}{m}x{n}x{sums}>", wider or kind
    types = f"tile<{batches}{m}x{k}x{factor}>, tile<{batches}{k}x{n}x{factor}>, {acc}"
    operation = (
        f"mmai {names[0]}, {names[1]}, %acc {signs[0]} {signs[1]}"
        if sums == "i32"
        else (f"mmaf {names[0]}, {names[1]}, %acc")
    )
    value = start if sums != "i32" else str(int(float(start)))
    return f"""entry @{name}(%a: tile<ptr<{kind}>>, %b: tile<ptr<{kind}>>, %c: tile<ptr<{sums}>>,
  %batches: tile<i32>, %m: tile<i32>, %n: tile<i32>, %k: tile<i32>) {{
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %size = constant <i32: {k}> : tile<i32>
  %steps = divi %k, %size signed rounding<positive_inf> : tile<i32>
  %start = constant <{sums}: {value}> : {acc}
{"".join(outside)}  %sum = for %s in (%zero to %steps, step %one) : tile<i32>
      iter_values(%acc = %start) -> ({acc}) {{
{loads}    %next = {operation} : {types}
{body}    continue {"%last" if body else "%next"} : {acc}
  }}
  %t_c = store_view_tko weak %sum, %v_c[{", ".join([*block, "%y", "%x"])}] : {acc}, {stored[1]}, tile<i32>
    -> token
  return
}}
"""


def backwards(text: str) -> str:
    """A product whose loop begins with the last columns of a and rows of b."""
    first = text.index("    %l_a")
    last = "    %after = addi %s, %one : tile<i32>\n    %back = subi %steps, %after : tile<i32>\n"
    return (
        text[:first] + last + text[first:].replace("%y, %s]", "%y, %back]").replace("%s, %x]", "%back, %x]")
    )


def used_up(text: str) -> str:
    """A product whose loop overwrites what it has used of a."""
    view, tile = re.search(r"%v_a\[%y, %s\] : (.*), tile<i32> -> (tile<.*>), token", text).groups()
    more = f"""    %nine = constant <f32: 9.0> : {tile}
    %used = store_view_tko weak %nine, %v_a[%y, %s] : {tile}, {view}, tile<i32> -> token
"""
    return text.replace("    continue ", more + "    continue ")


def two_products(name: str = "two_products") -> str:
    """out = relu(x w) u + x for a tile of 32 x 32 rows of x, where all arrays are 32 x 32."""
    tensor = "tensor_view<32x32xf32, strides=[32,1]>"
    view, kind = f"partition_view<tile=(32x32), {tensor}>", "tile<32x32xf32>"
    views = "".join(
        f"  %t_{x} = make_tensor_view %{x}, shape = [32, 32], strides = [32, 1] : {tensor}\n"
        f"  %v_{x} = make_partition_view %t_{x} : {view}\n"
        for x in ("x", "w", "u", "out")
    )
    loads = "".join(
        f"  %{x}0, %l_{x} = load_view_tko weak %v_{x}[%zero, %zero] : {view}, tile<i32> -> {kind}, token\n"
        for x in ("x", "w", "u")
    )
    pointers = ", ".join(f"%{x}: tile<ptr<f32>>" for x in ("x", "w", "u", "out"))
    return f"""entry @{name}({pointers}) {{
  %zero = constant <i32: 0> : tile<i32>
{views}{loads}  %none = constant <f32: 0.0> : {kind}
  %p = mmaf %x0, %w0, %none : {kind}, {kind}, {kind}
  %floor = constant <f32: 0.0> : {kind}
  %r = maxf %p, %floor : {kind}
  %q = mmaf %r, %u0, %x0 : {kind}, {kind}, {kind}
  %e = store_view_tko weak %q, %v_out[%zero, %zero] : {kind}, {view}, tile<i32> -> token
  return
}}
"""


def stored_between(name: str = "stored_between") -> str:
    """The right factor is loaded before an array is stored that may be the same."""
    text = two_products(name)
    store = text[text.index("  %e = store") : text.index("  return")]
    early = store.replace("%e", "%early").replace("%q", "%x0")
    return text.replace("  %none = ", early + "  %none = ")


def _line(which: str, first: str, count: int, shape: str, limit: str) -> str:
    """Positions along an axis, which of them exist, and those that follow the last one from the first on."""
    return f"""    %i_{which} = iota : tile<{count}xi32>
    %j_{which} = reshape %i_{which} : tile<{count}xi32> -> tile<{shape}xi32>
    %f1_{which} = reshape {first} : tile<i32> -> tile<1x1xi32>
    %f2_{which} = broadcast %f1_{which} : tile<1x1xi32> -> tile<{shape}xi32>
    %at_{which} = addi %j_{which}, %f2_{which} : tile<{shape}xi32>
    %n1_{which} = reshape {limit} : tile<i32> -> tile<1x1xi32>
    %n2_{which} = broadcast %n1_{which} : tile<1x1xi32> -> tile<{shape}xi32>
    %is_{which} = cmpi less_than %at_{which}, %n2_{which}, signed : tile<{shape}xi32> -> tile<{shape}xi1>
    %again_{which} = remi %at_{which}, %n2_{which} signed : tile<{shape}xi32>
"""


def _tile_of_pointers(
    which: str,
    row: str,
    column: str,
    rows: int,
    columns: int,
    pitch: str,
    positions: tuple[str, str],
    kind: str = "f32",
) -> str:
    """Pointers to rows x columns elements, and the mask. `positions` says which of a line are taken."""
    whole = f"{rows}x{columns}"
    lines = f"    %p1_{which} = reshape {pitch} : tile<i32> -> tile<1x1xi32>\n"
    lines += f"    %p2_{which} = broadcast %p1_{which} : tile<1x1xi32> -> tile<{rows}x1xi32>\n"
    lines += f"    %r_{which} = muli %{positions[0]}_{row}, %p2_{which} : tile<{rows}x1xi32>\n"
    for to, source, one in (
        ("ra", f"%r_{which}", f"{rows}x1xi32"),
        ("ca", f"%{positions[1]}_{column}", f"1x{columns}xi32"),
        ("rm", f"%is_{row}", f"{rows}x1xi1"),
        ("cm", f"%is_{column}", f"1x{columns}xi1"),
    ):
        end = one.rpartition("x")[2]
        lines += f"    %{to}_{which} = broadcast {source} : tile<{one}> -> tile<{whole}x{end}>\n"
    return f"""{lines}    %o_{which} = addi %ra_{which}, %ca_{which} : tile<{whole}xi32>
    %m_{which} = andi %rm_{which}, %cm_{which} : tile<{whole}xi1>
    %b1_{which} = reshape %{which} : tile<ptr<{kind}>> -> tile<1x1xptr<{kind}>>
    %b2_{which} = broadcast %b1_{which} : tile<1x1xptr<{kind}>> -> tile<{whole}xptr<{kind}>>
    %q_{which} = offset %b2_{which}, %o_{which} : tile<{whole}xptr<{kind}>>, tile<{whole}xi32>
      -> tile<{whole}xptr<{kind}>>
"""


def pointer_product(
    name: str = "pointers", m: int = 16, n: int = 32, k: int = 16, advancing: bool = False, kind: str = "f32"
) -> str:
    """c = a b through tiles of pointers, with masks for what exists. If they are `advancing`, the loop
    carries the factors' pointers, and rows and columns behind the last are those from the first one on.
    Factors lie in memory as `kind`."""

    def load(which: str, pointers: str, mask: str, rows: int, columns: int) -> str:
        whole = f"{rows}x{columns}"
        name, converted = f"%l_{which}", ""
        if kind != "f32":
            name, converted = f"%k_{which}", f"    %l_{which} = ftof %k_{which} : "
            converted += f"tile<{whole}x{kind}> -> tile<{whole}xf32>\n"
        return f"""    %z_{which} = constant <{kind}: 0.0> : tile<{whole}x{kind}>
    {name}, %t_{which} = load_ptr_tko weak {pointers}, {mask}, %z_{which} : tile<{whole}xptr<{kind}>>,
      tile<{whole}xi1>, tile<{whole}x{kind}> -> tile<{whole}x{kind}>, token
{converted}"""

    def moved(which: str, by: str, rows: int, columns: int) -> str:
        whole = f"{rows}x{columns}"
        return f"""    %s1_{which} = reshape {by} : tile<i32> -> tile<1x1xi32>
    %s2_{which} = broadcast %s1_{which} : tile<1x1xi32> -> tile<{whole}xi32>
    %next_{which} = offset %now_{which}, %s2_{which} : tile<{whole}xptr<f32>>, tile<{whole}xi32>
      -> tile<{whole}xptr<f32>>
"""

    def along(first: str, limit: str) -> str:
        """The inner dimension."""
        return _line("ka", first, k, f"1x{k}", limit) + _line("kb", first, k, f"{k}x1", limit)

    def factors(at: str) -> str:
        left = _tile_of_pointers("a", "row", "ka", m, k, "%k", (at, "at"), kind)
        return left + _tile_of_pointers("b", "kb", "column", k, n, "%n", ("at", at), kind)

    acc, left, right = f"tile<{m}x{n}xf32>", f"tile<{m}x{k}xptr<f32>>", f"tile<{k}x{n}xptr<f32>>"
    lines = _line("row", "%row", m, f"{m}x1", "%m") + _line("column", "%column", n, f"1x{n}", "%n")
    if advancing:
        before = along("%zero", "%k") + factors("again")
        start, kinds = ", %now_a = %q_a, %now_b = %q_b", f", {left}, {right}"
        body = "    %left = subi %k, %depth : tile<i32>\n"
        for which, shape, whole in (("a", f"1x{k}", f"{m}x{k}"), ("b", f"{k}x1", f"{k}x{n}")):
            line = _line(f"in_{which}", "%zero", k, shape, "%left")
            body += (
                line + f"    %w_{which} = broadcast %is_in_{which} : tile<{shape}xi1> -> tile<{whole}xi1>\n"
            )
        body += load("a", "%now_a", "%w_a", m, k) + load("b", "%now_b", "%w_b", k, n)
        body += moved("a", "%tk", m, k) + "    %by = muli %tk, %n : tile<i32>\n" + moved("b", "%by", k, n)
        handed = ", %next_a, %next_b"
    else:
        before, start, kinds, handed = "", "", "", ""
        body = along("%depth", "%k") + factors("at")
        body += load("a", "%q_a", "%m_a", m, k) + load("b", "%q_b", "%m_b", k, n)
    return f"""entry @{name}(%a: tile<ptr<{kind}>>, %b: tile<ptr<{kind}>>, %c: tile<ptr<f32>>,
  %batches: tile<i32>, %m: tile<i32>, %n: tile<i32>, %k: tile<i32>) {{
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %tm = constant <i32: {m}> : tile<i32>
  %tn = constant <i32: {n}> : tile<i32>
  %tk = constant <i32: {k}> : tile<i32>
  %row = muli %y, %tm : tile<i32>
  %column = muli %x, %tn : tile<i32>
  %steps = divi %k, %tk signed rounding<positive_inf> : tile<i32>
  %start = constant <f32: 0.0> : {acc}
{lines}{before}
  %sum{":3" if advancing else ""} = for %s in (%zero to %steps, step %one) : tile<i32>
      iter_values(%acc = %start{start}) -> ({acc}{kinds}) {{
    %depth = muli %s, %tk : tile<i32>
{body}
    %next = mmaf %l_a, %l_b, %acc : tile<{m}x{k}xf32>, tile<{k}x{n}xf32>, {acc}
    continue %next{handed} : {acc}{kinds}
  }}
{_tile_of_pointers("c", "row", "column", m, n, "%n", ("at", "at"))}
  %e = store_ptr_tko weak %q_c, %sum{"#0" if advancing else ""}, %m_c : tile<{m}x{n}xptr<f32>>, {acc},
    tile<{m}x{n}xi1> -> token
  return
}}
"""


def scaled(name: str, batch: int = 0) -> str:
    """c = a b by tiles of 16 x 32, 64 along k, of fp8, with scales of 1/4 to 4 that differ."""
    lead = f"{batch}x" if batch else ""
    scale = "f8E8M0FNU"

    def constant(which: str, rows: int, columns: int) -> str:
        """Scales in which a row, a column or a matrix of a batch in the place of another would be seen."""
        one = [[2.0 ** ((3 * i + j) % 5 - 2) for j in range(columns)] for i in range(rows)]
        text = str([one] * batch if batch else one)
        return f"    %scale_{which} = constant <{scale}: {text}> : tile<{lead}{rows}x{columns}x{scale}>\n"

    text = product(name, 16, 32, 64, kind="f8E4M3FN", batch=batch)
    text = text.replace(
        "    %next = mmaf %l_a, %l_b, %acc :",
        "    %next = mmaf_scaled %l_a, %l_b, %acc, %scale_a, %scale_b :",
    )
    acc = f"tile<{lead}16x32xf32>"
    types = f"tile<{lead}16x2x{scale}>, tile<{lead}2x32x{scale}>"
    text = text.replace(f"f8E4M3FN>, {acc}\n", f"f8E4M3FN>, {acc}, {types}\n")
    scales = constant("a", 16, 2) + constant("b", 2, 32)
    return text.replace("    %next =", f"{scales}    %next =")


_MORE = "    %last = addf %next, %next : tile<16x32xf32>\n"
#: By name.
KERNELS = {
    "plain": product("plain", 32, 64, 32),
    "started": product("started", 16, 32, 512, start="2.5"),
    "turned": product("turned", 16, 32, 16, transposed="ab"),
    "narrow": product("narrow", 4, 8, 4, transposed="b"),
    "few_columns": product("few_columns", 16, 4, 32, start="2.5", transposed="a"),
    "few_halves": product("few_halves", 32, 2, 16, kind="f16"),
    "few_bytes": product("few_bytes", 16, 4, 32, kind="i8", sums="i32"),
    "one_column": product("one_column", 64, 1, 16),
    "one_row": product("one_row", 1, 64, 16, transposed="b"),
    "batched": product("batched", 8, 16, 16, batch=2, transposed="a"),
    "few_in_batches": product("few_in_batches", 32, 4, 16, batch=2),
    "one_for_all": product("one_for_all", 8, 16, 16, batch=2, shared="b", transposed="b"),
    "one_batch": product("one_batch", 16, 16, 32, batch=1, kind="f16", transposed="b"),
    "bfloats": product("bfloats", 32, 32, 64, kind="bf16"),
    "fp8": product("fp8", 16, 16, 16, kind="f8E4M3FN", wider="f16"),
    "turned_tiles": product("turned_tiles", 16, 32, 16, wider="tf32", transposed="ab"),
    "turned_batch": product("turned_batch", 8, 16, 16, batch=2, wider="tf32", transposed="b"),
    "doubles": product("doubles", 16, 16, 8, kind="f64", sums="f64"),
    "bytes": product("bytes", 16, 32, 32, kind="i8", sums="i32"),
    "mixed_bytes": product(
        "mixed_bytes", 16, 16, 64, kind="i8", sums="i32", transposed="b", signs=("unsigned", "signed")
    ),
    "started_bytes": product(
        "started_bytes", 16, 16, 64, kind="i8", sums="i32", start="-7", signs=("signed", "unsigned")
    ),
    "changed": product("changed", 16, 32, 32, body=_MORE),
    "bytes_of_tiles": product("bytes_of_tiles", 32, 32, 64, kind="i8", sums="i32", start="5"),
    "batched_bytes": product(
        "batched_bytes", 8, 16, 16, batch=2, kind="i8", sums="i32", signs=("unsigned", "unsigned")
    ),
    "long_bytes": product("long_bytes", 8, 16, 1024, kind="i8", sums="i32"),
    "halves": product("halves", 16, 32, 16, kind="f16", sums="f16", start="2048.0"),
    "halves_from_zero": product("halves_from_zero", 16, 32, 32, kind="f8E4M3FN", sums="f16"),
    "scaled": scaled("scaled"),
    "scaled_batch": scaled("scaled_batch", 2),
    "pointers": pointer_product(),
    "advancing": pointer_product("advancing", advancing=True),
    "wrapping": pointer_product("wrapping", advancing=True).replace(
        "%is_row = cmpi less_than", "%is_row = cmpi not_equal"
    ),
    "backwards": backwards(product("backwards", 16, 32, 16)),
    "deep_backwards": backwards(product("deep_backwards", 16, 32, 64)),
    "bytes_backwards": backwards(product("bytes_backwards", 16, 16, 32, kind="i8", sums="i32")),
    "used_up": used_up(product("used_up", 16, 32, 16)),
    "two_products": two_products(),
    "stored_between": stored_between(),
}

#: In C++.
REPEATED = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;

// Of a row of tiles x and a column of tiles w, so far as the block goes: out = the sum of all |x w(s)|, and
// power = x times all w(s).
__tile_global__ void repeated(const float* x, const float* w, float* out, float* power, int m, int k) {
  using tile = ct::tile<float, ct::shape<32, 32>>;
  ct::partition_view xs{ct::tensor_span{x, ct::extents{m, 32}}, ct::shape<32, 32>{}};
  ct::partition_view ws{ct::tensor_span{w, ct::extents{k, 64}}, ct::shape<32, 32>{}};
  ct::partition_view outs{ct::tensor_span{out, ct::extents{m, 64}}, ct::shape<32, 32>{}};
  ct::partition_view powers{ct::tensor_span{power, ct::extents{m, 64}}, ct::shape<32, 32>{}};
  int row = int(ct::bid().x), column = int(ct::bid().y);
  auto left = xs.load_masked(row, 0) + 0.0f;
  auto sum = ct::zeros<tile>(), product = left;
  for (int s : ct::irange(0, row + 1)) {
    sum = sum + ct::abs(ct::mma(left, ws.load_masked(s, column), ct::zeros<tile>()));
    product = ct::mma(product, ws.load_masked(s, column), ct::zeros<tile>());
  }
  outs.store_masked(sum, row, column);
  powers.store_masked(product, row, column);
}
"""
