entry @reshape_0() {
  %cst = constant <i8: 0> : tile<i8>
  %0 = reshape %cst
      : tile<i8> -> tile<1x1x1xi8>

  %t = constant <f32: 0.0> : tile<8x2xf32>
  %1 = reshape %t
      : tile<8x2xf32> -> tile<2x2x4x1xf32>
  return
}
// -----
entry @reshape_1() {
    %cst = constant <i32: [[0, 1, 2, 3], [4, 5, 6, 7]]>
        : tile<2x4xi32>
    %r0 = reshape %cst
  : tile<2x4xi32> -> tile<2x2x2xi32>

  // Step 1: Turn source into 1D tile. Use row-major by convention.
  // %tmp: [0, 1, 2, 3, 4, 5, 6, 7]
  %tmp = reshape %cst
      : tile<2x4xi32> -> tile<8xi32>

  // Step 2: Turn 1D tile into result tile. Use row-major by convention.
  // %r: [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
  %r1 =  reshape %tmp
          : tile<8xi32> -> tile<2x2x2xi32>
  return
}
