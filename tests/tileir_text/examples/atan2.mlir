entry @atan2_0() {
  %x = constant <f32: [1.0, -1.0, 0.0, 2.0]> : tile<4xf32>
  %y = constant <f32: [1.0,  1.0, 1.0, 0.0]> : tile<4xf32>
  %res = atan2 %x, %y : tile<4xf32>
  return
}
