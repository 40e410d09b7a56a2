// Calls within a module: what entering and leaving a function costs, a million
// times.
func.func private @step(%sum: i32, %i: i32) -> i32 attributes {noinline} {
  %mixed = arith.xori %sum, %i : i32
  return %mixed : i32
}

func.func @calls(%count: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %sum = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %count : i32
    scf.condition(%more) %i, %sum : i32, i32
  } do {
  ^bb0(%i: i32, %sum: i32):
    %next_sum = func.call @step(%sum, %i) : (i32, i32) -> i32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %next_sum : i32, i32
  }
  return %r#1 : i32
}
