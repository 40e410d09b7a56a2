// A call of jaxlib's Cholesky decomposition from a compiled module. Compiled by
// regenerate.sh; run by tests/native/jaxlib where jaxlib is.
func.func private @lapack.potrf(tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<i32>)

// L of a = L * L^T, and 0 or what LAPACK has against a. LAPACK's matrices lie
// by columns: a is its own transpose, the result is transposed here.
func.func @cholesky(%a: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %factor, %info = call @lapack.potrf(%a)
      : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<i32>)
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %n) : tensor<?x?xf32>
  %lower = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j, i)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%factor : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%x: f32, %out: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %is_lower = arith.cmpi sle, %j, %i : index
      %y = arith.select %is_lower, %x, %zero : f32
      linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %lower, %info : tensor<?x?xf32>, tensor<i32>
}
