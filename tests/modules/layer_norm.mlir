// Layer normalisation over rows.
// VARIANTS: plain vulkan vulkan-default@3.3,3.11,3.13
// CALL: @layer_norm "2x4xf32=1 2 3 4 -1 0 1 10"
func.func @layer_norm(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<2x4xf32>) outs(%zero : tensor<2xf32>) dimensions = [1]
  %quarter = arith.constant dense<0.25> : tensor<2xf32>
  %m = arith.mulf %s, %quarter : tensor<2xf32>
  %mb = linalg.broadcast ins(%m : tensor<2xf32>) outs(%e : tensor<2x4xf32>) dimensions = [1]
  %d = arith.subf %x, %mb : tensor<2x4xf32>
  %dd = arith.mulf %d, %d : tensor<2x4xf32>
  %v0 = linalg.reduce {arith.addf} ins(%dd : tensor<2x4xf32>) outs(%zero : tensor<2xf32>) dimensions = [1]
  %v1 = arith.mulf %v0, %quarter : tensor<2xf32>
  %tiny = arith.constant dense<1.0e-5> : tensor<2xf32>
  %v2 = arith.addf %v1, %tiny : tensor<2xf32>
  %r = math.rsqrt %v2 : tensor<2xf32>
  %rb = linalg.broadcast ins(%r : tensor<2xf32>) outs(%e : tensor<2x4xf32>) dimensions = [1]
  %y = arith.mulf %d, %rb : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
