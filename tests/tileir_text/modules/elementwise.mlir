// Each operation on elements, with each of its attributes.
entry @floats(%a: tile<f32>, %b: tile<f32>, %i: tile<i32>) {
  %absf = absf %a : tile<f32>
  %negf = negf %a : tile<f32>
  %ceil = ceil %a : tile<f32>
  %floor = floor %a : tile<f32>
  %cos = cos %a : tile<f32>
  %cosh = cosh %a : tile<f32>
  %sin = sin %a : tile<f32>
  %sinh = sinh %a : tile<f32>
  %tan = tan %a : tile<f32>
  %log = log %a : tile<f32>
  %log2 = log2 %a : tile<f32>
  %exp2 = exp2 %a : tile<f32>
  %exp2z = exp2 %a flush_to_zero : tile<f32>
  %rsqrt = rsqrt %a flush_to_zero : tile<f32>
  %exp = exp %a : tile<f32>
  %expa = exp %a rounding<approx> : tile<f32>
  %tanh = tanh %a rounding<approx> : tile<f32>
  %tanhf = tanh %a rounding<full> : tile<f32>
  %sqrt = sqrt %a rounding<approx> flush_to_zero : tile<f32>
  %addf = addf %a, %b rounding<zero> flush_to_zero : tile<f32>
  %addn = addf %a, %b rounding<nearest_even> : tile<f32>
  %subf = subf %a, %b rounding<negative_inf> : tile<f32>
  %mulf = mulf %a, %b rounding<positive_inf> : tile<f32>
  %divf = divf %a, %b rounding<full> : tile<f32>
  %fma = fma %a, %b, %a rounding<zero> flush_to_zero : tile<f32>
  %maxf = maxf %a, %b flush_to_zero propagate_nan : tile<f32>
  %minf = minf %a, %b propagate_nan : tile<f32>
  %remf = remf %a, %b : tile<f32>
  %pow = pow %a, %b : tile<f32>
  %fpowf = fpowf %a, %b : tile<f32>
  %fpowi = fpowi %a, %i : tile<f32>, tile<i32>
  %atan2 = atan2 %a, %b : tile<f32>
  %cmpf = cmpf less_than_or_equal unordered %a, %b : tile<f32> -> tile<i1>
  %select = select %cmpf, %a, %b : tile<i1>, tile<f32>
  return
}
entry @integers(%a: tile<i32>, %b: tile<i32>) {
  %absi = absi %a : tile<i32>
  %addi = addi %a, %b overflow<no_wrap> : tile<i32>
  %subi = subi %a, %b overflow<no_signed_wrap> : tile<i32>
  %muli = muli %a, %b overflow<no_unsigned_wrap> : tile<i32>
  %shli = shli %a, %b overflow<none> : tile<i32>
  %negi = negi %a overflow<no_signed_wrap> : tile<i32>
  %divi = divi %a, %b unsigned : tile<i32>
  %divs = divi %a, %b signed rounding<negative_inf> : tile<i32>
  %maxi = maxi %a, %b signed : tile<i32>
  %mini = mini %a, %b unsigned : tile<i32>
  %remi = remi %a, %b signed : tile<i32>
  %shri = shri %a, %b unsigned : tile<i32>
  %mulhii = mulhii %a, %b : tile<i32>
  %andi = andi %a, %b : tile<i32>
  %ori = ori %a, %b : tile<i32>
  %xori = xori %a, %b : tile<i32>
  %cmpi = cmpi greater_than %a, %b, unsigned : tile<i32> -> tile<i1>
  return
}
entry @conversions(%a: tile<i32>, %b: tile<f32>, %p: tile<ptr<f32>>) {
  %bitcast = bitcast %a : tile<i32> -> tile<f32>
  %exti = exti %a unsigned : tile<i32> -> tile<i64>
  %trunci = trunci %a overflow<no_signed_wrap> : tile<i32> -> tile<i8>
  %ftof = ftof %b : tile<f32> -> tile<f64>
  %ftot = ftof %b rounding<zero> : tile<f32> -> tile<f16>
  %ftoi = ftoi %b signed : tile<f32> -> tile<i32>
  %ftos = ftoi %b unsigned saturating : tile<f32> -> tile<i32>
  %itof = itof %a unsigned : tile<i32> -> tile<bf16>
  %ptr_to_int = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
  %int_to_ptr = int_to_ptr %ptr_to_int : tile<i64> -> tile<ptr<i64>>
  %ptr_to_ptr = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>
  return
}
