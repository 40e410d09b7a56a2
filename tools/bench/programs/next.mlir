// The cost of a function that does nearly nothing: one global, one addition.
util.global private mutable @count = 0 : i32

func.func @next() -> i32 {
  %one = arith.constant 1 : i32
  %count = util.global.load @count : i32
  %next = arith.addi %count, %one : i32
  util.global.store %next, @count : i32
  return %next : i32
}
