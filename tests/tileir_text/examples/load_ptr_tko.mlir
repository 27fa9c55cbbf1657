entry @load_ptr_tko_0(%ptr: tile<ptr<f32>>) {
  %mask = constant <i1: 1> : tile<i1>
  %padding = constant <f32: 0.0> : tile<f32>

    // Load without token.
    %result0, %res_token0 = load_ptr_tko weak %ptr, %mask, %padding
        : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token

    // Load with token.
    %token0 = make_token : token
    %result1, %res_token1 = load_ptr_tko weak %ptr, %mask, %padding token=%token0
        : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token

    return
}
