entry @rsqrt_0() {
  %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
  %res = rsqrt %in : tile<4xf32>

  // Rsqrt op with flush to zero modifier
  %ftz_res = rsqrt %in flush_to_zero : tile<4xf32>
  return
}
