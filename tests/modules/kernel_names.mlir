// Kernels whose names begin with "__": of functions that are named so, and
// `__builtin_splat_i64`, which the compiler makes for a fill of i64 elements.
// VARIANTS: vmvx plain@3.3,3.13 vulkan@3.3,3.13 inline-dynamic-vmvx@3.3,3.13
// CALL: @fill_between 4xf32=1,2,3,4 7
// CALL: @fill_alone 5000000000
// CALL: @__scale 4xf32=1,2,3,4
// CALL: @last 4xf32=1,2,3,4
// CALL: @__set_constants 4xf32=1,2,3,4
// CALL: @__initial 4xf32=1,2,3,4
// A dispatch, a fill, a dispatch.
func.func @fill_between(%x: tensor<4xf32>, %v: i64) -> (tensor<4xf32>, tensor<3xi64>, tensor<f32>) {
  %add = arith.addf %x, %x : tensor<4xf32>
  %fill = flow.tensor.splat %v : tensor<3xi64>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
    iterator_types = ["reduction"]
  } ins(%x : tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %add, %fill, %sum : tensor<4xf32>, tensor<3xi64>, tensor<f32>
}

func.func @fill_alone(%v: i64) -> tensor<3xi64> {
  %0 = flow.tensor.splat %v : tensor<3xi64>
  return %0 : tensor<3xi64>
}

func.func @__scale(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<10.0> : tensor<4xf32>
  %0 = arith.mulf %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Names that begin as those of functions that a loader calls.
func.func @__set_constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<100.0> : tensor<4xf32>
  %0 = arith.subf %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @__initial(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<8.0> : tensor<4xf32>
  %0 = arith.divf %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @last(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
