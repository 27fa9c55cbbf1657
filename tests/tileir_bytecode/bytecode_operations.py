"""A module for every operation of Tile IR, as text, and the version of bytecode that it needs."""

from __future__ import annotations

from pycuda_tile import tileir

#: Values that the operations below use; everything here is in version 13.1.
_PRELUDE = """
  entry @{name}(%p: tile<ptr<f32>>, %q: tile<ptr<i32>>, %i: tile<i32>, %w: tile<i64>) {{
    %s = constant <f32: 1.5> : tile<f32>
    %c = constant <i1: true> : tile<i1>
    %f = constant <f32: [1.0, -2.5, 3.0, 0x7FC00000]> : tile<4xf32>
    %d = constant <f64: [1.0, -2.0]> : tile<2xf64>
    %h = constant <f16: [1.0, 2.0, 3.0, 4.0]> : tile<4xf16>
    %n = constant <i32: [1, -2, 3, 4]> : tile<4xi32>
    %b = constant <i8: [1, -2, 3, 4]> : tile<4xi8>
    %m = constant <i1: [true, false, true, true]> : tile<4xi1>
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %x = constant <f32: 0.0> : tile<16x16xf32>
    %k = constant <i8: 1> : tile<16x16xi8>
    %y = constant <i32: 0> : tile<16x16xi32>
    %t = make_token : token
    %P0 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %P1 = broadcast %P0 : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %P = offset %P1, %n : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
    %Q0 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
    %Q = broadcast %Q0 : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %T = make_tensor_view %p, shape = [64, %w], strides = [%w, 1]
      : tile<i64> -> tensor_view<64x?xf32, strides=[?,1]>
    %V = make_partition_view %T
      : partition_view<tile=(16x16), padding_value = nan, tensor_view<64x?xf32, strides=[?,1]>>
    {body}
    return
  }}
"""
_VIEW = "partition_view<tile=(16x16), padding_value = nan, tensor_view<64x?xf32, strides=[?,1]>>"
_TENSOR = "tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>"
_MANY = f"partition_view<tile=(16), {_TENSOR}>"
_MULTICAST = (
    "%A = int_to_ptr %w : tile<i64> -> tile<ptr<f32, <multicast>>>"
    f" %B = make_tensor_view %A, shape = [64], strides = [1] : {_TENSOR}"
    f" %M = make_partition_view %B : {_MANY}"
)
_FLOAT = (
    "absf",
    "ceil",
    "cos",
    "cosh",
    "exp2",
    "floor",
    "log",
    "log2",
    "negf",
    "rsqrt",
    "sin",
    "sinh",
    "tan",
)

#: Operations by name, and the version that they need.
OPERATIONS: dict[str, tuple[str, str]] = {
    **{name: (f"%r = {name} %f : tile<4xf32>", "13.1") for name in (*_FLOAT, "tanh", "exp", "sqrt")},
    **{
        name: (f"%r = {name} %f, %f : tile<4xf32>", "13.1")
        for name in ("addf", "divf", "fpowf", "maxf", "minf", "mulf", "remf", "subf")
    },
    **{
        name: (f"%r = {name} %n, %n : tile<4xi32>", "13.1")
        for name in ("addi", "andi", "muli", "mulhii", "ori", "shli", "subi", "xori")
    },
    **{
        name: (f"%r = {name} %n, %n signed : tile<4xi32>", "13.1")
        for name in ("divi", "maxi", "mini", "remi", "shri")
    },
    "flags": ("%r = addf %f, %f rounding<zero> flush_to_zero : tile<4xf32>", "13.1"),
    "all_flags": ("%r = maxf %f, %f flush_to_zero propagate_nan : tile<4xf32>", "13.1"),
    "overflow": ("%r = addi %n, %n overflow<no_signed_wrap> : tile<4xi32>", "13.1"),
    "round_up": ("%r = divi %n, %n unsigned rounding<positive_inf> : tile<4xi32>", "13.1"),
    "tanh_approx": ("%r = tanh %f rounding<approx> : tile<4xf32>", "13.2"),
    "exp_approx": ("%r = exp %f rounding<approx> : tile<4xf32>", "13.3"),
    "absi": ("%r = absi %n : tile<4xi32>", "13.1"),
    "negi": ("%r = negi %n : tile<4xi32>", "13.1"),
    "negi_overflow": ("%r = negi %n overflow<no_signed_wrap> : tile<4xi32>", "13.2"),
    "assert": ('assert %m, "not \\22so\\22" : tile<4xi1>', "13.1"),
    "assume": ("%r = assume div_by<16>, %w : tile<i64>", "13.1"),
    "assume_every": ("%r = assume div_by<4, every 2 along 0>, %n : tile<4xi32>", "13.1"),
    "assume_bounded": ("%r = assume bounded<-5, ?>, %i : tile<i32>", "13.1"),
    "assume_same": ("%r = assume same_elements<[2]>, %n : tile<4xi32>", "13.1"),
    "atan2": ("%r = atan2 %f, %f : tile<4xf32>", "13.2"),
    "atomic_cas_tko": (
        "%r, %u = atomic_cas_tko acq_rel device %Q, %n, %n, %m token=%t :"
        " tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> tile<4xi32>, token",
        "13.1",
    ),
    "atomic_rmw_tko": (
        "%r, %u = atomic_rmw_tko relaxed sys %P, addf, %f"
        " : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token",
        "13.1",
    ),
    "bitcast": ("%r = bitcast %f : tile<4xf32> -> tile<4xi32>", "13.1"),
    "cat": ("%r = cat %f, %f dim = 0 : tile<4xf32>, tile<4xf32> -> tile<8xf32>", "13.1"),
    "cmpf": ("%r = cmpf less_than unordered %f, %f : tile<4xf32> -> tile<4xi1>", "13.1"),
    "cmpi": ("%r = cmpi not_equal %n, %n, unsigned : tile<4xi32> -> tile<4xi1>", "13.1"),
    "exti": ("%r = exti %b unsigned : tile<4xi8> -> tile<4xi32>", "13.1"),
    "extract": ("%r = extract %n[%i] : tile<4xi32> -> tile<2xi32>", "13.1"),
    "fma": ("%r = fma %f, %f, %f rounding<negative_inf> : tile<4xf32>", "13.1"),
    "for": (
        "%r = for %j in (%i to %i, step %i) : tile<i32> iter_values(%v = %s) -> (tile<f32>) {"
        " %z = addf %v, %s : tile<f32>  continue %z : tile<f32> }",
        "13.1",
    ),
    "for_unsigned": ("for unsigned %j in (%i to %i, step %i) : tile<i32> { continue }", "13.2"),
    "ftof": ("%r = ftof %f : tile<4xf32> -> tile<4xf16>", "13.1"),
    "ftoi": ("%r = ftoi %f signed : tile<4xf32> -> tile<4xi32>", "13.1"),
    "ftoi_saturating": ("%r = ftoi %f signed saturating : tile<4xf32> -> tile<4xi32>", "13.4"),
    "get_global": ("%r = get_global @data : tile<ptr<f32>>", "13.1"),
    "get_index_space_shape": (f"%r:2 = get_index_space_shape %V : {_VIEW} -> tile<i32>", "13.1"),
    "get_num_tile_blocks": ("%r, %u, %v = get_num_tile_blocks : tile<i32>", "13.1"),
    "get_tensor_shape": (
        "%r:2 = get_tensor_shape %T : tensor_view<64x?xf32, strides=[?,1]> -> tile<i64>",
        "13.1",
    ),
    "get_tile_block_id": ("%r, %u, %v = get_tile_block_id : tile<i32>", "13.1"),
    "if": (
        "%r = if %c -> (tile<f32>) { yield %s : tile<f32> }"
        " else { %z = negf %s : tile<f32>  yield %z : tile<f32> }",
        "13.1",
    ),
    "if_alone": ("if %c { %u = make_token : token }", "13.1"),
    "int_to_ptr": ("%r = int_to_ptr %w : tile<i64> -> tile<ptr<f32>>", "13.1"),
    "iota": ("%r = iota : tile<8xi32>", "13.1"),
    "itof": ("%r = itof %n signed : tile<4xi32> -> tile<4xf32>", "13.1"),
    "join_tokens": ("%r = join_tokens %t, %t : token", "13.1"),
    "load_ptr_tko": ("%r, %u = load_ptr_tko weak %P : tile<4xptr<f32>> -> tile<4xf32>, token", "13.1"),
    "load_ptr_all": (
        "%r, %u = load_ptr_tko acquire sys %P, %m, %f token=%t optimization_hints = <sm_100 = {latency = 3}>"
        " : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token",
        "13.1",
    ),
    "load_view_tko": (
        f"%r, %u = load_view_tko weak %V[%i, %i] : {_VIEW}, tile<i32> -> tile<16x16xf32>, token",
        "13.1",
    ),
    "load_view_all": (
        "%r, %u = load_view_tko relaxed device %V[%i, %i] token = %t"
        " optimization_hints = <sm_100 = {allow_tma = false, latency = 3}>"
        f" : {_VIEW}, tile<i32> -> tile<16x16xf32>, token",
        "13.1",
    ),
    "load_view_inbounds": (
        "%r, %u = load_view_tko weak %V[%i, %i] inbounds = [true, false]"
        f" : {_VIEW}, tile<i32> -> tile<16x16xf32>, token",
        "13.4",
    ),
    "loop": (
        "%r = loop iter_values(%v = %i) : tile<i32> -> tile<f32> {"
        " if %c { break %s : tile<f32> } continue %v : tile<i32> }",
        "13.1",
    ),
    "make_tensor_view_dense": (
        "%r = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>",
        "13.1",
    ),
    "mmaf": ("%r = mmaf %a, %a, %x : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>", "13.1"),
    "mmaf_fast": (
        "%r = mmaf %a, %a, %x fast_acc : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>",
        "13.3",
    ),
    "mmai": (
        "%r = mmai %k, %k, %y signed unsigned : tile<16x16xi8>, tile<16x16xi8>, tile<16x16xi32>",
        "13.1",
    ),
    "permute": ("%r = permute %x [1, 0] : tile<16x16xf32> -> tile<16x16xf32>", "13.1"),
    "print_tko": ('%r = print_tko "%f %d\\0A", %s, %i : tile<f32>, tile<i32> -> token', "13.1"),
    "print_tko_token": ('%r = print_tko "." token=%t -> token', "13.2"),
    "print_tko_used": ('%r = print_tko "." -> token  %u = join_tokens %r, %t : token', "13.2"),
    "ptr_to_int": ("%r = ptr_to_int %P : tile<4xptr<f32>> -> tile<4xi64>", "13.1"),
    "ptr_to_ptr": ("%r = ptr_to_ptr %P : tile<4xptr<f32>> -> tile<4xptr<i8>>", "13.1"),
    "reduce": (
        "%r = reduce %f dim=0 identities=[0xFF800000 : f32] : tile<4xf32> -> tile<f32>"
        " (%l: tile<f32>, %o: tile<f32>) { %z = maxf %l, %o : tile<f32>  yield %z : tile<f32> }",
        "13.1",
    ),
    "reduce_many": (
        "%r:2 = reduce %d, %d dim=0 identities=[-1.0 : f64, 0.0 : f64] : tile<2xf64>, tile<2xf64>"
        " -> tile<f64>, tile<f64> (%l: tile<f64>, %o: tile<f64>, %v: tile<f64>, %g: tile<f64>)"
        " { %z = addf %l, %o : tile<f64>  yield %z, %v : tile<f64>, tile<f64> }",
        "13.1",
    ),
    "scan": (
        "%r = scan %n dim=0 reverse=true identities=[-1 : i32] : tile<4xi32> -> tile<4xi32>"
        " (%l: tile<i32>, %o: tile<i32>) { %z = addi %l, %o : tile<i32>  yield %z : tile<i32> }",
        "13.1",
    ),
    "select": ("%r = select %m, %f, %f : tile<4xi1>, tile<4xf32>", "13.1"),
    "store_ptr_tko": (
        "%u = store_ptr_tko weak %P, %f, %m : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> token",
        "13.1",
    ),
    "store_view_tko": (
        f"%u = store_view_tko release device %x, %V[%i, %i] token = %t : tile<16x16xf32>, {_VIEW}, tile<i32>"
        " -> token",
        "13.1",
    ),
    "trunci": ("%r = trunci %n overflow<no_wrap> : tile<4xi32> -> tile<4xi8>", "13.1"),
    "pack": ("%r = pack %f : tile<4xf32> -> tile<16xi8>", "13.3"),
    "unpack": ("%r = unpack %b : tile<4xi8> -> tile<2xf16>", "13.3"),
    "alloca": ("%r = alloca num_elem = 16, alignment = 128 : tile<ptr<f32>>", "13.3"),
    "mmaf_scaled": (
        "%l = constant <f8E4M3FN: 1.0> : tile<32x64xf8E4M3FN>"
        " %o = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>"
        " %v = constant <f8E8M0FNU: 1.0> : tile<32x2xf8E8M0FNU>"
        " %g = constant <f8E8M0FNU: 1.0> : tile<2x32xf8E8M0FNU>"
        " %z = constant <f32: 0.0> : tile<32x32xf32>"
        " %r = mmaf_scaled %l, %o, %z, %v, %g : tile<32x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<32x32xf32>,"
        " tile<32x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>",
        "13.3",
    ),
    "make_gather_scatter_view": (
        "%r = make_gather_scatter_view %T : gather_scatter_view<tile=(4x16), padding_value = zero,"
        " tensor_view<64x?xf32, strides=[?,1]>, sparse_dim=0>",
        "13.3",
    ),
    "make_strided_view": (
        "%r = make_strided_view %T : strided_view<tile=(16x16), traversal_strides=[8,1],"
        " tensor_view<64x?xf32, strides=[?,1]>, dim_map=[1, 0]>",
        "13.3",
    ),
    "atomic_red_view_tko": (
        f"%r = atomic_red_view_tko relaxed device %V[%i, %i], addf, %x : tile<16x16xf32>, {_VIEW}, tile<i32>"
        " -> token",
        "13.3",
    ),
    "atomic_red_view_inbounds": (
        "%r = atomic_red_view_tko relaxed device %V[%i, %i], addf, %x inbounds = [true, true]"
        f" : tile<16x16xf32>, {_VIEW}, tile<i32> -> token",
        "13.5",
    ),
    "insert": (
        "%z = constant <i32: 1> : tile<2xi32> %r = insert %z, %n[%i] : tile<2xi32>, tile<4xi32>",
        "13.4",
    ),
    "gdc_launch_dependents_tko": ("%r = gdc_launch_dependents_tko token = %t -> token", "13.4"),
    "gdc_wait_tko": ("%r = gdc_wait_tko -> token", "13.4"),
    "fpowi": ("%r = fpowi %f, %n : tile<4xf32>, tile<4xi32>", "13.4"),
    "memory_fence_alias_tko": ("%r = memory_fence_alias_tko %t", "13.4"),
    "multimem_load_reduce_view_tko": (
        f"{_MULTICAST} %r, %u = multimem_load_reduce_view_tko weak %M[%i]"
        f" : {_MANY}, tile<i32> -> tile<16xf32>, token",
        "13.5",
    ),
    "multimem_reduce_view_tko": (
        f"{_MULTICAST} %z = constant <f32: 1.0> : tile<16xf32>"
        f" %r = multimem_reduce_view_tko relaxed sys %M, %z[%i] token = %t"
        f" : {_MANY}, tile<16xf32>, tile<i32>, token -> token",
        "13.5",
    ),
    "multimem_store_view_tko": (
        f"{_MULTICAST} %z = constant <f32: 1.0> : tile<16xf32>"
        f" %r = multimem_store_view_tko weak %M, %z[%i] inbounds = [true]"
        f" : {_MANY}, tile<16xf32>, tile<i32> -> token",
        "13.5",
    ),
    "pointer_none": ("%r = int_to_ptr %w : tile<i64> -> tile<ptr<f32, <none>>>", "13.4"),
    "pointer_multicast": ("%r = int_to_ptr %w : tile<i64> -> tile<ptr<f32, <multicast>>>", "13.5"),
}


def module(*names: str) -> tileir.Module:
    """One entry for each name, and a global."""
    entries = [_PRELUDE.format(name=name, body=OPERATIONS[name][0]) for name in names]
    return tileir.parse("global @data alignment = 128 <f32: [1.0, 2.0]> : tile<2xf32>\n" + "".join(entries))
