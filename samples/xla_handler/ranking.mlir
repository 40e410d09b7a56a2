// A ranking of scores: the best first, by a handler that order.c is the source
// of. The attribute is in the import's name. README.md compiles it.
func.func private @"order.argsort?descending=true:pred"(tensor<?xf32>)
    -> tensor<?xi32>

func.func @rank(%scores: tensor<?xf32>) -> (tensor<?xi32>, tensor<?xf32>) {
  %order = call @"order.argsort?descending=true:pred"(%scores)
      : (tensor<?xf32>) -> tensor<?xi32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %scores, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %sorted = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%order : tensor<?xi32>) outs(%empty : tensor<?xf32>) {
    ^bb0(%index: i32, %out: f32):
      %at = arith.index_cast %index : i32 to index
      %score = tensor.extract %scores[%at] : tensor<?xf32>
      linalg.yield %score : f32
  } -> tensor<?xf32>
  return %order, %sorted : tensor<?xi32>, tensor<?xf32>
}
