entry @assert_0(%arg0: tile<i1>) {
  assert %arg0, "assertion failed" : tile<i1>
  return
}
