entry @cos_0() {
  %in = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
  %res = cos %in : tile<4xf32>
  return
}
