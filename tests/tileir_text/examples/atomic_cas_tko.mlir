entry @atomic_cas_tko_0(%ptr: tile<ptr<i32>>) {
  %ptr_1x = reshape %ptr : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ptr_vec = broadcast %ptr_1x : tile<1xptr<i32>> -> tile<8xptr<i32>>
  %offsets = iota : tile<8xi32>
  %ptrs = offset %ptr_vec, %offsets : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
  %cmp = constant <i32: [0, 1, 2, 3, 4, 5, 6, 7]> : tile<8xi32>
  %val = constant <i32: [7, 6, 5, 4, 3, 2, 1, 0]> : tile<8xi32>
  %mask = constant <i1: [0, 1, 0, 1, 0, 1, 0, 1]> : tile<8xi1>

  // Atomic CAS without input token.
  %0, %token = atomic_cas_tko relaxed device %ptrs, %cmp, %val :
    tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

  // Atomic CAS without input token.
  %1, %token1 = atomic_cas_tko relaxed device %ptrs, %cmp, %val, %mask :
    tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> tile<8xi32>, token

  // Atomic CAS with input token.
  %token2 = make_token : token
  %2, %token3 = atomic_cas_tko relaxed device %ptrs, %cmp, %val token=%token2 :
    tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token

  return
}
