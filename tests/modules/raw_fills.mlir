// Raw functions of V0 that return nothing: their results are the storage that
// the caller gives, which the signature and the result allocator make. The
// public tool prints nothing of them. @nest returns its result, by structures.
// VARIANTS: plain async
func.func @fill(%x: tensor<4xf32>, %out: !hal.buffer_view)
    attributes {iree.reflection = {fv = "1", f = "I6!B3!d4R6!B3!d4"}} {
  %0 = arith.addf %x, %x : tensor<4xf32>
  %1 = hal.tensor.alias %0 : tensor<4xf32> to %out : !hal.buffer_view
  util.optimization_barrier %1 : tensor<4xf32>
  return
}

func.func @fill_buffer(%x: tensor<2x2xi32>, %out: !hal.buffer)
    attributes {iree.reflection = {fv = "1", f = "I10!B7!t6d2d2R10!B7!t6d2d2"}} {
  %0 = arith.addi %x, %x : tensor<2x2xi32>
  %1 = hal.tensor.alias %0 : tensor<2x2xi32> to %out : !hal.buffer
  util.optimization_barrier %1 : tensor<2x2xi32>
  return
}

func.func @fill_scaled(%x: tensor<?xf32>, %out: !hal.buffer_view, %sum: !hal.buffer_view)
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R12!B4!d-1B3!d1", fbr = "__allocate"}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = arith.addf %x, %x : tensor<?xf32>
  %1 = hal.tensor.alias %0 : tensor<?xf32>{%n} to %out : !hal.buffer_view
  util.optimization_barrier %1 : tensor<?xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%zero : tensor<1xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  %3 = hal.tensor.alias %2 : tensor<1xf32> to %sum : !hal.buffer_view
  util.optimization_barrier %3 : tensor<1xf32>
  return
}
func.func @__allocate(%dims: !util.list<?>) -> !util.list<?> {
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

// No storage is made for what it fills.
func.func @unknown(%x: tensor<?xf32>, %out: !hal.buffer)
    attributes {iree.reflection = {fv = "1", f = "I7!B4!d-1R7!B4!d-1"}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = arith.addf %x, %x : tensor<?xf32>
  %1 = hal.tensor.alias %0 : tensor<?xf32>{%n} to %out : !hal.buffer
  util.optimization_barrier %1 : tensor<?xf32>
  return
}

// Structures around storage: what is filled, and what is returned.
func.func @fill_nest(%a: tensor<4xf32>, %b: tensor<4xf32>, %sum: !hal.buffer_view, %difference: !hal.buffer_view)
    attributes {iree.reflection = {sipv = "1", sip = "I22!D18!K2!a_0K2!bS5!k0_1R29!D25!K4!sum_0K11!difference_1",
        fv = "1", f = "I11!B3!d4B3!d4R11!B3!d4B3!d4"}} {
  %0 = arith.addf %a, %b : tensor<4xf32>
  %1 = hal.tensor.alias %0 : tensor<4xf32> to %sum : !hal.buffer_view
  util.optimization_barrier %1 : tensor<4xf32>
  %2 = arith.subf %a, %b : tensor<4xf32>
  %3 = hal.tensor.alias %2 : tensor<4xf32> to %difference : !hal.buffer_view
  util.optimization_barrier %3 : tensor<4xf32>
  return
}
// CALL: @nest "4xf32=1 2 3 4" "4xf32=4 3 2 1" 4xf32
func.func @nest(%a: tensor<4xf32>, %b: tensor<4xf32>, %out: tensor<4xf32> {iree.abi.output = 0 : index}) -> tensor<4xf32>
    attributes {iree.reflection = {sipv = "1", sip = "I20!S16!k0D7!K2!x_1k1_0R18!D14!K4!outS5!k1_0",
        fv = "1", f = "I11!B3!d4B3!d4R6!B3!d4"}} {
  %0 = arith.subf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
