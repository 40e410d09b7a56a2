// Constants in rodata: one of 64 KiB, globals with initializers, and a
// constant that insert_slice updates in place.
// VARIANTS: plain bare async vulkan@3.3,3.11,3.13
// CALL: @table_at 0
// CALL: @table_at 16000
// CALL: @table_sum
// CALL: @patch "2xi32=-1 -2"
// WANT: result[0]: hal.buffer_view
// WANT: 6xi32=10 -1 -2 40 50 60
// NOTE: the module writes to its own constant
// CALL: @patch_twice "2xi32=-1 -2"
// CALL: @computed_global
// CALL: @small_types
func.func private @make_table() -> tensor<16384xf32> {
  %empty = tensor.empty() : tensor<16384xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<16384xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %v = arith.sitofp %n : i32 to f32
    %half = arith.constant 0.5 : f32
    %w = arith.mulf %v, %half : f32
    linalg.yield %w : f32
  } -> tensor<16384xf32>
  return %0 : tensor<16384xf32>
}

util.global private @table : tensor<16384xf32>
util.initializer {
  %0 = func.call @make_table() : () -> tensor<16384xf32>
  util.global.store %0, @table : tensor<16384xf32>
  util.return
}

util.global private mutable @scaled : tensor<3xf32>
util.initializer {
  %0 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %1 = arith.mulf %0, %0 : tensor<3xf32>
  util.global.store %1, @scaled : tensor<3xf32>
  util.return
}

func.func @table_at(%at: index) -> tensor<4xf32> {
  %t = util.global.load @table : tensor<16384xf32>
  %0 = tensor.extract_slice %t[%at] [4] [1] : tensor<16384xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @table_sum() -> tensor<f32> {
  %t = util.global.load @table : tensor<16384xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.reduce {arith.addf} ins(%t : tensor<16384xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %0 : tensor<f32>
}

func.func @patch(%x: tensor<2xi32>) -> tensor<6xi32> {
  %c = util.unfoldable_constant dense<[10, 20, 30, 40, 50, 60]> : tensor<6xi32>
  %0 = tensor.insert_slice %x into %c[1] [2] [1] : tensor<2xi32> into tensor<6xi32>
  return %0 : tensor<6xi32>
}

func.func @patch_twice(%x: tensor<2xi32>) -> (tensor<6xi32>, tensor<6xi32>) {
  %c = arith.constant dense<[11, 21, 31, 41, 51, 61]> : tensor<6xi32>
  %0 = tensor.insert_slice %x into %c[1] [2] [1] : tensor<2xi32> into tensor<6xi32>
  %1 = tensor.insert_slice %x into %c[4] [2] [1] : tensor<2xi32> into tensor<6xi32>
  return %0, %1 : tensor<6xi32>, tensor<6xi32>
}

func.func @computed_global() -> tensor<3xf32> {
  %0 = util.global.load @scaled : tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @small_types() -> (tensor<5xi8>, tensor<3xf16>, tensor<3xbf16>, tensor<4xi1>, tensor<2xf64>) {
  %0 = arith.constant dense<[1, -2, 127, -128, 0]> : tensor<5xi8>
  %1 = arith.constant dense<[1.0, -0.5, 65504.0]> : tensor<3xf16>
  %2 = arith.constant dense<[1.0, -0.5, 1.0e30]> : tensor<3xbf16>
  %3 = arith.constant dense<[true, false, false, true]> : tensor<4xi1>
  %4 = arith.constant dense<[0.1, -1.0e300]> : tensor<2xf64>
  return %0, %1, %2, %3, %4 : tensor<5xi8>, tensor<3xf16>, tensor<3xbf16>, tensor<4xi1>, tensor<2xf64>
}
