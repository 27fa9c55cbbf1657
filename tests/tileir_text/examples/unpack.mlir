entry @unpack_0() {
  %arg0 = constant <i8: 0> : tile<64xi8>
  %0 = unpack %arg0 : tile<64xi8> -> tile<32xf16>
  return
}
// -----
entry @unpack_1() {
  %arg0 = constant <i8: 0> : tile<64xi8>
  %0 = unpack %arg0 : tile<64xi8> -> tile<128xf4E2M1FN>
  return
}
