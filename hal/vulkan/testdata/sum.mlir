// A sum across a subgroup, where a target has such operations.
func.func @sum(%a: tensor<4x512xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32)
      outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce ins(%a : tensor<4x512xf32>) outs(%init : tensor<4xf32>)
      dimensions = [1]
      (%in: f32, %acc: f32) {
        %next = arith.addf %in, %acc : f32
        linalg.yield %next : f32
      }
  return %sum : tensor<4xf32>
}
