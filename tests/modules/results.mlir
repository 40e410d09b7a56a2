// Several results of mixed kinds, the same value twice, arguments returned.
// VARIANTS: plain async vulkan vulkan-async@3.3,3.13
// CALL: @none
// CALL: @two_tensors "3xf32=1 2 3"
// CALL: @swap "2xi32=1 2" "3xf32=4 5 6"
// CALL: @twice "2xi32=1 2"
// CALL: @sixteen "f32=2"
// CALL: @constant_result
// CALL: @unused "2xf32=1 2" "2xf32=3 4"
// WANT: result[0]: hal.buffer_view
// WANT: 2xf32=2 4
// CALL: @two_tensors "4xf32=1 2 3 4"
// FAILS: INVALID_ARGUMENT
// CALL: @two_tensors
// FAILS: INVALID_ARGUMENT
// CALL: @no_such_function
// FAILS: NOT_FOUND
func.func @none() {
  return
}

func.func @two_tensors(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = arith.addf %x, %x : tensor<3xf32>
  %1 = arith.mulf %x, %x : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

func.func @swap(%a: tensor<2xi32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xi32>) {
  return %b, %a : tensor<3xf32>, tensor<2xi32>
}

func.func @twice(%a: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = arith.addi %a, %a : tensor<2xi32>
  return %0, %0 : tensor<2xi32>, tensor<2xi32>
}

func.func @sixteen(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
                                        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = arith.addf %x, %x : tensor<f32>
  %1 = arith.addf %0, %x : tensor<f32>
  %2 = arith.addf %1, %x : tensor<f32>
  %3 = arith.addf %2, %x : tensor<f32>
  %4 = arith.addf %3, %x : tensor<f32>
  %5 = arith.addf %4, %x : tensor<f32>
  %6 = arith.addf %5, %x : tensor<f32>
  %7 = arith.addf %6, %x : tensor<f32>
  %8 = arith.addf %7, %x : tensor<f32>
  %9 = arith.addf %8, %x : tensor<f32>
  %10 = arith.addf %9, %x : tensor<f32>
  %11 = arith.addf %10, %x : tensor<f32>
  %12 = arith.addf %11, %x : tensor<f32>
  %13 = arith.addf %12, %x : tensor<f32>
  %14 = arith.addf %13, %x : tensor<f32>
  return %x, %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 :
      tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
      tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

func.func @constant_result() -> tensor<2x3xi16> {
  %0 = arith.constant dense<[[1, -2, 3], [32767, -32768, 0]]> : tensor<2x3xi16>
  return %0 : tensor<2x3xi16>
}

func.func @unused(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
