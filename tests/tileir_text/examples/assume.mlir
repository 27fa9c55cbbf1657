entry @assume_0() {
  %0 = constant <i16: 7> : tile<4x8xi16>
  %1 = cuda_tile.assume #cuda_tile.bounded<0, ?>, %0
      : !cuda_tile.tile<4x8xi16>
  return
}
// -----
entry @assume_1(%p: tile<ptr<f32>>) {
  %ptrs_1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %ptrs_n = broadcast %ptrs_1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %ptrs = reshape %ptrs_n : tile<128xptr<f32>> -> tile<128xptr<f32>>
  // Example 1: Each pointer is divisible by 16.
  // [ 0x10, 0x20, 0x80, 0x10, 0x0, 0x120, ... ]
  %0 = cuda_tile.assume #cuda_tile.div_by<16>, %ptrs
      : !cuda_tile.tile<128x!cuda_tile.ptr<f32>>
  // Note: Equivalent to #cuda_tile.div_by<16, every 1 along 0>.
  return
}
// -----
entry @assume_2() {
  %t = constant <i32: 8> : tile<128xi32>
  // Example 2: Each integer is divisible by 4.
  // [ 16, 24, 8, 4, 12, 12, 0, 16, ... ]
  %0 = cuda_tile.assume #cuda_tile.div_by<4>, %t
      : !cuda_tile.tile<128xi32>
  return
}
// -----
entry @assume_3() {
  %t = iota : tile<128xi32>
  // Example 3: Group size [4].
  // [7, 8, 9, 10, 23, 24, 25, 26, 0, 1, 2, 3, ...]
  %0 = cuda_tile.assume #cuda_tile.div_by<1, every 4 along 0>, %t
      : !cuda_tile.tile<128xi32>
  return
}
// -----
entry @assume_4() {
  %line = iota : tile<32xi32>
  %t = reshape %line : tile<32xi32> -> tile<4x8xi32>
  // Example 4: 2-d Group size [1, 4] with divisibility 4.
  // [ [  4,  5,  6,  7, 12, 13, 14, 15 ],
  //   [  8,  9, 10, 11, 24, 25, 26, 27 ],
  //   [ 24, 25, 26, 27, 64, 65, 66, 67 ],
  //   [  0,  1,  2,  3,  4,  5,  6,  7 ] ]
  %0 = cuda_tile.assume #cuda_tile.div_by<4, every 4 along 1>, %t
      : !cuda_tile.tile<4x8xi32>
  return
}
// -----
entry @assume_5(%p: tile<ptr<f32>>) {
  %p_1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %p_64 = broadcast %p_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %places = iota : tile<64xi32>
  %line = offset %p_64, %places : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %rows = reshape %line : tile<64xptr<f32>> -> tile<8x8xptr<f32>>
  %columns = permute %rows [1, 0] : tile<8x8xptr<f32>> -> tile<8x8xptr<f32>>
  %first = constant <i32: 0> : tile<i32>
  %ptrs = extract %columns[%first, %first] : tile<8x8xptr<f32>> -> tile<4x8xptr<f32>>
  // Example 5: 2-d Group size [4, 1] with divisibility 32.
  // Note that the elements within each column are monotonically increasing
  // by the byte width of the pointee type f32, e.g., 0x20, 0x24, 0x28, 0x2c.
  // [ [  0x20, 0x100,  0x40,  0x60,  0x40, 0x200, 0x340,  0x40 ],
  //   [  0x24, 0x104,  0x44,  0x64,  0x44, 0x204, 0x344,  0x44 ],
  //   [  0x28, 0x108,  0x48,  0x68,  0x48, 0x208, 0x348,  0x48 ],
  //   [  0x2c, 0x10c,  0x4c,  0x6c,  0x4c, 0x20c, 0x34c,  0x4c ] ]
  %0 = cuda_tile.assume #cuda_tile.div_by<32, every 4 along 0>, %ptrs
      : !cuda_tile.tile<4x8x!cuda_tile.ptr<f32>>
  return
}
// -----
entry @assume_6() {
  // Integer tensor with same elements.
  %0 = cuda_tile.constant <i16: [[0, 0, 0, 0, 10, 10, 10, 10],
                                 [0, 0, 0, 0, 10, 10, 10, 10],
                                 [5, 5, 5, 5, 93, 93, 93, 93],
                                 [5, 5, 5, 5, 93, 93, 93, 93]]>
      : tile<4x8xi16>
  %1 = cuda_tile.assume #cuda_tile.same_elements<[2, 4]>, %0
      : !cuda_tile.tile<4x8xi16>

  // Pointer tensor with same elements.
  %2 = cuda_tile.constant <i64: [[ 0,  0,  0,  0,  8,  8,  8,  8],
                                 [ 0,  0,  0,  0,  8,  8,  8,  8],
                                 [64, 64, 64, 64, 32, 32, 32, 32],
                                 [64, 64, 64, 64, 32, 32, 32, 32]]>
      : tile<4x8xi64>
  %3 = cuda_tile.int_to_ptr %2
      : !cuda_tile.tile<4x8xi64>
        -> !cuda_tile.tile<4x8x!cuda_tile.ptr<f32>>
  %4 = cuda_tile.assume #cuda_tile.same_elements<[2, 4]>, %3
      : !cuda_tile.tile<4x8x!cuda_tile.ptr<f32>>
  return
}
// -----
entry @assume_7(%p: tile<ptr<f32>>) {
  %ptr_3d_1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %ptr_3d_n = broadcast %ptr_3d_1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %ptr_3d = reshape %ptr_3d_n : tile<64xptr<f32>> -> tile<1x8x8xptr<f32>>
  // Assume that all integers are divisible by 32.
  %int_tile = constant <i16: [32, 64, 0, 0, 32, -32, 1024, 0]> : tile<8xi16>
  %div_by_1 = assume div_by<32>, %int_tile : tile<8xi16>

  // Assume that every 4th element (starting with element 0) along
  // dimension 0 is divisible by 32 that and all integers are
  // montonically increasing by 1 within each group of 4.
  %int_tile_2 = constant <i16: [96, 97, 98, 99, 64, 65, 66, 67]> : tile<8xi16>
  %div_by_2 = assume div_by<32, every 4 along 0>, %int_tile_2 : tile<8xi16>

  // Assume that every rectangular chunk of size [1, 4, 2] has the same
  // values.
  %same_elem = assume same_elements<[1, 4, 2]>, %ptr_3d : tile<1x8x8xptr<f32>>

  // Assume that every value is greater or equal to 5.
  %int_tile_3 = constant <i16: [5, 9, 10, 11, 6, 5, 5, 7]> : tile<8xi16>
  %bounded = assume bounded<5, ?>, %int_tile_3 : tile<8xi16>
  return
}
