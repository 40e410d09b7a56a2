// Rows of a table by numbers that no kernel checks. A number that is far out of
// range ends the process.
// RELEASES: 3.13.0
// CALL: @lookup "4x2xf32=1 2 3 4 5 6 7 8" "2xi64=3 0"
func.func @lookup(%table: tensor<4x2xf32>, %ids: tensor<?xi64>) -> tensor<?x2xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %ids, %zero : tensor<?xi64>
  %init = tensor.empty(%n) : tensor<?x2xf32>
  %rows = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi64>) outs(%init : tensor<?x2xf32>) {
  ^bb0(%id: i64, %out: f32):
    %row = arith.index_cast %id : i64 to index
    %j = linalg.index 1 : index
    %value = tensor.extract %table[%row, %j] : tensor<4x2xf32>
    linalg.yield %value : f32
  } -> tensor<?x2xf32>
  return %rows : tensor<?x2xf32>
}
