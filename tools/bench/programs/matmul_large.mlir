// A matrix product that is worth several threads.
func.func @matmul_large(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>)
    -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x1024xf32>
  %out = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x1024xf32>)
      -> tensor<1024x1024xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>)
      outs(%out : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %product : tensor<1024x1024xf32>
}
