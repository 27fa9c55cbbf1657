entry @permute_0() {
  %arg0 = constant <f16: 0.0> : tile<2x4x8xf16>
  %0 = permute %arg0 [2, 0, 1] : tile<2x4x8xf16> -> tile<8x2x4xf16>
  return
}
