entry @pow_0() {
  %source = constant <f32: 0.0> : tile<4xf32>
  %exponent = constant <f32: 2.0> : tile<4xf32>
  %result = pow %source, %exponent : tile<4xf32>
  return
}
