entry @scan_0() {
  %input = constant <f32: 0.0> : tile<8x16xf32>
  %result = scan %input dim=1 reverse=false identities=[1.0 : f32] : tile<8x16xf32> -> tile<8x16xf32>
  (%acc: tile<f32>, %elem: tile<f32>) {
    %prod = mulf %acc, %elem rounding<nearest_even>: tile<f32>
    yield %prod : tile<f32>
  }
  return
}
