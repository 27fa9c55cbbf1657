entry @mulhii_0() {
  // 2^31 * 2 = 2^32, or 0x100000000.
  // The most significant 32 bits of the product are 0x00000001.
  // The lower 32 bits of the product are 0x00000000.
  %a = constant <i32: 2147483648> : tile<i32>  // %a = 2^31
  %b = constant <i32: 2> : tile<i32>           // %b = 2
  %res_hi = mulhii %a, %b : tile<i32>          // %res_hi = 1
  %res_lo = muli %a, %b : tile<i32>            // %res_lo = 0
  return
}
