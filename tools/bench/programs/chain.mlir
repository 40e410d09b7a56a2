// Dispatches that need each other's results, each of four products, in one
// command buffer. What the two differ by is what twenty dispatches cost.
func.func private @step(%x: tensor<1x4xf32>, %m: tensor<4x4xf32>)
    -> tensor<1x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x4xf32>
  %y = linalg.matmul ins(%x, %m : tensor<1x4xf32>, tensor<4x4xf32>)
      outs(%zero : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// Twenty.
func.func @chain_20(%x: tensor<1x4xf32>, %m: tensor<4x4xf32>)
    -> tensor<1x4xf32> {
  %0 = call @step(%x, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %1 = call @step(%0, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %2 = call @step(%1, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %3 = call @step(%2, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %4 = call @step(%3, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %5 = call @step(%4, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %6 = call @step(%5, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %7 = call @step(%6, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %8 = call @step(%7, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %9 = call @step(%8, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %10 = call @step(%9, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %11 = call @step(%10, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %12 = call @step(%11, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %13 = call @step(%12, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %14 = call @step(%13, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %15 = call @step(%14, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %16 = call @step(%15, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %17 = call @step(%16, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %18 = call @step(%17, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %19 = call @step(%18, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  return %19 : tensor<1x4xf32>
}

// Forty.
func.func @chain_40(%x: tensor<1x4xf32>, %m: tensor<4x4xf32>)
    -> tensor<1x4xf32> {
  %0 = call @step(%x, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %1 = call @step(%0, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %2 = call @step(%1, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %3 = call @step(%2, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %4 = call @step(%3, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %5 = call @step(%4, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %6 = call @step(%5, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %7 = call @step(%6, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %8 = call @step(%7, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %9 = call @step(%8, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %10 = call @step(%9, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %11 = call @step(%10, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %12 = call @step(%11, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %13 = call @step(%12, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %14 = call @step(%13, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %15 = call @step(%14, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %16 = call @step(%15, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %17 = call @step(%16, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %18 = call @step(%17, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %19 = call @step(%18, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %20 = call @step(%19, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %21 = call @step(%20, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %22 = call @step(%21, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %23 = call @step(%22, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %24 = call @step(%23, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %25 = call @step(%24, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %26 = call @step(%25, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %27 = call @step(%26, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %28 = call @step(%27, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %29 = call @step(%28, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %30 = call @step(%29, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %31 = call @step(%30, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %32 = call @step(%31, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %33 = call @step(%32, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %34 = call @step(%33, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %35 = call @step(%34, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %36 = call @step(%35, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %37 = call @step(%36, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %38 = call @step(%37, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %39 = call @step(%38, %m)
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  return %39 : tensor<1x4xf32>
}
