"""What NVIDIA's tools 13.5 accept and reject, in addition to broken_programs.py: operations as text, each
wrong one with a similar valid one. The values that they use are those of HEAD."""

from __future__ import annotations

from pycuda_tile import tileir

_ELEMENTS = (
    "i8",
    "i16",
    "i32",
    "i64",
    "f16",
    "bf16",
    "f32",
    "tf32",
    "f64",
    "f8E4M3FN",
    "f8E5M2",
    "f8E8M0FNU",
)
_ALL = ("i1", *_ELEMENTS, "f4E2M1FN")


def _constants() -> str:
    """%i8 is a tile of 2 x i8, and so on."""
    value = {name: "0" if name[0] == "i" else "1.0" for name in _ALL}
    return "".join(f"%{name} = constant <{name}: {value[name]}> : tile<2x{name}>\n" for name in _ALL)


_VIEW = "partition_view<tile=(4x8), tensor_view<32x16xf32, strides=[16,1]>>"
_STRIDED = "strided_view<tile=(4x8), traversal_strides=[2,2], tensor_view<32x16xf32, strides=[16,1]>>"
_GATHER = "gather_scatter_view<tile=(4x8), tensor_view<32x16xf32, strides=[16,1]>, sparse_dim=0>"
_FEW = "tensor_view<16xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>"
_STEPS = f"strided_view<tile=(8), traversal_strides=[2], {_FEW}>"
HEAD = f"""
global @numbers <i32: [1, 2]> : tile<2xi32>
entry @NAME(%p: tile<ptr<f32>>, %n: tile<i32>, %l: tile<i64>, %c: tile<i1>) {{
{_constants()}
%x = constant <f32: 1.0> : tile<8xf32>
%m = constant <f32: 1.0> : tile<4x8xf32>
%w = constant <i32: 1> : tile<16xi32>
%e = constant <i8: 1> : tile<2x4xi8>
%i4 = trunci %i8 : tile<2xi8> -> tile<2xi4>
%t = make_token : token
%p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
%pp = broadcast %p1 : tile<1xptr<f32>> -> tile<2xptr<f32>>
%tv = make_tensor_view %p, shape = [32, 16], strides = [16, 1] : tensor_view<32x16xf32, strides=[16,1]>
%v = make_partition_view %tv : {_VIEW}
%sv = make_strided_view %tv : {_STRIDED}
%gv = make_gather_scatter_view %tv : {_GATHER}
%g = constant <i32: 1> : tile<4xi32>
%g8 = constant <i8: 1> : tile<4xi8>
%mp = int_to_ptr %l : tile<i64> -> tile<ptr<f32, <multicast>>>
%mt = make_tensor_view %mp, shape = [16], strides = [1] : {_FEW}
"""


def module(*bodies: str) -> tileir.Module:
    """A module with an entry for each operation."""
    head, entry = HEAD.split("entry", 1)
    entries = [f"entry{entry.replace('NAME', f'k{i}')}{body}\nreturn\n}}\n" for i, body in enumerate(bodies)]
    return tileir.parse(head + "".join(entries))


def fold(body: str, name: str = "reduce") -> str:
    """A reduction or a scan with the given body."""
    extra, result = ("", "tile<f32>") if name == "reduce" else (" reverse=false", "tile<8xf32>")
    return (
        f"%r = {name} %x dim=0{extra} identities=[0.0 : f32] : tile<8xf32> -> {result}\n"
        f"(%a: tile<f32>, %b: tile<f32>) {{\n{body}\nyield %a : tile<f32>\n}}"
    )


def ftof(source: str, rounding: str, result: str) -> str:
    return f"%r = ftof %{source} rounding<{rounding}> : tile<2x{source}> -> tile<2x{result}>"


def scaled(small: str, by: str, block: int, other: str = "", rows: int = 0, block_of_rhs: int = 0) -> str:
    """mmaf_scaled on 16 x 64 and 64 x 16 elements."""
    rhs, counts = other or small, (64 // block, 64 // (block_of_rhs or block))
    tiles = {
        "a": (16, 64, small),
        "b": (64, 16, rhs),
        "z": (16, 16, "f32"),
        "y": (rows or 16, counts[0], by),
        "k": (counts[1], 16, by),
    }
    text, types = "", []
    for name, (height, width, element) in tiles.items():
        types.append(f"tile<{height}x{width}x{element}>")
        text += f"%{name} = constant <{element}: 1.0> : {types[-1]}\n"
    return text + f"%r = mmaf_scaled %a, %b, %z, %y, %k : {', '.join(types)}"


def red(view: str, kind: str, how: str = "relaxed device", mode: str = "addf", index: str = "%n, %n") -> str:
    types = f"tile<4x8xf32>, {kind}, {'tile<4xi32>, ' if '%g' in index else ''}tile<i32>"
    return f"%u = atomic_red_view_tko {how} {view}[{index}], {mode}, %m : {types} -> token"


def alloca(element: str, alignment: int) -> str:
    return f"%r = alloca num_elem = 4, alignment = {alignment} : tile<ptr<{element}>>"


def same(groups: str, of: str = "%w", type_: str = "16xi32") -> str:
    return f"%r = assume {groups}, {of} : tile<{type_}>"


def tensor(extents: str, strides: str) -> str:
    return (
        f"%r = make_tensor_view %p, shape = [{extents}], strides = [{strides}] : "
        f"tensor_view<{extents.replace(', ', 'x')}xf32, strides=[{strides}]>"
    )


def printed(text: str, *values: str) -> str:
    operands = "".join(f", %{name}" for name in values)
    types = ", ".join("tile<i32>" if name == "n" else f"tile<2x{name}>" for name in values)
    return f'%r = print_tko "{text}"{operands}{" : " + types if types else ""} -> token'


_GATHERED = "%r, %u = load_view_tko weak %gv[{}, %n] : " + _GATHER + ", {}, tile<i32> -> tile<4x8xf32>, token"
_SCALAR = "tensor_view<f32>"


def halves(strides: str, sparse: int | None = None) -> str:
    """A load of 4 x 4 elements of four bits."""
    tensor = f"tensor_view<8x16xf4E2M1FN, strides=[{strides.replace(' ', '')}]>"
    kind = "partition" if sparse is None else "gather_scatter"
    view = f"{kind}_view<tile=(4x4), {tensor}{'' if sparse is None else f', sparse_dim={sparse}'}>"
    index, types = ["%n", "%n"], ["tile<i32>"]
    if sparse is not None:
        index[sparse], types = "%g", ["tile<i32>", "tile<4xi32>"]
        types = types if sparse else types[::-1]
    return (
        "%h = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f4E2M1FN>>\n"
        f"%ht = make_tensor_view %h, shape = [8, 16], strides = [{strides}] : {tensor}\n"
        f"%hv = make_{kind}_view %ht : {view}\n"
        f"%r, %u = load_view_tko weak %hv[{', '.join(index)}] : {view}, {', '.join(types)}"
        " -> tile<4x4xf4E2M1FN>, token"
    )


_RANK0 = "%z = make_tensor_view %p, shape = [], strides = [] : " + _SCALAR

RIGHT = [
    # prints
    *(printed("%d", element) for element in (*_ALL, "i4")),
    '%r = print_tko "%p", %pp : tile<2xptr<f32>> -> token',
    *(printed(form, "n") for form in ("%*d", "%.*d", "%5.3f", "%lld", "%d%%", "%5.5.5d", "%!d")),
    printed("100%%"),
    printed("% %d", "n", "n"),
    # conversions
    "%r = exti %i4 signed : tile<2xi4> -> tile<2xi8>",
    "%r = exti %i1 unsigned : tile<2xi1> -> tile<2xi4>",
    "%r = trunci %i64 : tile<2xi64> -> tile<2xi4>",
    *(ftof("f64", rounding, "f32") for rounding in ("nearest_even", "zero", "negative_inf", "positive_inf")),
    *(ftof("f16", rounding, "f32") for rounding in ("nearest_away", "negative_inf")),
    ftof("f32", "nearest_away", "tf32"),
    ftof("f32", "zero", "tf32"),
    ftof("tf32", "nearest_away", "f32"),
    ftof("f8E8M0FNU", "zero", "f32"),
    ftof("f8E5M2", "positive_inf", "f8E8M0FNU"),
    ftof("f8E8M0FNU", "positive_inf", "f64"),
    "%r = itof %i32 signed : tile<2xi32> -> tile<2xf8E4M3FN>",
    "%r = pack %tf32 : tile<2xtf32> -> tile<8xi8>",
    # reductions and scans
    *(fold(body, name) for name in ("reduce", "scan") for body in (
        "%y = make_token : token",
        "%y = sin %a : tile<f32>",
        "if %c {\n}",
        "%y = divi %n, %n signed : tile<i32>",
        "%y, %z = get_tensor_shape %tv : tensor_view<32x16xf32, strides=[16,1]> -> tile<i32>",
    )),
    # shapes and types
    "%r = permute %e [1, 0] : tile<2x4xi8> -> tile<4x2xi8>",
    "%r = extract %x[%n] : tile<8xf32> -> tile<4xf32>",
    "%r = select %i1, %f8E5M2, %f8E5M2 : tile<2xi1>, tile<2xf8E5M2>",
    "%r = select %i1, %i4, %i4 : tile<2xi1>, tile<2xi4>",
    "%r = reshape %f4E2M1FN : tile<2xf4E2M1FN> -> tile<2x1xf4E2M1FN>",
    "%r = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f4E2M1FN>>",
    "%r = ptr_to_ptr %pp : tile<2xptr<f32>> -> tile<2xptr<i1>>",
    "%r = fpowi %f32, %i8 : tile<2xf32>, tile<2xi8>",
    tensor("3", "1"),
    _RANK0,
    "%r = make_partition_view %tv : partition_view<tile=(1x1), tensor_view<32x16xf32, strides=[16,1]>>",
    # assumptions
    *(same(f"same_elements<[{n}]>") for n in (1, 5, 16)),
    same("same_elements<[2, 4]>", "%e", "2x4xi8"),
    same("bounded<-8, 7>", "%i4", "2xi4"),
    same("div_by<4611686018427387904>", "%i64", "2xi64"),
    # memory
    *(alloca(*pair) for pair in (("i8", 1), ("f16", 2), ("tf32", 4), ("f64", 8), ("f32", 1 << 20))),
    red("%v", _VIEW),
    red("%v", _VIEW, "relaxed tl_blk"),
    red("%sv", _STRIDED),
    _GATHERED.format("%g", "tile<4xi32>"),
    _GATHERED.format("%g8", "tile<4xi8>"),
    halves("16, 1"),
    halves("1, 15"),
    halves("16, 1", sparse=0),
    # products
    scaled("f8E4M3FN", "f8E8M0FNU", 32),
    scaled("f8E5M2", "f8E8M0FNU", 32),
    *(scaled("f4E2M1FN", by, n) for by, n in (
        ("f8E8M0FNU", 16), ("f8E8M0FNU", 32), ("f8E4M3FN", 16), ("fnv8E5M3FNU", 16), ("fnv8E5M3FNU", 32))),
]  # fmt: skip

#: Wrong operations, with the rule that they break and a part of the message.
WRONG = [
    # prints
    (printed("%"), "format_count", "1 expressions for 0"),
    (printed("%d%", "n", "n"), "format_ends", "found '%'"),
    (printed("%y", "n"), "format_ends", "must end in one of printf's letters; found '%y'"),
    (printed("%*d", "n", "n"), "format_count", "1 expressions for 2"),
    (printed("% %d", "n"), "format_count", "2 expressions for 1"),
    ('%r = print_tko "%d", %tv : tensor_view<32x16xf32, strides=[16,1]> -> token', "kind", "tensor_view"),
    # conversions
    (ftof("f32", "nearest_away", "f16"), "ftof_rounding", "nearest_away from f32 to f16"),
    (ftof("f64", "nearest_away", "f32"), "ftof_rounding", "nearest_away from f64 to f32"),
    (ftof("f8E8M0FNU", "negative_inf", "f32"), "ftof_rounding", "from f8E8M0FNU to f32"),
    (ftof("f4E2M1FN", "zero", "f8E5M2"), "ftof_rounding", "zero from f4E2M1FN to f8E5M2"),
    (ftof("f32", "positive_inf", "tf32"), "ftof_rounding", "positive_inf"),
    ("%r = itof %i32 signed : tile<2xi32> -> tile<2xf8E8M0FNU>", "kind", "any format except f8E8M0FNU"),
    ("%r = addi %i4, %i4 : tile<2xi4>", "kind", "a tile of integers"),
    ("%r = pack %tf32 : tile<2xtf32> -> tile<4xi8>", "packed_length", "tile<4xi8>"),
    ("%r = constant <i4: 1> : tile<2xi4>", "kind", "a tile of numbers of any type except i4"),
    # reductions and scans
    *((fold(body, name), "no_fold", f"it in {name}") for name in ("reduce", "scan") for body in (
        "%y, %u = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token",
        "%y = assume bounded<0, 1>, %n : tile<i32>",
    )),
    *((fold(body), "no_fold", "it in reduce") for body in (
        "%u = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token",
        "%y, %u = atomic_rmw_tko relaxed device %p, addf, %a : tile<ptr<f32>>, tile<f32> -> tile<f32>, token",
        '%u = print_tko "%f", %a : tile<f32> -> token',
        'assert %c, "no" : tile<i1>',
        alloca("f32", 4).replace("%r", "%y"),
        "for %k in (%n to %n, step %n) : tile<i32> {\n}",
        "loop {\nbreak\n}",
        "if %c {\n%u = gdc_wait_tko -> token\n}",
        f"%y, %u = load_view_tko weak %v[%n, %n] : {_VIEW}, tile<i32> -> tile<4x8xf32>, token",
        "%u = memory_fence_alias_tko %t",
    )),
    # shapes and types
    ("%r = permute %x [0] : tile<8xf32> -> tile<8xf32>", "permutation", "at least two axes"),
    ("%r = permute %n [] : tile<i32> -> tile<i32>", "permutation", "there are 0 axes"),
    ("%r = extract %x[%l] : tile<8xf32> -> tile<4xf32>", "kind", "a tile of i32 with 0 axes"),
    ("%r = insert %f32, %x[%l] : tile<2xf32>, tile<8xf32>", "kind", "a tile of i32 with 0 axes"),
    ("%r = select %i1, %f4E2M1FN, %f4E2M1FN : tile<2xi1>, tile<2xf4E2M1FN>", "no_f4", "tile<2xf4E2M1FN>"),
    ("%r = constant <f4E2M1FN: 1.0> : tile<f4E2M1FN>", "type_legal", "two f4E2M1FN share a byte"),
    ("%r = constant <f4E2M1FN: 1.0> : tile<1x1xf4E2M1FN>", "type_legal", "two f4E2M1FN share a byte"),
    ("%r = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<ptr<f32>>>", "type_legal", "memory must hold numbers"),
    ("%r = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i4>>", "type_legal", "of any type except i4"),
    ("%r = ptr_to_ptr %pp : tile<2xptr<f32>> -> tile<2xptr<f4E2M1FN>>", "type_legal", "a tile without axes"),
    ("%r = fpowi %f32, %i64 : tile<2xf32>, tile<2xi64>", "kind", "a tile of i1, i8, i16 or i32"),
    (tensor("0", "1"), "type_legal", "<0xf32, strides=[1]>, but extents and strides must be positive"),
    (tensor("3", "0"), "type_legal", "extents and strides must be positive"),
    (_RANK0 + f"\n%r = make_partition_view %z : partition_view<tile=(), {_SCALAR}>", "type_legal", "axis"),
    (_RANK0 + f"\n%r = make_strided_view %z : strided_view<tile=(), traversal_strides=[], {_SCALAR}>",
     "type_legal", "a view must have at least one axis"),
    # assumptions
    (same("same_elements<[24]>"), "predicate_fits", "a number from 1 to its extent"),
    (same("same_elements<[4, 2]>", "%e", "2x4xi8"), "predicate_fits", "(4, 2)"),
    (same("bounded<-8, 8>", "%i4", "2xi4"), "predicate_fits", "upper=8"),
    # memory
    *((alloca(*pair), "alloca_numbers", f"alignment {pair[1]} for {pair[0]}")
      for pair in (("f16", 1), ("tf32", 2), ("f64", 4), ("i32", 2))),
    (red("%v", _VIEW, mode="xchg"), "rmw_types", "found xchg"),
    (red("%v", _VIEW, "relaxed sys"), "scope_of", "scope must be one of tl_blk, device; found sys"),
    (red("%v", _VIEW, "release device"), "ordering", "must be one of relaxed; found release"),
    (red("%gv", _GATHER, index="%g, %n"), "view_kind", "gather_scatter_view"),
    (f"%mv = make_strided_view %mt : {_STEPS}\n"
     f"%u = multimem_store_view_tko weak %mv, %x[%n] : {_STEPS}, tile<8xf32>, tile<i32> -> token",
     "view_kind", "the view must be one of partition_view"),
    (f"%u = multimem_store_view_tko weak %v, %m[%n, %n] : {_VIEW}, tile<4x8xf32>, tile<i32> -> token",
     "multicast", "strides=[16,1]"),
    *((halves(*arguments), "packed_axis", "two f4E2M1FN share a byte along the axis of stride 1")
      for arguments in (("1, 1",), ("16, 2",), ("16, 1", 1), ("1, 8", 0))),
    # products
    (scaled("f8E4M3FN", "f8E8M0FNU", 32, other="f8E5M2"), "same_element", "must have the same element type"),
    (scaled("f8E4M3FN", "f8E4M3FN", 16), "scale_types", "f8E4M3FN scaled by f8E4M3FN"),
    (scaled("f8E5M2", "fnv8E5M3FNU", 32), "scale_types", "f8E5M2 scaled by fnv8E5M3FNU"),
    *((scaled(small, by, n), "scale_shapes", "along K one for each block")
      for small, by, n in (
          ("f8E4M3FN", "f8E8M0FNU", 16), ("f4E2M1FN", "f8E4M3FN", 32), ("f4E2M1FN", "f8E8M0FNU", 64))),
    (scaled("f8E4M3FN", "f8E8M0FNU", 32, rows=8), "scale_shapes", "tile<8x2xf8E8M0FNU>"),
    (scaled("f4E2M1FN", "f8E8M0FNU", 16, block_of_rhs=32), "scale_shapes", "tile<2x16xf8E8M0FNU>"),
]  # fmt: skip

#: What NVIDIA's tools accept and we do not: chapter 8 divides an axis into groups of at least one element.
STRICTER = [
    (same("same_elements<[0]>"), "predicate_fits"),
    (same("div_by<4, every 0 along 0>"), "predicate_fits"),
]
