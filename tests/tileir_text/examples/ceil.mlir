entry @ceil_0(%source: tile<f32>) {
  %result = ceil %source : tile<f32>
  return
}
