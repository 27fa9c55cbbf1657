entry @pack_0() {
  %arg0 = constant <f16: 0.0> : tile<64xf16>
  %0 = pack %arg0 : tile<64xf16> -> tile<128xi8>
  return
}
// -----
entry @pack_1() {
  %arg0 = constant <f4E2M1FN: 0.0> : tile<64xf4E2M1FN>
  %0 = pack %arg0 : tile<64xf4E2M1FN> -> tile<32xi8>
  return
}
