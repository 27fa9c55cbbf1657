entry @print_tko_0() {
  %arg = constant <f32: [0.0, 1.0, 2.0, 3.0]> : tile<4xf32>
  print_tko "Hello world: %f\n", %arg : tile<4xf32> -> token
  print_tko "%+08.3f", %arg : tile<4xf32> -> token
  return
}
