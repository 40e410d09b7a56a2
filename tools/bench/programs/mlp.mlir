// A small network, 784-256-10, of one picture: two dispatches of some
// microseconds.
util.global private @weights1 = #util.byte_pattern<59> : tensor<784x256xf32>
util.global private @weights2 = #util.byte_pattern<60> : tensor<256x10xf32>

func.func @mlp(%x: tensor<1x784xf32>) -> tensor<1x10xf32> {
  %w1 = util.global.load @weights1 : tensor<784x256xf32>
  %w2 = util.global.load @weights2 : tensor<256x10xf32>
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<1x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x256xf32>)
      -> tensor<1x256xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<1x784xf32>, tensor<784x256xf32>)
      outs(%f1 : tensor<1x256xf32>) -> tensor<1x256xf32>
  %zeros = arith.constant dense<0.0> : tensor<1x256xf32>
  %relu = arith.maximumf %h, %zeros : tensor<1x256xf32>
  %e2 = tensor.empty() : tensor<1x10xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x10xf32>)
      -> tensor<1x10xf32>
  %y = linalg.matmul ins(%relu, %w2 : tensor<1x256xf32>, tensor<256x10xf32>)
      outs(%f2 : tensor<1x10xf32>) -> tensor<1x10xf32>
  return %y : tensor<1x10xf32>
}
