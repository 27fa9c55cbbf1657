// Operations on whole tiles, constants of all element types, reductions.
entry @shapes(%i: tile<i32>) {
  %ints = constant <i32: [[1, -2, 3, 4], [5, 6, 7, -2147483648]]> : tile<2x4xi32>
  %floats = constant <f32: [1.0, -0.0, 0.1, 0x7F800000, 0xFFC00001, 16777217.0, 1.0E-45, 3.4028234663852886e38]> : tile<8xf32>
  %halfs = constant <f16: [[[1.0], [0x7C00]], [[6.0e-8], [65504.0]]]> : tile<2x2x1xf16>
  %bits = constant <i1: [true, false, 1, 0]> : tile<4xi1>
  %doubles = constant <f64: [0.1, 1.0e300, 123456789.0, -1.5]> : tile<4xf64>
  %brains = constant <bf16: [0.1, 3.0e38]> : tile<2xbf16>
  %tensors = constant <tf32: [0.1, 3.0e38]> : tile<2xtf32>
  %e4 = constant <f8E4M3FN: [0.5, 448.0]> : tile<2xf8E4M3FN>
  %e5 = constant <f8E5M2: [0.5, 0x7C]> : tile<2xf8E5M2>
  %e8 = constant <f8E8M0FNU: [0.5, 2.0]> : tile<2xf8E8M0FNU>
  %f4 = constant <f4E2M1FN: [0.5, -6.0]> : tile<2xf4E2M1FN>
  %bytes = constant <i8: [-128, 127]> : tile<2xi8>
  %shorts = constant <i16: -1> : tile<2xi16>
  %longs = constant <i64: [9223372036854775807, -9223372036854775808]> : tile<2xi64>
  %broadcast = broadcast %shorts : tile<2xi16> -> tile<2xi16>
  %cat = cat %ints, %ints dim = 0 : tile<2x4xi32>, tile<2x4xi32> -> tile<4x4xi32>
  %extract = extract %cat[%i, %i] : tile<4x4xi32> -> tile<2x1xi32>
  %insert = insert %extract, %cat[%i, %i] : tile<2x1xi32>, tile<4x4xi32>
  %iota = iota : tile<8xi16>
  %permute = permute %halfs [2, 0, 1] : tile<2x2x1xf16> -> tile<1x2x2xf16>
  %reshape = reshape %ints : tile<2x4xi32> -> tile<8xi32>
  %pack = pack %brains : tile<2xbf16> -> tile<4xi8>
  %unpack = unpack %pack : tile<4xi8> -> tile<2xf16>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
  %checked = assume bounded<0, ?>, %x : tile<i32>
  %same = assume same_elements<[2, 4]>, %ints : tile<2x4xi32>
  %run = assume div_by<4, every 2 along 1>, %ints : tile<2x4xi32>
  return
}
entry @products() {
  %h = constant <f16: 0.0> : tile<4x8xf16>
  %k = constant <f16: 0.0> : tile<8x2xf16>
  %c = constant <f32: 0.0> : tile<4x2xf32>
  %mmaf = mmaf %h, %k, %c : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xf32>
  %fast = mmaf %h, %k, %c fast_acc : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xf32>
  %a = constant <i8: 0> : tile<4x8xi8>
  %b = constant <i8: 0> : tile<8x2xi8>
  %d = constant <i32: 0> : tile<4x2xi32>
  %mmai = mmai %a, %b, %d signed unsigned : tile<4x8xi8>, tile<8x2xi8>, tile<4x2xi32>
  %l = constant <f8E4M3FN: 0.0> : tile<4x32xf8E4M3FN>
  %r = constant <f8E4M3FN: 0.0> : tile<32x2xf8E4M3FN>
  %ls = constant <f8E8M0FNU: 1.0> : tile<4x1xf8E8M0FNU>
  %rs = constant <f8E8M0FNU: 1.0> : tile<1x2xf8E8M0FNU>
  %scaled = mmaf_scaled %l, %r, %c, %ls, %rs : tile<4x32xf8E4M3FN>, tile<32x2xf8E4M3FN>, tile<4x2xf32>, tile<4x1xf8E8M0FNU>, tile<1x2xf8E8M0FNU>
  return
}
entry @folds() {
  %w = constant <f64: 1.0> : tile<8xf64>
  %lowest, %third = reduce %w, %w dim=0 identities=[0xFFF0000000000000 : f64, 0.33333333333333331] : tile<8xf64>, tile<8xf64> -> tile<f64>, tile<f64>
  (%a: tile<f64>, %b: tile<f64>, %c: tile<f64>, %d: tile<f64>) {
    %m = maxf %a, %b : tile<f64>
    %s = addf %c, %d : tile<f64>
    yield %m, %s : tile<f64>, tile<f64>
  }
  %f = constant <f32: 1.0> : tile<4x8xf32>
  %i = constant <i32: 2> : tile<4x8xi32>
  %sum, %most = reduce %f, %i dim=1 identities=[0.000000e+00 : f32, -2147483648 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<4xf32>, tile<4xi32>
  (%a: tile<f32>, %b: tile<f32>, %c: tile<i32>, %d: tile<i32>) {
    %s = addf %a, %b : tile<f32>
    %m = maxi %c, %d signed : tile<i32>
    yield %s, %m : tile<f32>, tile<i32>
  }
  %prefix = scan %f dim=0 reverse=true identities=[0xFF800000 : f32] : tile<4x8xf32> -> tile<4x8xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    %m = maxf %a, %b : tile<f32>
    yield %m : tile<f32>
  }
  return
}
