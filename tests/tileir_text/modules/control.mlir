// Regions: carried values, results, early continue and break, endings that are left out.
entry @control(%n: tile<i32>, %flag: tile<i1>) {
  %zero = constant <f32: 0.0> : tile<f32>
  for %i in (%n to %n, step %n) : tile<i32> {
  }
  %sum, %count = for unsigned %i in (%n to %n, step %n) : tile<i32> iter_values(%s = %zero, %c = %n) -> (tile<f32>, tile<i32>) {
    %next = addf %s, %s : tile<f32>
    if %flag {
      continue %s, %i : tile<f32>, tile<i32>
    }
    continue %next, %c : tile<f32>, tile<i32>
  }
  loop {
    if %flag {
      break
    } else {
    }
  }
  %last = loop : tile<i1> {
    break %flag : tile<i1>
  }
  loop iter_values(%a = %zero) : tile<f32> {
    if %flag {
      break
    }
    continue %a : tile<f32>
  }
  %pair:2 = loop iter_values(%a = %zero, %b = %n) : tile<f32>, tile<i32> -> tile<i32>, tile<f32> {
    %x, %y = if %flag -> (tile<f32>, tile<i32>) {
      yield %a, %n : tile<f32>, tile<i32>
    } else {
      yield %zero, %b : tile<f32>, tile<i32>
    }
    break %y, %x : tile<i32>, tile<f32>
  }
  %use = addf %pair#1, %sum : tile<f32>
  if %flag {
    return
  }
}
