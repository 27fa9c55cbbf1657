// examples/matmul.cu in Tile IR: c = a b, with a of m x k, b of k x n and c of m x n floats, tiles of 64 x 64.
entry @matmul(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %k: tile<i32>) {
  %column, %row, %depth = get_tile_block_id : tile<i32>
  %a_tensor = make_tensor_view %a, shape = [%m, %k], strides = [%k, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %b_tensor = make_tensor_view %b, shape = [%k, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %c_tensor = make_tensor_view %c, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %a_view = make_partition_view %a_tensor : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
  %b_view = make_partition_view %b_tensor : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
  %c_view = make_partition_view %c_tensor : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>
  %first = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %tile_k = constant <i32: 64> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %steps = divi %k, %tile_k signed rounding<positive_inf> : tile<i32>
  %sum = for %step in (%first to %steps, step %one) : tile<i32> iter_values(%partial = %zeros) -> (tile<64x64xf32>) {
    %x, %x_token = load_view_tko weak %a_view[%row, %step] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x64xf32>, token
    %y, %y_token = load_view_tko weak %b_view[%step, %column] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<64x64xf32>, token
    %next = mmaf %x, %y, %partial : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %stored = store_view_tko weak %sum, %c_view[%row, %column] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
