entry @tanh_0() {
  %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
  %res0 = tanh %in : tile<4xf32>

  // tanh with approx modifier
  %res1 = tanh %in rounding<approx> : tile<4xf32>
  return
}
