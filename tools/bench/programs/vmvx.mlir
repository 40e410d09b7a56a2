// A matrix product of 256, for kernels that are bytecode.
func.func @matmul(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>)
    -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %out = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>)
      -> tensor<256x256xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>)
      outs(%out : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %product : tensor<256x256xf32>
}
