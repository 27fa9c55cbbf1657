entry @exp2_0() {
  %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
  %res = exp2 %in : tile<4xf32>
  return
}
