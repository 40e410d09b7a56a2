// 1 GiB of parameters: read one row of them, or all.
util.global private @table = #flow.parameter.named<"model"::"table"> : tensor<262144x1024xf32>

func.func @row(%index: index) -> tensor<1024xf32> {
  %table = util.global.load @table : tensor<262144x1024xf32>
  %row = tensor.extract_slice %table[%index, 0] [1, 1024] [1, 1]
      : tensor<262144x1024xf32> to tensor<1024xf32>
  return %row : tensor<1024xf32>
}

// The scale keeps the compiler from summing once, for all calls.
func.func @sums(%scale: tensor<f32>) -> tensor<262144xf32> {
  %table = util.global.load @table : tensor<262144x1024xf32>
  %factor = tensor.extract %scale[] : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<262144xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<262144xf32>)
      -> tensor<262144xf32>
  %sums = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%table : tensor<262144x1024xf32>) outs(%filled : tensor<262144xf32>) {
  ^bb0(%value: f32, %sum: f32):
    %scaled = arith.mulf %value, %factor : f32
    %next = arith.addf %sum, %scaled : f32
    linalg.yield %next : f32
  } -> tensor<262144xf32>
  return %sums : tensor<262144xf32>
}
