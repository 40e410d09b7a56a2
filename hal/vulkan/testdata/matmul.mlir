// Large enough for cooperative matrices, where a target has them.
func.func @matmul(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>)
    -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32)
      outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %product : tensor<64x64xf32>
}
