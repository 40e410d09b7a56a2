// Strings: bytes in a !util.buffer, in a list of i8, and looked at by index.
// VARIANTS: plain bare
// CALL: @hello
// NOTE: the buffer holds the 12 bytes "hello, eyrie"
// CALL: @hello_length
// CALL: @byte_at 7
// CALL: @byte_at 12
// FAILS: OUT_OF_RANGE
// CALL: @upper_hello
// NOTE: the buffer holds "HELLO, EYRIE"
// CALL: @upper_byte 7
// CALL: @letters
// CALL: @is_equal 0
// CALL: @is_equal 1
// CALL: @two_strings
// NOTE: the list holds the buffers "hello, eyrie" and "HELLO, EYRIE"
// CALL: @sum_of_bytes
func.func @hello() -> !util.buffer {
  %0 = util.buffer.constant : !util.buffer = "hello, eyrie"
  return %0 : !util.buffer
}

func.func @hello_length() -> index {
  %0 = func.call @hello() : () -> !util.buffer
  %n = util.buffer.size %0 : !util.buffer
  return %n : index
}

func.func @byte_at(%i: index) -> i8 {
  %c1 = arith.constant 1 : index
  %0 = func.call @hello() : () -> !util.buffer
  %n = util.buffer.size %0 : !util.buffer
  %b = util.buffer.load %0[%i for %c1] : !util.buffer{%n} -> i8
  return %b : i8
}

func.func @upper_hello() -> !util.buffer {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant 97 : i8
  %z = arith.constant 122 : i8
  %gap = arith.constant 32 : i8
  %0 = func.call @hello() : () -> !util.buffer
  %n = util.buffer.size %0 : !util.buffer
  %1 = util.buffer.alloc uninitialized : !util.buffer{%n}
  scf.for %i = %c0 to %n step %c1 {
    %b = util.buffer.load %0[%i for %c1] : !util.buffer{%n} -> i8
    %ge = arith.cmpi uge, %b, %a : i8
    %le = arith.cmpi ule, %b, %z : i8
    %letter = arith.andi %ge, %le : i1
    %u = arith.subi %b, %gap : i8
    %v = arith.select %letter, %u, %b : i8
    util.buffer.store %v, %1[%i for %c1] : i8 -> !util.buffer{%n}
  }
  return %1 : !util.buffer
}

func.func @upper_byte(%i: index) -> i8 {
  %c1 = arith.constant 1 : index
  %0 = func.call @upper_hello() : () -> !util.buffer
  %n = util.buffer.size %0 : !util.buffer
  %b = util.buffer.load %0[%i for %c1] : !util.buffer{%n} -> i8
  return %b : i8
}

func.func @letters() -> !util.list<i8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = func.call @hello() : () -> !util.buffer
  %n = util.buffer.size %0 : !util.buffer
  %list = util.list.create %c5 : !util.list<i8>
  util.list.resize %list, %c5 : !util.list<i8>
  scf.for %i = %c0 to %c5 step %c1 {
    %b = util.buffer.load %0[%i for %c1] : !util.buffer{%n} -> i8
    util.list.set %list[%i], %b : !util.list<i8>
  }
  return %list : !util.list<i8>
}

func.func @is_equal(%change: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = func.call @hello() : () -> !util.buffer
  %n = util.buffer.size %0 : !util.buffer
  %1 = util.buffer.alloc uninitialized : !util.buffer{%n}
  util.buffer.copy %0[%c0], %1[%c0], %n : !util.buffer{%n} -> !util.buffer{%n}
  scf.if %change {
    %x = arith.constant 120 : i8
    util.buffer.fill %x, %1[%c1 for %c1] : i8 -> !util.buffer{%n}
  }
  %same = util.buffer.compare %0[%c0], %1[%c0], %n : !util.buffer{%n}, !util.buffer{%n}
  return %same : i1
}

func.func @two_strings() -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = func.call @hello() : () -> !util.buffer
  %1 = func.call @upper_hello() : () -> !util.buffer
  %list = util.list.create %c2 : !util.list<?>
  util.list.resize %list, %c2 : !util.list<?>
  util.list.set %list[%c0], %0 : !util.buffer -> !util.list<?>
  util.list.set %list[%c1], %1 : !util.buffer -> !util.list<?>
  return %list : !util.list<?>
}

func.func @sum_of_bytes() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %0 = func.call @hello() : () -> !util.buffer
  %n = util.buffer.size %0 : !util.buffer
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
    %b = util.buffer.load %0[%i for %c1] : !util.buffer{%n} -> i8
    %w = arith.extui %b : i8 to i32
    %t = arith.addi %s, %w : i32
    scf.yield %t : i32
  }
  return %sum : i32
}
