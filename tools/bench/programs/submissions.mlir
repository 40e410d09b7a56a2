// Twenty submissions, each of one dispatch that waits for the one before it:
// barriers keep the compiler from putting them into one command buffer.
func.func private @step(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %sum = arith.addf %x, %y : tensor<4xf32>
  %end = util.optimization_barrier %sum : tensor<4xf32>
  return %end : tensor<4xf32>
}

func.func @submissions(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @step(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @step(%0, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = func.call @step(%1, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = func.call @step(%2, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = func.call @step(%3, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = func.call @step(%4, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = func.call @step(%5, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = func.call @step(%6, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %8 = func.call @step(%7, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %9 = func.call @step(%8, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %10 = func.call @step(%9, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %11 = func.call @step(%10, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %12 = func.call @step(%11, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %13 = func.call @step(%12, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %14 = func.call @step(%13, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %15 = func.call @step(%14, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %16 = func.call @step(%15, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %17 = func.call @step(%16, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %18 = func.call @step(%17, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %19 = func.call @step(%18, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %19 : tensor<4xf32>
}
