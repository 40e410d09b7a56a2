// Result allocators that do not do what is asked of them; raw_results.mlir has
// good ones.
// VARIANTS: plain async
// CALL: @empty 2xf32 "2xf32=3"
// CALL: @small "1xf32=4" 1xf32
func.func @empty(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__empty"}} {
  return %out0 : !hal.buffer_view
}
func.func @two(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__two"}} {
  return %out0 : !hal.buffer_view
}
func.func @number(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__number"}} {
  return %out0 : !hal.buffer_view
}
func.func @bytes(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__bytes"}} {
  return %out0 : !hal.buffer_view
}
func.func @no_list(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__no_list"}} {
  return %out0 : !hal.buffer_view
}
func.func @element(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__element"}} {
  return %out0 : !hal.buffer_view
}
func.func @rank(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__rank"}} {
  return %out0 : !hal.buffer_view
}
func.func @dimension(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R9!B6!d-1d4", fbr = "__rank"}} {
  return %out0 : !hal.buffer_view
}
func.func @fails(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__fails"}} {
  return %out0 : !hal.buffer_view
}
func.func @scalar(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__scalar"}} {
  return %out0 : !hal.buffer_view
}
func.func @missing(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__missing"}} {
  return %out0 : !hal.buffer_view
}
func.func @itself(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "itself"}} {
  return %out0 : !hal.buffer_view
}
func.func @twice(%x: !hal.buffer_view, %out0: !hal.buffer_view, %out1: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view)
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R13!B4!d-1B4!d-1", fbr = "__twice"}} {
  return %out0, %out1 : !hal.buffer_view, !hal.buffer_view
}
func.func @kept(%x: !hal.buffer_view, %out0: !hal.buffer_view) -> !hal.buffer_view
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__kept"}} {
  return %out0 : !hal.buffer_view
}
func.func @__empty(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 0 : index
  %list = util.list.create %n : !util.list<?>
  util.list.resize %list, %n : !util.list<?>
  return %list : !util.list<?>
}
func.func @__two(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %t = tensor.empty() : tensor<4xf32>
  %v = hal.tensor.export %t : tensor<4xf32> -> !hal.buffer_view
  %list = util.list.create %n : !util.list<?>
  util.list.resize %list, %n : !util.list<?>
  util.list.set %list[%c0], %v : !hal.buffer_view -> !util.list<?>
  util.list.set %list[%c1], %v : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}
func.func @__number(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1 : index
  %v = arith.constant 7 : i32
  %list = util.list.create %n : !util.list<?>
  util.list.resize %list, %n : !util.list<?>
  util.list.set %list[%c0], %v : i32 -> !util.list<?>
  return %list : !util.list<?>
}
func.func @__bytes(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1 : index
  %v = util.buffer.constant : !util.buffer = "text"
  %list = util.list.create %n : !util.list<?>
  util.list.resize %list, %n : !util.list<?>
  util.list.set %list[%c0], %v : !util.buffer -> !util.list<?>
  return %list : !util.list<?>
}
func.func @__no_list(%dims: !util.list<?>) -> !util.list<?> {
  %0 = util.null : !util.list<?>
  return %0 : !util.list<?>
}
func.func @__element(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1 : index
  %t = tensor.empty() : tensor<4xi32>
  %v = hal.tensor.export %t : tensor<4xi32> -> !hal.buffer_view
  %list = util.list.create %n : !util.list<?>
  util.list.resize %list, %n : !util.list<?>
  util.list.set %list[%c0], %v : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}
func.func @__rank(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1 : index
  %t = tensor.empty() : tensor<2x3xf32>
  %v = hal.tensor.export %t : tensor<2x3xf32> -> !hal.buffer_view
  %list = util.list.create %n : !util.list<?>
  util.list.resize %list, %n : !util.list<?>
  util.list.set %list[%c0], %v : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}
func.func @__fails(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %d = util.list.get %dims[%c0] : !util.list<?> -> i64
  %none = arith.constant -1 : i64
  %ok = arith.cmpi eq, %d, %none : i64
  cf.assert %ok, "there is no room"
  return %dims : !util.list<?>
}
func.func @__scalar(%dims: i64) -> i64 {
  return %dims : i64
}
func.func @__twice(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  %t = tensor.empty() : tensor<4xf32>
  %v = hal.tensor.export %t : tensor<4xf32> -> !hal.buffer_view
  %list = util.list.create %n : !util.list<?>
  util.list.resize %list, %n : !util.list<?>
  util.list.set %list[%c0], %v : !hal.buffer_view -> !util.list<?>
  util.list.set %list[%c1], %v : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}

util.global private mutable @kept_view : !hal.buffer_view
func.func @__kept(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1 : index
  %old = util.global.load @kept_view : !hal.buffer_view
  %null = util.null : !hal.buffer_view
  %is_null = util.cmp.eq %old, %null : !hal.buffer_view
  %v = scf.if %is_null -> !hal.buffer_view {
    %t = tensor.empty() : tensor<4xf32>
    %new = hal.tensor.export %t : tensor<4xf32> -> !hal.buffer_view
    util.global.store %new, @kept_view : !hal.buffer_view
    scf.yield %new : !hal.buffer_view
  } else {
    scf.yield %old : !hal.buffer_view
  }
  %list = util.list.create %n : !util.list<?>
  util.list.resize %list, %n : !util.list<?>
  util.list.set %list[%c0], %v : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}

// Given storage for one value, whatever is asked for.
func.func @small(%x: tensor<?xf32>, %out: tensor<?xf32> {iree.abi.output = 0 : index}) -> tensor<?xf32>
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__small"}} {
  %0 = arith.addf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @__small(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1 : index
  %t = tensor.empty() : tensor<1xf32>
  %v = hal.tensor.export %t : tensor<1xf32> -> !hal.buffer_view
  %list = util.list.create %n : !util.list<?>
  util.list.resize %list, %n : !util.list<?>
  util.list.set %list[%c0], %v : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}
