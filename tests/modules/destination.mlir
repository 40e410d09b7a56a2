// Results written into storage that the caller passes; a bare buffer is none.
// VARIANTS: plain async vulkan vulkan-async@3.3,3.13
// CALL: @add_into "4xf32=1 2 3 4" "4xf32=10 20 30 40" "&4xf32"
// FAILS: INVALID_ARGUMENT
// CALL: @dynamic_into "3xi32=1 2 3" "&3xi32"
// FAILS: INVALID_ARGUMENT
func.func @add_into(%a: tensor<4xf32>, %b: tensor<4xf32>, %out: tensor<4xf32> {iree.abi.output = 0 : index}) -> tensor<4xf32> {
  %0 = arith.addf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @dynamic_into(%a: tensor<?xi32>, %out: tensor<?xi32> {iree.abi.output = 0 : index}) -> tensor<?xi32> {
  %0 = arith.muli %a, %a : tensor<?xi32>
  return %0 : tensor<?xi32>
}
