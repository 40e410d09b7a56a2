// Lists as results: of anything, of one scalar type; nested.
// VARIANTS: plain bare debug
// CALL: @variants "2xf32=1 2"
// CALL: @integers 5
// CALL: @floats
// CALL: @nested
// CALL: @empty
// CALL: @size_and_get 2
// CALL: @size_and_get 3
// FAILS: OUT_OF_RANGE
// CALL: @grow 40
// CALL: @holes
func.func @variants(%x: tensor<2xf32>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i = arith.constant 7 : i32
  %l = arith.constant 5000000000 : i64
  %f = arith.constant 1.5 : f32
  %list = util.list.create %c4 : !util.list<?>
  util.list.resize %list, %c4 : !util.list<?>
  util.list.set %list[%c0], %i : i32 -> !util.list<?>
  util.list.set %list[%c1], %l : i64 -> !util.list<?>
  util.list.set %list[%c2], %f : f32 -> !util.list<?>
  %y = arith.addf %x, %x : tensor<2xf32>
  %view = hal.tensor.export %y : tensor<2xf32> -> !hal.buffer_view
  util.list.set %list[%c3], %view : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}

func.func @integers(%n: index) -> !util.list<i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %list = util.list.create %n : !util.list<i32>
  util.list.resize %list, %n : !util.list<i32>
  scf.for %i = %c0 to %n step %c1 {
    %v = arith.index_cast %i : index to i32
    %s = arith.muli %v, %v : i32
    util.list.set %list[%i], %s : !util.list<i32>
  }
  return %list : !util.list<i32>
}

func.func @floats() -> !util.list<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = arith.constant 0.5 : f32
  %b = arith.constant -2.25 : f32
  %list = util.list.create %c2 : !util.list<f32>
  util.list.resize %list, %c2 : !util.list<f32>
  util.list.set %list[%c0], %a : !util.list<f32>
  util.list.set %list[%c1], %b : !util.list<f32>
  return %list : !util.list<f32>
}

func.func @nested() -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %inner = func.call @integers(%c2) : (index) -> !util.list<i32>
  %n = arith.constant -1 : i32
  %list = util.list.create %c2 : !util.list<?>
  util.list.resize %list, %c2 : !util.list<?>
  util.list.set %list[%c0], %n : i32 -> !util.list<?>
  util.list.set %list[%c1], %inner : !util.list<i32> -> !util.list<?>
  return %list : !util.list<?>
}

func.func @empty() -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %list = util.list.create %c0 : !util.list<?>
  return %list : !util.list<?>
}

func.func @size_and_get(%i: index) -> (index, i32) {
  %c3 = arith.constant 3 : index
  %list = func.call @integers(%c3) : (index) -> !util.list<i32>
  %n = util.list.size %list : !util.list<i32>
  %v = util.list.get %list[%i] : !util.list<i32>
  return %n, %v : index, i32
}

func.func @grow(%n: index) -> (index, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %list = util.list.create %c0 : !util.list<i64>
  scf.for %i = %c0 to %n step %c1 {
    %m = arith.addi %i, %c1 : index
    util.list.resize %list, %m : !util.list<i64>
    %v = arith.index_cast %i : index to i64
    util.list.set %list[%i], %v : !util.list<i64>
  }
  %size = util.list.size %list : !util.list<i64>
  %sum = scf.for %i = %c0 to %size step %c1 iter_args(%s = %zero) -> (i64) {
    %v = util.list.get %list[%i] : !util.list<i64>
    %t = arith.addi %s, %v : i64
    scf.yield %t : i64
  }
  return %size, %sum : index, i64
}

// Slots that were never set.
func.func @holes() -> !util.list<?> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %v = arith.constant 9 : i32
  %list = util.list.create %c3 : !util.list<?>
  util.list.resize %list, %c3 : !util.list<?>
  util.list.set %list[%c1], %v : i32 -> !util.list<?>
  return %list : !util.list<?>
}
