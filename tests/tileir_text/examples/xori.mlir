entry @xori_0() {
  %lhs = constant <i32: [0, 1, 2, 3]> : tile<4xi32>
  %rhs = constant <i32: [4, 5, 6, 7]> : tile<4xi32>
  // This computes the bitwise XOR of each element in `%lhs` and `%rhs`, which
  // are tiles of shape `4xi32`, and returns the result as `%result`.
  %result = xori %lhs, %rhs : tile<4xi32>
  return
}
