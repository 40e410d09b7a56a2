// A tensor printed on the way: the results stay what they are.
// VARIANTS: plain
// CALL: @traced "2x2xf32=1 2 3 4"
func.func @traced(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = arith.addf %x, %x : tensor<2x2xf32>
  flow.tensor.trace "doubled" = [%0 : tensor<2x2xf32>]
  %1 = arith.mulf %0, %x : tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
