entry @get_tensor_shape_0(%base: tile<ptr<f32>>) {
  %tensor_view = make_tensor_view %base, shape = [32, 32], strides = [32, 1]
      : tensor_view<32x32xf32, strides=[32,1]>
  %dim0, %dim1 = get_tensor_shape %tensor_view : tensor_view<32x32xf32, strides=[32,1]> -> tile<i64>
  return
}
