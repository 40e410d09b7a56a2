// Recursion: what a call costs with little else.
func.func private @fib_of(%n: i32) -> i32 attributes {noinline} {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %small = arith.cmpi slt, %n, %two : i32
  %r = scf.if %small -> i32 {
    scf.yield %n : i32
  } else {
    %before = arith.subi %n, %one : i32
    %a = func.call @fib_of(%before) : (i32) -> i32
    %first = arith.subi %n, %two : i32
    %b = func.call @fib_of(%first) : (i32) -> i32
    %sum = arith.addi %a, %b : i32
    scf.yield %sum : i32
  }
  return %r : i32
}

func.func @fib(%n: i32) -> i32 {
  %r = func.call @fib_of(%n) : (i32) -> i32
  return %r : i32
}
