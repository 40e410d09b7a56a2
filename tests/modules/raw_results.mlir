// Raw functions of V0: results in storage that the caller makes, from the
// signature or by the function's result allocator. The public tool knows of
// neither and is given the storage.
// VARIANTS: plain async vulkan vulkan-async
// CALL: @double "4xf32=1 2 3 4" 4xf32
// CALL: @scale "3xf32=1 2 3" 3xf32
// CALL: @outer "2xf32=1 2" "1x3xf32=5 6 7" 2x3xf32 1xf32
// CALL: @leading "4xf32=1 0 3 -4" (null)
// CALL: @plain "3xf32=1 2 3"
// CALL: @columns_in "2x3xf32=1 2 3 4 5 6" 6xf32
// CALL: @columns_out "6xf32=1 2 3 4 5 6" 2x3xf32
func.func @double(%x: tensor<4xf32>, %out: tensor<4xf32> {iree.abi.output = 0 : index}) -> tensor<4xf32>
    attributes {iree.reflection = {fv = "1", f = "I6!B3!d4R6!B3!d4"}} {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @scale(%x: tensor<?xf32>, %out: tensor<?xf32> {iree.abi.output = 0 : index}) -> tensor<?xf32>
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__allocate_scale"}} {
  %0 = arith.addf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @__allocate_scale(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = util.list.get %dims[%c0] : !util.list<?> -> i64
  %n = arith.index_cast %d : i64 to index
  %t = tensor.empty(%n) : tensor<?xf32>
  %v = hal.tensor.export %t : tensor<?xf32>{%n} -> !hal.buffer_view
  %list = util.list.create %c1 : !util.list<?>
  util.list.resize %list, %c1 : !util.list<?>
  util.list.set %list[%c0], %v : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}

// The allocator is given one dimension of each argument.
func.func @outer(%a: tensor<?xf32>, %b: tensor<1x?xf32>,
    %product: tensor<?x?xf32> {iree.abi.output = 0 : index},
    %sum: tensor<1xf32> {iree.abi.output = 1 : index}) -> (tensor<?x?xf32>, tensor<1xf32>)
    attributes {iree.reflection = {fv = "1", f = "I15!B4!d-1B6!d1d-1R15!B7!d-1d-1B3!d1", fbr = "__allocate_outer"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?xf32>
  %n = tensor.dim %b, %c1 : tensor<1x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %row = tensor.collapse_shape %b [[0, 1]] : tensor<1x?xf32> into tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %row : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>], iterator_types = ["reduction"]} ins(%a : tensor<?xf32>) outs(%zero : tensor<1xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %x, %acc : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<1xf32>
}
func.func @__allocate_outer(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = util.list.get %dims[%c0] : !util.list<?> -> i64
  %d1 = util.list.get %dims[%c1] : !util.list<?> -> i64
  %m = arith.index_cast %d0 : i64 to index
  %n = arith.index_cast %d1 : i64 to index
  %t = tensor.empty(%m, %n) : tensor<?x?xf32>
  %v = hal.tensor.export %t : tensor<?x?xf32>{%m, %n} -> !hal.buffer_view
  %list = util.list.create %c1 : !util.list<?>
  util.list.resize %list, %c1 : !util.list<?>
  util.list.set %list[%c0], %v : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}

// As many of the first values as there are values above zero.
func.func @leading(%x: tensor<?xf32>, %out: !hal.buffer_view) -> tensor<?xf32>
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__allocate_none"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %init = arith.constant dense<0> : tensor<i32>
  %cnt = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%init : tensor<i32>) {
  ^bb0(%a: f32, %acc: i32):
    %p = arith.cmpf ogt, %a, %z : f32
    %q = arith.extui %p : i1 to i32
    %s = arith.addi %acc, %q : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  %k = tensor.extract %cnt[] : tensor<i32>
  %ki = arith.index_cast %k : i32 to index
  %s = tensor.extract_slice %x[0] [%ki] [1] : tensor<?xf32> to tensor<?xf32>
  return %s : tensor<?xf32>
}
func.func @__allocate_none(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = util.null : !hal.buffer_view
  %list = util.list.create %c1 : !util.list<?>
  util.list.resize %list, %c1 : !util.list<?>
  util.list.set %list[%c0], %n : !hal.buffer_view -> !util.list<?>
  return %list : !util.list<?>
}

// Makes its result itself: its allocator, which fails, is not for calls.
func.func @plain(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1", fbr = "__allocate_fails"}} {
  %0 = arith.addf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @__allocate_fails(%dims: !util.list<?>) -> !util.list<?> {
  %c0 = arith.constant 0 : index
  %d = util.list.get %dims[%c0] : !util.list<?> -> i64
  %z = arith.constant -1 : i64
  %ok = arith.cmpi eq, %d, %z : i64
  cf.assert %ok, "there is no room"
  return %dims : !util.list<?>
}

// Matrices whose elements are given and returned column by column.
func.func @columns_in(%x: tensor<2x3xf32>, %out: tensor<6xf32> {iree.abi.output = 0 : index}) -> tensor<6xf32>
    attributes {iree.reflection = {fv = "1", f = "I10!B7!d2d3c1R6!B3!d6"}} {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %1 = arith.addf %0, %0 : tensor<6xf32>
  return %1 : tensor<6xf32>
}
func.func @columns_out(%x: tensor<6xf32>, %out: tensor<2x3xf32> {iree.abi.output = 0 : index}) -> tensor<2x3xf32>
    attributes {iree.reflection = {fv = "1", f = "I6!B3!d6R10!B7!d2d3c1"}} {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %1 = arith.addf %0, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
