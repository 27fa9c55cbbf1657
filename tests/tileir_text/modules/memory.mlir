// Producer: by hand
// Memory: globals, pointers, views, tokens, atomics; strings and symbols that need quotes.
global @values alignment = 128 <f32: [0.1, 0.2, 0.3, 0.4]> : tile<4xf32>
global private constant @"odd name" <i8: 7> : tile<16xi8>
entry @pointers(%p: tile<ptr<f32>>, %q: tile<ptr<i32>>, %n: tile<i32>) optimization_hints=<sm_100 = {num_cta_in_cga = 8, occupancy = 2}, default = {num_cta_in_cga = 1}> {
  %g = get_global @values : tile<ptr<f32>>
  %h = get_global @"odd name" : tile<ptr<i8>>
  %one = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %ptrs = broadcast %one : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %iota = iota : tile<8xi32>
  %offset = offset %ptrs, %iota : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %mask = constant <i1: true> : tile<8xi1>
  %pad = constant <f32: -1.0> : tile<8xf32>
  %t0 = make_token : token
  %a, %t1 = load_ptr_tko weak %offset : tile<8xptr<f32>> -> tile<8xf32>, token
  %b, %t2 = load_ptr_tko weak %offset, %mask, %pad token=%t0 : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
  %c, %t3 = load_ptr_tko acquire device %offset, %mask token=%t1 optimization_hints = <sm_100 = {latency = 3}> : tile<8xptr<f32>>, tile<8xi1> -> tile<8xf32>, token
  %d, %t4 = load_ptr_tko relaxed sys %offset, %pad : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
  %t5 = join_tokens %t1, %t2, %t3, %t4 : token
  %t6 = store_ptr_tko weak %offset, %a : tile<8xptr<f32>>, tile<8xf32> -> token
  %t7 = store_ptr_tko release tl_blk %offset, %a, %mask token=%t5 optimization_hints = <sm_100 = {latency = 3}> : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
  %old, %t8 = atomic_rmw_tko relaxed device %offset, addf, %a : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
  %old1, %t9 = atomic_rmw_tko acq_rel sys %offset, xchg, %a, %mask token=%t8 : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
  %cas, %t10 = atomic_cas_tko acquire device %q, %n, %n token=%t9 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %flag = constant <i1: true> : tile<i1>
  %cas1, %t11 = atomic_cas_tko relaxed device %q, %n, %n, %flag : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
  assert %flag, "a \22quoted\22 word\0A" : tile<i1>
  %t12 = print_tko "none\0A" -> token
  %t13 = print_tko "%d %f", %n, %a token=%t12 : tile<i32>, tile<8xf32> -> token
  %local = alloca num_elem = 16, alignment = 128 : tile<ptr<f32>>
  %t14 = memory_fence_alias_tko %t13
  %t15 = gdc_wait_tko -> token
  %t16 = gdc_launch_dependents_tko token = %t15 -> token
  return
}
entry @views(%p: tile<ptr<f32>>, %n: tile<i32>, %m: tile<i64>) {
  %scalar = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
  %fixed = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
  %free = make_tensor_view %p, shape = [%n, 32], strides = [%n, 1] : tile<i32> -> tensor_view<?x32xf32, strides=[?,1]>
  %tiles = make_partition_view %free : partition_view<tile=(8x4), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>
  %a, %t0 = load_view_tko weak %tiles[%n, %n] : partition_view<tile=(8x4), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<8x4xf32>, token
  %t1 = store_view_tko release device %a, %tiles[%n, %n] token = %t0 optimization_hints = <sm_100 = {allow_tma = false, latency = 3}> inbounds = [true, false] : tile<8x4xf32>, partition_view<tile=(8x4), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
  %x, %y = get_index_space_shape %tiles : partition_view<tile=(8x4), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i64>
  %u, %v = get_tensor_shape %fixed : tensor_view<64x32xf32, strides=[32,1]> -> tile<i64>
  %steps = make_strided_view %fixed : strided_view<tile=(4x4), traversal_strides=[2,2], tensor_view<64x32xf32, strides=[32,1]>>
  %b, %t2 = load_view_tko weak %steps[%m, %m] inbounds = [false, true] : strided_view<tile=(4x4), traversal_strides=[2,2], tensor_view<64x32xf32, strides=[32,1]>>, tile<i64> -> tile<4x4xf32>, token
  %rows = make_gather_scatter_view %fixed : gather_scatter_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>, sparse_dim=0>
  %which = iota : tile<4xi32>
  %c, %t3 = load_view_tko weak %rows[%which, %n] : gather_scatter_view<tile=(4x8), tensor_view<64x32xf32, strides=[32,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
  %t4 = atomic_red_view_tko relaxed device %tiles[%n, %n], addf, %a token = %t3 : tile<8x4xf32>, partition_view<tile=(8x4), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
  return
}
