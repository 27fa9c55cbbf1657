// Operations of an earlier draft.
entry @drafts(%p: tile<ptr<i32>>, %q: tile<ptr<f32>>, %flag: tile<i1>) {
  %x = load %p {alignment = 4, cache_mode = always} : tile<ptr<i32>> -> tile<8xi32>
  %n = not %x : tile<8xi32>
  %and = and %x, %n : tile<8xi32>
  %or = or %x, %n : tile<8xi32>
  %xor = xor %or, %and : tile<8xi32>
  %shl = shl %x, %x : tile<8xi32>
  %shr = shr %x, %x signed : tile<8xi32>
  store %p, %xor : tile<ptr<i32>>, tile<8xi32>
  %f = atomic_load %q {ordering = seq_cst} : tile<ptr<f32>> -> tile<4xf32>
  %fma = fmaf %f, %f, %f : tile<4xf32>
  %sqrt = sqrtf %f : tile<4xf32>
  %exp = expf %f : tile<4xf32>
  %log = logf %f : tile<4xf32>
  atomic_store %q, %fma {ordering = relaxed} : tile<ptr<f32>>, tile<4xf32>
  %one = constant <i32: 1> : tile<i32>
  %a = atomic_add %p, %one {ordering = relaxed} : tile<ptr<i32>>, tile<i32> -> tile<i32>
  %b = atomic_sub %p, %one {ordering = acquire} : tile<ptr<i32>>, tile<i32> -> tile<i32>
  %c = atomic_max %p, %one {ordering = relaxed, signedness = unsigned} : tile<ptr<i32>>, tile<i32> -> tile<i32>
  %d = atomic_exchange %p, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>
  %e, %ok = atomic_compare_exchange %p, %one, %d {success_ordering = acquire, failure_ordering = relaxed} : tile<ptr<i32>>, tile<i32>, tile<i32> -> tile<i32>, tile<i1>
  %sl = slice %x {starts = [4], ends = [8], steps = [1]} : tile<8xi32> -> tile<4xi32>
  %ex = expand_dims %sl {axes = [0]} : tile<4xi32> -> tile<1x4xi32>
  %tr = transpose %ex [1, 0] : tile<1x4xi32> -> tile<4x1xi32>
  %sq = squeeze %tr {axes = [1]} : tile<4x1xi32> -> tile<4xi32>
  %cat = concatenate %sl, %sq, %x {axis = 0} : tile<4xi32>, tile<4xi32>, tile<8xi32> -> tile<16xi32>
  %s0, %s1 = split %cat {axis = 0, num_splits = 2} : tile<16xi32> -> tile<8xi32>, tile<8xi32>
  barrier
  comment {text = "nothing"}
  if %flag {
    store %p, %s1 : tile<ptr<i32>>, tile<8xi32>
  } else {
    unreachable
  }
  print %a, %f : tile<i32>, tile<4xf32>
}
