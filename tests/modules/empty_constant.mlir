// A constant without elements as a result.
// VARIANTS: plain vulkan
// CALL: @zero_result
func.func @zero_result() -> tensor<3x0xi32> {
  %0 = arith.constant dense<> : tensor<3x0xi32>
  return %0 : tensor<3x0xi32>
}
