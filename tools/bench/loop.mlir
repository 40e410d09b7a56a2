// Loops of the virtual machine's own code: ten million turns of a sum with an
// exclusive or, in each width.
func.func @sum_xor_i32(%turns: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %sum = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %turns : i32
    scf.condition(%more) %i, %sum : i32, i32
  } do {
  ^bb0(%i: i32, %sum: i32):
    %mixed = arith.xori %sum, %i : i32
    %next_sum = arith.addi %mixed, %i : i32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %next_sum : i32, i32
  }
  return %r#1 : i32
}

func.func @sum_xor_i64(%turns: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.while (%i = %zero, %sum = %zero) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi slt, %i, %turns : i64
    scf.condition(%more) %i, %sum : i64, i64
  } do {
  ^bb0(%i: i64, %sum: i64):
    %mixed = arith.xori %sum, %i : i64
    %next_sum = arith.addi %mixed, %i : i64
    %next = arith.addi %i, %one : i64
    scf.yield %next, %next_sum : i64, i64
  }
  return %r#1 : i64
}
