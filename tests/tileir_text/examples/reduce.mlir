entry @reduce_0() {
  %input = constant <f32: 0.0> : tile<8xf32>
  %0 = reduce %input dim=0 identities=[0.000000e+0 : f32] : tile<8xf32> -> tile<f32>
    (%input_arg: tile<f32>, %input_accum: tile<f32>) {
      %add_result = addf %input_arg, %input_accum : tile<f32>
      yield %add_result : tile<f32>
    }
  return
}
// -----
entry @reduce_1() {
  %input = constant <f32: 0.0> : tile<8x64xf32>
  %0 = reduce %input dim=0 identities=[0.000000e+0 : f32] : tile<8x64xf32> -> tile<64xf32>
    (%input_arg: tile<f32>, %input_accum: tile<f32>) {
      %add_result = addf %input_arg, %input_accum : tile<f32>
      yield %add_result : tile<f32>
    }
  return
}
