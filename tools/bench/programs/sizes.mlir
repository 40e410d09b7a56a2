// One dispatch over an array of any size, which is bound by memory.
func.func @affine(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %to = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%to : tensor<?xf32>) {
    ^bb0(%value: f32, %unused: f32):
      %product = arith.mulf %value, %two : f32
      %sum = arith.addf %product, %one : f32
      linalg.yield %sum : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
