entry @extract_0() {
  // Extract a subtile from %t at dim_0 = [4;8) and dim_1 = [4;6).
  %c1 = constant <i32: 1> : tile<i32>
  %c2 = constant <i32: 2> : tile<i32>
  %t = constant <f32: 0.0> : tile<32x8xf32>
  // Valid indices are: [ {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3} ]
  %0 = extract %t[%c1, %c2]
      : tile<32x8xf32> -> tile<4x2xf32>
  return
}
