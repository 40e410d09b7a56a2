// Exports with attributes of their own and names that need care.
// VARIANTS: plain
// CALL: @scaled "3xf32=1 2 3"
// CALL: @with.dots 3
// CALL: @__hidden 4
func.func @scaled(%x: tensor<3xf32>) -> tensor<3xf32> attributes {iree.reflection = {note = "doubles", version = "7", "iree.abi" = "{\"a\":[[\"ndarray\",\"f32\",1,3]],\"r\":[[\"ndarray\",\"f32\",1,3]],\"v\":1}"}} {
  %0 = arith.addf %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @with.dots(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  return %0 : i32
}

func.func @__hidden(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
