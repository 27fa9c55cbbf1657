entry @get_index_space_shape_0(%base: tile<ptr<f32>>) {
  %tensor_view = make_tensor_view %base,
      shape = [2, 2, 4], strides = [2, 2, 1]
      : tensor_view<2x2x4xf32, strides=[2,2,1]>
  %partition_view = make_partition_view %tensor_view :
    partition_view<tile=(2x2x4), tensor_view<2x2x4xf32, strides=[2,2,1]>>
  %dim0, %dim1, %dim2 = get_index_space_shape %partition_view :
    partition_view<tile=(2x2x4), tensor_view<2x2x4xf32, strides=[2,2,1]>> -> tile<i64>
  return
}
