// A two-layer perceptron, its weights inside the module and as arguments.
// VARIANTS: plain bare debug async vulkan vulkan-async@3.3,3.13 vulkan-bda vulkan-default@3.3,3.11,3.13
// CALL: @mlp "1x4xf32=1 2 3 4"
// CALL: @mlp "1x4xf32=-1 0.5 0 2"
// CALL: @mlp_args "2x3xf32=1 2 3 -1 0 1" "3x4xf32=0.1" "4xf32=-0.5 0 0.5 1" "4x2xf32=1 -1 0.5 0.25 2 1 0 3"
func.func @mlp(%x: tensor<1x4xf32>) -> tensor<1x3xf32> {
  %w1 = arith.constant dense<[[0.5, -0.25, 0.125, 1.0, -1.5], [0.75, 0.5, -0.5, 0.25, 2.0],
                              [-1.0, 1.0, 0.0, 0.5, -0.75], [0.25, -0.5, 0.75, -1.25, 1.5]]> : tensor<4x5xf32>
  %b1 = arith.constant dense<[[0.1, -0.2, 0.3, -0.4, 0.5]]> : tensor<1x5xf32>
  %w2 = arith.constant dense<[[1.0, 0.5, -0.5], [-1.0, 0.25, 0.75], [0.5, -0.75, 1.25], [2.0, 1.0, -1.0], [0.125, -0.25, 0.5]]> : tensor<5x3xf32>
  %b2 = arith.constant dense<[[0.01, 0.02, -0.03]]> : tensor<1x3xf32>
  %zero = arith.constant 0.0 : f32
  %floor = arith.constant dense<0.0> : tensor<1x5xf32>
  %e1 = tensor.empty() : tensor<1x5xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x5xf32>) -> tensor<1x5xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<1x4xf32>, tensor<4x5xf32>) outs(%i1 : tensor<1x5xf32>) -> tensor<1x5xf32>
  %h0 = arith.addf %m1, %b1 : tensor<1x5xf32>
  %h1 = arith.maximumf %h0, %floor : tensor<1x5xf32>
  %e2 = tensor.empty() : tensor<1x3xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x3xf32>) -> tensor<1x3xf32>
  %m2 = linalg.matmul ins(%h1, %w2 : tensor<1x5xf32>, tensor<5x3xf32>) outs(%i2 : tensor<1x3xf32>) -> tensor<1x3xf32>
  %y = arith.addf %m2, %b2 : tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}

func.func @mlp_args(%x: tensor<?x3xf32>, %w1: tensor<3x4xf32>, %b1: tensor<4xf32>, %w2: tensor<4x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e1 = tensor.empty(%n) : tensor<?x4xf32>
  %i1 = linalg.broadcast ins(%b1 : tensor<4xf32>) outs(%e1 : tensor<?x4xf32>) dimensions = [0]
  %h0 = linalg.matmul ins(%x, %w1 : tensor<?x3xf32>, tensor<3x4xf32>) outs(%i1 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %h1 = math.tanh %h0 : tensor<?x4xf32>
  %e2 = tensor.empty(%n) : tensor<?x2xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul ins(%h1, %w2 : tensor<?x4xf32>, tensor<4x2xf32>) outs(%i2 : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
