// Adds four floats: the smallest program that launches a kernel, and the
// benchmark of the cost of one call.
// VARIANTS: plain bare debug bare-debug async vulkan vulkan-async vulkan-bda vulkan-default
// CALL: @add "4xf32=1 2 3 4" "4xf32=10 20 30 40"
// CALL: @add "4xf32=1.5" "4xf32=-0.25 1e30 nan -inf"
// CALL: @add 4xf32 4xf32
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %sum = arith.addf %a, %b : tensor<4xf32>
  return %sum : tensor<4xf32>
}
