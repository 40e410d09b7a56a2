// A line through points that no rank has all of: each rank's points say how its
// error changes with the weights, and the mean of that over all ranks moves the
// weights of each. README.md compiles it.
func.func @fit(%x: tensor<4x2xf32>, %y: tensor<4xf32>, %steps: index)
    -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %channel = flow.channel.default : !flow.channel
  %start = arith.constant dense<0.0> : tensor<2xf32>
  %rate = arith.constant dense<0.05> : tensor<2xf32>
  %zeros2 = arith.constant dense<0.0> : tensor<2xf32>
  %weights = scf.for %i = %c0 to %steps step %c1
      iter_args(%w = %start) -> tensor<2xf32> {
    // The gradient of |x w - y|^2 / 2 is x^T (x w - y).
    %minus_y = arith.negf %y : tensor<4xf32>
    %error = linalg.matvec ins(%x, %w : tensor<4x2xf32>, tensor<2xf32>)
        outs(%minus_y : tensor<4xf32>) -> tensor<4xf32>
    %own = linalg.vecmat ins(%error, %x : tensor<4xf32>, tensor<4x2xf32>)
        outs(%zeros2 : tensor<2xf32>) -> tensor<2xf32>
    %empty = tensor.empty() : tensor<2xf32>
    %mean = flow.collective.all_reduce average, f32, %empty, %own, %channel
        : (tensor<2xf32>, tensor<2xf32>, !flow.channel) -> %empty as tensor<2xf32>
    %step = arith.mulf %mean, %rate : tensor<2xf32>
    %next = arith.subf %w, %step : tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %weights : tensor<2xf32>
}
