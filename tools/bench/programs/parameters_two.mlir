// 1 GiB of parameters on each of two devices, which all are read.
util.global private @first {stream.affinity = #hal.device.promise<@device_a>} = #flow.parameter.named<"model"::"table"> : tensor<262144x1024xf32>
util.global private @second {stream.affinity = #hal.device.promise<@device_b>} = #flow.parameter.named<"model"::"table"> : tensor<262144x1024xf32>

func.func private @sum(
    %table: tensor<262144x1024xf32>, %scale: tensor<f32>) -> tensor<262144xf32> {
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

// The scales keep the compiler from summing once, for all calls.
func.func @sums(
    %one: tensor<f32> {iree.abi.affinity = #hal.device.promise<@device_a>},
    %other: tensor<f32> {iree.abi.affinity = #hal.device.promise<@device_b>})
    -> (
    tensor<262144xf32> {iree.abi.affinity = #hal.device.promise<@device_a>},
    tensor<262144xf32> {iree.abi.affinity = #hal.device.promise<@device_b>}) {
  %first = util.global.load @first : tensor<262144x1024xf32>
  %a = func.call @sum(%first, %one)
      : (tensor<262144x1024xf32>, tensor<f32>) -> tensor<262144xf32>
  %second = util.global.load @second : tensor<262144x1024xf32>
  %b = func.call @sum(%second, %other)
      : (tensor<262144x1024xf32>, tensor<f32>) -> tensor<262144xf32>
  return %a, %b : tensor<262144xf32>, tensor<262144xf32>
}
