// One attention head.
// VARIANTS: plain vmvx vmvx-ukernels vulkan
// CALL: @attention "3x2xf32=1 0 0 1 1 1" "3x2xf32=1 2 3 4 5 6" "3x2xf32=1 0 0 1 -1 2"
func.func @attention(%q: tensor<3x2xf32>, %k: tensor<3x2xf32>, %v: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %zero33 = arith.constant dense<0.0> : tensor<3x3xf32>
  %zero32 = arith.constant dense<0.0> : tensor<3x2xf32>
  %scale = arith.constant dense<0.707106769> : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %kt = linalg.transpose ins(%k : tensor<3x2xf32>) outs(%e : tensor<2x3xf32>) permutation = [1, 0]
  %s0 = linalg.matmul ins(%q, %kt : tensor<3x2xf32>, tensor<2x3xf32>) outs(%zero33 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %s1 = arith.mulf %s0, %scale : tensor<3x3xf32>
  %e33 = tensor.empty() : tensor<3x3xf32>
  %p = linalg.softmax dimension(1) ins(%s1 : tensor<3x3xf32>) outs(%e33 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %y = linalg.matmul ins(%p, %v : tensor<3x3xf32>, tensor<3x2xf32>) outs(%zero32 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
