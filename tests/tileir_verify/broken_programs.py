"""Programs that break rules of Tile IR, as text."""

from __future__ import annotations

from pycuda_tile import tileir

#: Values that the programs below use.
HEAD = """
global @numbers <i32: [1, 2]> : tile<2xi32>
entry @kernel(%p: tile<ptr<f32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {
  %c = constant <i1: 1> : tile<i1>
  %i = iota : tile<8xi32>
  %s = constant <i16: 1> : tile<8xi16>
  %l = constant <i64: 1> : tile<i64>
  %f = constant <f32: 1.0> : tile<8xf32>
  %h = constant <f16: 1.0> : tile<8xf16>
  %d = constant <f64: 1.0> : tile<8xf64>
  %m = constant <f32: 1.0> : tile<4x8xf32>
  %mh = constant <f16: 1.0> : tile<4x8xf16>
  %b = constant <i8: 1> : tile<8xi8>
  %i1 = constant <i1: 1> : tile<8xi1>
  %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %pp = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %t = make_token : token
  %tv = make_tensor_view %p, shape = [32, 16], strides = [16, 1] : tensor_view<32x16xf32, strides=[16,1]>
  %v = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<32x16xf32, strides=[16,1]>>
"""
VIEW = "partition_view<tile=(4x8), tensor_view<32x16xf32, strides=[16,1]>>"
TENSOR = "tensor_view<32x16xf32, strides=[16,1]>"
FIRST_LINE = HEAD.count("\n") + 1


def module(body: str) -> tileir.Module:
    return tileir.parse(HEAD + body + "\n  return\n}\n")


def fold(types: str, ends: str = "yield %a : tile<f32>", rest: str = "%a: tile<f32>, %e: tile<f32>") -> str:
    return f"%r = reduce %f dim=0 identities=[0.0 : f32] : {types}\n({rest}) {{\n{ends}\n}}"


MULTICAST = "%a = int_to_ptr %l : tile<i64> -> tile<ptr<f32, <multicast>>>\n"
FEW = "tensor_view<16xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>"
MANY = f"partition_view<tile=(8), {FEW}>"
MULTICAST_VIEW = (
    MULTICAST + f"%tvm = make_tensor_view %a, shape = [16], strides = [1] : {FEW}\n"
    f"%vm = make_partition_view %tvm : {MANY}\n"
)

BROKEN = [
    # operands and results that agree
    ("%r = select %c, %f, %f : tile<i1>, tile<8xf32>", "same_shape", "tile<i1>, tile<8xf32>"),
    ("%r = reshape %f : tile<8xf32> -> tile<8xi32>", "same_element", "tile<8xi32>"),
    ("%r = broadcast %p : tile<ptr<f32>> -> tile<8xptr<f32>>", "same_rank", "tile<ptr<f32>>"),
    ("%r = absi %f : tile<8xf32>", "kind", "a tile of integers"),
    ("%r = absf %i : tile<8xi32>", "kind", "tile<8xi32>"),
    ("%r = mmai %i, %i, %i signed signed : tile<8xi32>, tile<8xi32>, tile<8xi32>", "kind", "i8"),
    ("%r = iota : tile<2x4xi32>", "kind", "1 axes"),
    ("%r = addf %c, %c : tile<i1>", "kind", "f16, bf16, f32 or f64"),
    # modes
    ("%r = addf %f, %f rounding<approx> : tile<8xf32>", "rounding_mode", "approx"),
    ("%r = divi %i, %i signed rounding<nearest_even> : tile<8xi32>", "rounding", "nearest_even"),
    ("%r = divi %i, %i unsigned rounding<negative_inf> : tile<8xi32>", "floor_is_signed", "unsigned"),
    ("%r = negi %i overflow<no_unsigned_wrap> : tile<8xi32>", "overflow", "no_unsigned_wrap"),
    ("%r = addf %h, %h flush_to_zero : tile<8xf16>", "f32_only", "flush_to_zero with f16"),
    ("%r = sqrt %d rounding<approx> : tile<8xf64>", "f32_only", "approx with f64"),
    # conversions
    ("%r = bitcast %f : tile<8xf32> -> tile<8xi64>", "equal_width", "f32 to i64"),
    ("%r = exti %i signed : tile<8xi32> -> tile<8xi16>", "wider", "i32 to i16"),
    ("%r = exti %i signed : tile<8xi32> -> tile<8xi32>", "wider", "i32 to i32"),
    ("%r = trunci %s : tile<8xi16> -> tile<8xi32>", "narrower", "i16 to i32"),
    ("%r = ftof %f : tile<8xf32> -> tile<8xf32>", "other_element", "f32 to f32"),
    ("%r = ftof %f rounding<negative_inf> : tile<8xf32> -> tile<8xf16>", "ftof_rounding", "f32 to f16"),
    ("%r = ftof %f rounding<zero> : tile<8xf32> -> tile<8xf8E5M2>", "ftof_rounding", "zero"),
    # shapes
    ("%r = broadcast %f : tile<8xf32> -> tile<16xf32>", "broadcast_extents", "tile<16xf32>"),
    ("%r = cat %f, %f dim = 1 : tile<8xf32>, tile<8xf32> -> tile<16xf32>", "axis", "dim 1"),
    ("%r = cat %f, %f dim = 0 : tile<8xf32>, tile<8xf32> -> tile<32xf32>", "cat_extents", "tile<32xf32>"),
    ("%r = extract %f[%n] : tile<8xf32> -> tile<16xf32>", "slices_divide", "tile<16xf32> in tile<8xf32>"),
    ("%r = extract %m[%n] : tile<4x8xf32> -> tile<2x8xf32>", "index_per_axis", "1 indices"),
    ("%r = permute %m [0, 0] : tile<4x8xf32> -> tile<4x4xf32>", "permutation", "[0, 0]"),
    ("%r = permute %m [1, 0] : tile<4x8xf32> -> tile<4x8xf32>", "permutation", "[1, 0]"),
    ("%r = reshape %f : tile<8xf32> -> tile<4xf32>", "equal_count", "tile<4xf32>"),
    ("%r = pack %h : tile<8xf16> -> tile<8xi8>", "packed_length", "tile<8xi8>"),
    ("%r = pack %b : tile<8xi8> -> tile<8xi8>", "packed_length", "tile<8xi8>, tile<8xi8>"),
    ("%r = iota : tile<512xi8>", "iota_fits", "tile<512xi8>"),
    ("%r = iota : tile<12xi32>", "type_legal", "tile<12xi32>"),
    # products
    ("%r = mmaf %m, %m, %m : tile<4x8xf32>, tile<4x8xf32>, tile<4x8xf32>", "mma_shapes", "tile<4x8xf32>"),
    (
        "%k = constant <f32: 0.0> : tile<8x4xf32>\n%a = constant <f64: 0.0> : tile<4x4xf64>\n"
        "%r = mmaf %m, %k, %a : tile<4x8xf32>, tile<8x4xf32>, tile<4x4xf64>",
        "mma_types",
        "f32 summed to f64",
    ),
    # memory
    (
        "%r, %u = load_ptr_tko weak %pp : tile<8xptr<f32>> -> tile<8xi32>, token",
        "points_to",
        "tile<8xi32>",
    ),
    ("%r, %u = load_ptr_tko release device %p : tile<ptr<f32>> -> tile<f32>, token", "ordering", "release"),
    ("%r, %u = load_ptr_tko weak device %p : tile<ptr<f32>> -> tile<f32>, token", "scope", "weak with scope"),
    ("%r, %u = load_ptr_tko relaxed %p : tile<ptr<f32>> -> tile<f32>, token", "scope", "without scope"),
    ("%u = store_ptr_tko acquire device %pp, %f : tile<8xptr<f32>>, tile<8xf32> -> token", "ordering", "acq"),
    (
        "%r, %u = atomic_rmw_tko relaxed device %pp, add, %f : tile<8xptr<f32>>, tile<8xf32> "
        "-> tile<8xf32>, token",
        "rmw_types",
        "add of f32",
    ),
    ("%r = get_global @letters : tile<ptr<i32>>", "global_exists", "@numbers"),
    ("%r = get_global @numbers : tile<ptr<f32>>", "global_exists", "tile<2xi32>"),
    ("%r = join_tokens %t : token", "two_tokens", "1"),
    ("%r = alloca num_elem = 4, alignment = 3 : tile<ptr<f32>>", "alloca_numbers", "4 and alignment 3"),
    (
        MULTICAST + "%r, %u = load_ptr_tko weak %a : tile<ptr<f32, <multicast>>> -> tile<f32>, token",
        "no_multicast",
        "source must not be of multicast memory; found tile<ptr<f32, <multicast>>>",
    ),
    (
        MULTICAST + "%r = make_tensor_view %a, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>",
        "points_to_tensor",
        "<multicast>",
    ),
    (
        MULTICAST_VIEW + f"%u = store_view_tko weak %f, %vm[%n] : tile<8xf32>, {MANY}, tile<i32> -> token",
        "no_multicast",
        "view must not be of multicast memory",
    ),
    (
        MULTICAST_VIEW + "%u = multimem_reduce_view_tko relaxed sys %vm, %f[%n] "
        "attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} "
        f": {MANY}, tile<8xf32>, tile<i32> -> token",
        "multimem_types",
        "max of f32",
    ),
    (
        "%tvm = make_tensor_view %p, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>\n"
        "%vm = make_partition_view %tvm : partition_view<tile=(8), tensor_view<16xf32, strides=[1]>>\n"
        "%r, %u = multimem_load_reduce_view_tko weak %vm[%n] : partition_view<tile=(8), "
        "tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token",
        "multicast",
        "tensor_view<16xf32, strides=[1]>",
    ),
    # views
    ("%r = get_tensor_shape %tv : " + TENSOR + " -> tile<i32>", "result_per_axis", "1 results"),
    (f"%r, %u = load_view_tko weak %v[%n] : {VIEW}, tile<i32> -> tile<4x8xf32>, token",
     "view_index", "1 ind"),
    (f"%r, %u = load_view_tko weak %v[%n, %n] : {VIEW}, tile<i32> -> tile<8x4xf32>, token",
     "view_tile", "8x4"),
    (
        f"%r, %u = load_view_tko weak %v[%n, %n] inbounds = [true] : {VIEW}, tile<i32> "
        "-> tile<4x8xf32>, token",
        "inbounds_length",
        "1 entries",
    ),
    (
        "%r = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<8x8xf32, strides=[8,1]>>",
        "view_of_tensor",
        "tensor_view<8x8xf32",
    ),
    (
        "%r = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>",
        "points_to_tensor",
        "tile<ptr<f32>>",
    ),
    (
        "%w = make_tensor_view %q, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>\n"
        "%r = make_partition_view %w : partition_view<tile=(4), padding_value = nan, "
        "tensor_view<4xi32, strides=[1]>>",
        "partition",
        "nan",
    ),
    # assumptions and prints
    ("%r = assume bounded<3, 2>, %i : tile<8xi32>", "predicate_fits", "tile<8xi32>"),
    ("%r = assume bounded<0, 128>, %b : tile<8xi8>", "predicate_fits", "tile<8xi8>"),
    ("%r = assume bounded<0, 1>, %f : tile<8xf32>", "predicate_fits", "tile<8xf32>"),
    ("%r = assume div_by<3>, %i : tile<8xi32>", "predicate_fits", "3"),
    ("%r = assume div_by<4, every 2 along 1>, %i : tile<8xi32>", "predicate_fits", "along"),
    ("%r = assume same_elements<[2, 2]>, %i : tile<8xi32>", "predicate_fits", "(2, 2)"),
    ('%r = print_tko "%d %d", %n : tile<i32> -> token', "format_count", "2 expressions for 1"),
    # control flow
    ("if %c {\nbreak\n}", "in_loop", "the entry"),
    ("for %k in (%n to %n, step %n) : tile<i32> {\nif %c {\nbreak\n}\n}", "in_loop", "for"),
    ("if %c {\ncontinue\n}", "in_loop_or_for", "the entry"),
    ("for %k in (%n to %n, step %n) : tile<i32> {\nif %c {\nreturn\n}\n}", "in_entry", "for"),
    ("%r = loop : tile<i32> {\nbreak %f : tile<8xf32>\n}", "break_types", "tile<8xf32>"),
    (
        "%r = for %k in (%n to %n, step %n) : tile<i32> iter_values(%a = %n) -> (tile<i32>) "
        "{\ncontinue %f : tile<8xf32>\n}",
        "continue_types",
        "tile<8xf32>",
    ),
    (
        "%r = if %c -> (tile<i32>) {\nyield %n : tile<i32>\n} else {\nyield %f : tile<8xf32>\n}",
        "yield_types",
        "tile<8xf32>",
    ),
    ("%r = if %c -> (tile<i32>) {\nyield %n : tile<i32>\n}", "if_regions", "no region for else"),
    (f"%r = if %c -> ({TENSOR}) {{\nyield %tv : {TENSOR}\n}} else {{\nyield %tv : {TENSOR}\n}}",
     "results_no_view", TENSOR),
    (f"loop iter_values(%a = %tv) : {TENSOR} {{\nbreak\n}}", "carried_no_view", TENSOR),
    ("if %i1 {\n}", "kind", "0 axes"),
    # reductions and scans
    (fold("tile<8xf32> -> tile<8xf32>"), "fold_results", "tile<f32> is expected"),
    (fold("tile<8xf32> -> tile<f32>").replace("dim=0", "dim=1"), "axis", "dim 1"),
    (fold("tile<8xf32> -> tile<f32>").replace("0.0 : f32", "0 : i32"), "fold_identities", "i32"),
    (fold("tile<8xf32> -> tile<f32>").replace("[0.0 : f32]", "[]"), "fold_identities", "none for f32"),
    (
        fold("tile<8xf32> -> tile<f32>", rest="%a: tile<f32>, %e: tile<8xf32>"),
        "fold_body",
        "tile<f32>, tile<8xf32>",
    ),
    (fold("tile<8xf32> -> tile<f32>", "yield %n : tile<i32>"), "yield_types", "tile<i32>"),
    (fold("tile<8xf32> -> tile<f32>", "return"), "fold_body", "return"),
    (fold("tile<8xf32> -> tile<8xf32>").replace("reduce", "scan").replace(" ident", " reverse=false ident")
     .replace("-> tile<8xf32>", "-> tile<f32>"), "scan_results", "tile<8xf32> is expected"),
]  # fmt: skip
