entry @cmpi_0() {
  %lhs0 = constant <i16: 0> : tile<i16>
  %rhs0 = constant <i16: 0> : tile<i16>

  // Scalar "signed less than" comparison.
  %x0 = cmpi less_than %lhs0, %rhs0, signed : tile<i16> -> tile<i1>

  %lhs1 = constant <i64: 0> : tile<2x2xi64>
  %rhs1 = constant <i64: 0> : tile<2x2xi64>

  // Tile equality comparison.
  // There is no difference between "signed" and "unsigned" when performing equality and inequality comparison.
  %x1 = cmpi equal %lhs1, %rhs1, signed : tile<2x2xi64> -> tile<2x2xi1>
  return
}
