// Programs with little work per dispatch, so that the cost of a dispatch on
// several threads shows: an addition, a sum of one workgroup, and a sum in two
// dispatches.

func.func @add_1m(%lhs: tensor<1000000xf32>, %rhs: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %sum = arith.addf %lhs, %rhs : tensor<1000000xf32>
  return %sum : tensor<1000000xf32>
}

func.func @sum_1m(%numbers: tensor<1000000xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %first = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf }
      ins(%numbers : tensor<1000000xf32>) outs(%first : tensor<f32>) dimensions = [0]
  return %sum : tensor<f32>
}

// The rows are summed first, by ten workgroups, and then their sums.
func.func @split_sum_1m(%numbers: tensor<10x100000xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %some = tensor.empty() : tensor<10xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%some : tensor<10xf32>) -> tensor<10xf32>
  %rows = linalg.reduce { arith.addf }
      ins(%numbers : tensor<10x100000xf32>) outs(%zeros : tensor<10xf32>) dimensions = [1]
  %apart = util.optimization_barrier %rows : tensor<10xf32>
  %empty = tensor.empty() : tensor<f32>
  %first = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf }
      ins(%apart : tensor<10xf32>) outs(%first : tensor<f32>) dimensions = [0]
  return %sum : tensor<f32>
}
