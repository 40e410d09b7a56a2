// Shapes: rank 0, zero-size, dynamic and high-rank tensors.
// VARIANTS: plain bare async vulkan vulkan-bda
// CALL: @identity "3xf32=1 2 3"
// CALL: @identity "0xf32"
// CALL: @double "5xf32=1 2 3 4 5"
// CALL: @double "0xf32"
// CALL: @double "1500xf32=2"
// CALL: @double "2x2xf32=1"
// FAILS: INVALID_ARGUMENT
// CALL: @rank0 "f32=3.5"
// CALL: @rank0 "1xf32=3.5"
// FAILS: INVALID_ARGUMENT
// CALL: @zero_size "0x4xf32"
// WANT: result[0]: hal.buffer_view
// WANT: 0x4xf32=
// CALL: @add_dynamic_2d "2x3xi32=1 2 3 4 5 6" "2x3xi32=10"
// CALL: @dim_of "3x7xf32"
// CALL: @rank6 "1x2x1x2x1x2xi64=1 2 3 4 5 6 7 8"
// CALL: @iota 5
// CALL: @iota 0
func.func @identity(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

func.func @double(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @rank0(%x: tensor<f32>) -> tensor<f32> {
  %0 = arith.mulf %x, %x : tensor<f32>
  return %0 : tensor<f32>
}

func.func @zero_size(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = arith.addf %x, %x : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

func.func @add_dynamic_2d(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = arith.addi %a, %b : tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

func.func @dim_of(%x: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  return %m, %n : index, index
}

func.func @rank6(%x: tensor<1x2x1x2x1x2xi64>) -> tensor<1x2x1x2x1x2xi64> {
  %0 = arith.muli %x, %x : tensor<1x2x1x2x1x2xi64>
  return %0 : tensor<1x2x1x2x1x2xi64>
}

func.func @iota(%n: index) -> tensor<?xi64> {
  %empty = tensor.empty(%n) : tensor<?xi64>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<?xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<?xi64>
  return %0 : tensor<?xi64>
}
