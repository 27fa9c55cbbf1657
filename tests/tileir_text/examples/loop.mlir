entry @loop_0() {
  // A simple "while-do" loop.
  loop {
      %cond = constant <i1: 1> : tile<i1>
      if %cond {
          continue
      }
      break
  }
  return
}
// -----
entry @loop_1() {
  // A simple "do-while" loop.
  loop {
      //... body of the loop.

      %cond = constant <i1: 1> : tile<i1>
      if %cond {
          continue
      }
      break
  }
  return
}
// -----
entry @loop_2() {
  %initValue0 = constant <f32: 0.0> : tile<f32>
  // A loop that yields carried-iteration values, returning the final values.
  %results = loop iter_values(%value0 = %initValue0) : tile<f32> -> tile<f32> {
      %cond = constant <i1: 1> : tile<i1>
      if %cond {
          %loopValue0 = constant <f32: 0.0> : tile<f32>
          continue %loopValue0 : tile<f32>
      }
      break %value0 : tile<f32>
  }
  return
}
// -----
entry @loop_3() {
  %initValue0 = constant <i32: 0> : tile<i32>
  // A loop that uses loop-carried values and returns a different type.
  %results = loop iter_values(%value0 = %initValue0) : tile<i32> -> tile<f32> {
      %cond = constant <i1: 1> : tile<i1>

      if %cond {
          %newLoopValue = constant <i32: 0> : tile<i32>
          continue %newLoopValue : tile<i32>
      }

      %finalReturnValue = constant <f32: 0.0> : tile<f32>
      break %finalReturnValue : tile<f32>
  }
  return
}
