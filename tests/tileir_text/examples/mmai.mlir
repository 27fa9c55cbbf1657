entry @mmai_0() {
  %lhs0 = cuda_tile.constant <i8: 0> : tile<4x8xi8>
  %rhs0 = cuda_tile.constant <i8: 0> : tile<8x2xi8>
  %acc0 = cuda_tile.constant <i32: 0> : tile<4x2xi32>

  %0 = mmai %lhs0, %rhs0, %acc0 signed signed
      : tile<4x8xi8>, tile<8x2xi8>,
        tile<4x2xi32>

  %lhs1 = cuda_tile.constant <i8: 0> : tile<2x4x8xi8>
  %rhs1 = cuda_tile.constant <i8: 0> : tile<2x8x2xi8>
  %acc1 = cuda_tile.constant <i32: 0> : tile<2x4x2xi32>

  %1 = mmai %lhs1, %rhs1, %acc1 unsigned unsigned
      : tile<2x4x8xi8>, tile<2x8x2xi8>,
        tile<2x4x2xi32>
  return
}
