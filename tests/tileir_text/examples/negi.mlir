entry @negi_0() {
  %source = constant <i16: [0, 1, 2, 3]> : tile<4xi16>
  %result = negi %source : tile<4xi16>
  // %result = [0, -1, -2, -3]
  return
}
