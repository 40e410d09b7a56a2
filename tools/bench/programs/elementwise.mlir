// One dispatch over 1 MiB, which is bound by memory.
func.func @elementwise(%x: tensor<262144xf32>, %y: tensor<262144xf32>)
    -> tensor<262144xf32> {
  %product = arith.mulf %x, %y : tensor<262144xf32>
  %sum = arith.addf %product, %x : tensor<262144xf32>
  return %sum : tensor<262144xf32>
}
