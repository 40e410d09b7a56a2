// Convolutions and pooling.
// VARIANTS: plain vulkan
// CALL: @conv_2d "1x4x4x1xf32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16" "3x3x1x2xf32=1 0 0 0 0 0 0 0 1 1 0 0 0 0 0 0 -1 2"
// CALL: @conv_2d_nchw "1x2x3x3xf32=1 2 3 4 5 6 7 8 9 9 8 7 6 5 4 3 2 1" "1x2x2x2xf32=1 -1 1 -1 0.5 0.5 0.5 0.5"
// CALL: @depthwise "1x3x3x2xf32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18" "2x2x2xf32=1 0 1 0 1 0 1 2"
// CALL: @max_pool "1x4x4x1xf32=1 5 2 0 3 -4 8 1 0 0 -1 -2 7 1 -3 -9"
// CALL: @conv_1d_dynamic "6xf32=1 2 3 4 5 6" "3xf32=1 0 -1"
// CALL: @conv_i8 "1x3x3x4xi8=3" "2x2x4x2xi8=-5"
func.func @conv_2d(%x: tensor<1x4x4x1xf32>, %w: tensor<3x3x1x2xf32>) -> tensor<1x2x2x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x2x2x2xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x4x4x1xf32>, tensor<3x3x1x2xf32>) outs(%zero : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

func.func @conv_2d_nchw(%x: tensor<1x2x3x3xf32>, %w: tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x1x2x2xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x2x3x3xf32>, tensor<1x2x2x2xf32>) outs(%zero : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}

func.func @depthwise(%x: tensor<1x3x3x2xf32>, %w: tensor<2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x2x2x2xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x3x2xf32>, tensor<2x2x2xf32>) outs(%zero : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

func.func @max_pool(%x: tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<1x2x2x1xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %window : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%low : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  return %0 : tensor<1x2x2x1xf32>
}

func.func @conv_1d_dynamic(%x: tensor<?xf32>, %w: tensor<3xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c2 : index
  %empty = tensor.empty(%m) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @conv_i8(%x: tensor<1x3x3x4xi8>, %w: tensor<2x2x4x2xi8>) -> tensor<1x2x2x2xi32> {
  %zero = arith.constant dense<0> : tensor<1x2x2x2xi32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x3x4xi8>, tensor<2x2x4x2xi8>) outs(%zero : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  return %0 : tensor<1x2x2x2xi32>
}
