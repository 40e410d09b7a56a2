// Loops of the virtual machine's own code, one kind of instruction each.
func.func @sum_i32(%turns: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %sum = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %turns : i32
    scf.condition(%more) %i, %sum : i32, i32
  } do {
  ^bb0(%i: i32, %sum: i32):
    %mixed = arith.xori %sum, %i : i32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %mixed : i32, i32
  }
  return %r#1 : i32
}

func.func @arithmetic_i32(%turns: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %factor = arith.constant 1664525 : i32
  %r:2 = scf.while (%i = %zero, %sum = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %turns : i32
    scf.condition(%more) %i, %sum : i32, i32
  } do {
  ^bb0(%i: i32, %sum: i32):
    %product = arith.muli %sum, %factor : i32
    %mixed = arith.xori %product, %i : i32
    %next_sum = arith.addi %mixed, %factor : i32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %next_sum : i32, i32
  }
  return %r#1 : i32
}

func.func @arithmetic_i64(%turns: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %factor = arith.constant 6364136223846793005 : i64
  %r:2 = scf.while (%i = %zero, %sum = %zero) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi slt, %i, %turns : i64
    scf.condition(%more) %i, %sum : i64, i64
  } do {
  ^bb0(%i: i64, %sum: i64):
    %product = arith.muli %sum, %factor : i64
    %mixed = arith.xori %product, %i : i64
    %next_sum = arith.addi %mixed, %factor : i64
    %next = arith.addi %i, %one : i64
    scf.yield %next, %next_sum : i64, i64
  }
  return %r#1 : i64
}

func.func @arithmetic_f32(%turns: i32, %factor: f32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 1.0 : f32
  %r:2 = scf.while (%i = %zero, %sum = %start) : (i32, f32) -> (i32, f32) {
    %more = arith.cmpi slt, %i, %turns : i32
    scf.condition(%more) %i, %sum : i32, f32
  } do {
  ^bb0(%i: i32, %sum: f32):
    %product = arith.mulf %sum, %factor : f32
    %shifted = arith.addf %product, %start : f32
    %next_sum = arith.subf %shifted, %factor : f32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %next_sum : i32, f32
  }
  return %r#1 : f32
}

// A word of a buffer, read and written.
func.func @buffer(%turns: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : index
  %word = arith.constant 4 : index
  %size = arith.constant 64 : index
  %buffer = util.buffer.alloc uninitialized : !util.buffer{%size}
  util.buffer.store %one, %buffer[%start for %word] : i32 -> !util.buffer{%size}
  %last = scf.while (%i = %zero) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %turns : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %value = util.buffer.load %buffer[%start for %word] : !util.buffer{%size} -> i32
    %sum = arith.addi %value, %i : i32
    util.buffer.store %sum, %buffer[%start for %word] : i32 -> !util.buffer{%size}
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  %value = util.buffer.load %buffer[%start for %word] : !util.buffer{%size} -> i32
  return %value : i32
}

// An item of a list, read and written.
func.func @list(%turns: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = arith.constant 0 : index
  %size = arith.constant 1 : index
  %list = util.list.create %size : !util.list<i32>
  util.list.resize %list, %size : !util.list<i32>
  util.list.set %list[%at], %one : i32 -> !util.list<i32>
  %last = scf.while (%i = %zero) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %turns : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %value = util.list.get %list[%at] : !util.list<i32> -> i32
    %sum = arith.addi %value, %i : i32
    util.list.set %list[%at], %sum : i32 -> !util.list<i32>
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  %value = util.list.get %list[%at] : !util.list<i32> -> i32
  return %value : i32
}
