// Floats of eight bits.
// VARIANTS: plain vulkan
// CALL: @f8_to_f32
func.func @f8_to_f32() -> tensor<4xf32> {
  %c = util.unfoldable_constant dense<[1.0, -2.0, 0.5, 240.0]> : tensor<4xf8E4M3FN>
  %0 = arith.extf %c : tensor<4xf8E4M3FN> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
