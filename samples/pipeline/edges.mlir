// Three stages of a look at an image: smooth it, find edges, count them.
// README.md compiles it for the execution model async-external, so that a call
// returns before its work begins.
func.func @smooth(%image: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %kernel = arith.constant dense<0.1111111111> : tensor<3x3xf32>
  %result = call @filter(%image, %kernel)
      : (tensor<32x32xf32>, tensor<3x3xf32>) -> tensor<32x32xf32>
  return %result : tensor<32x32xf32>
}

// Sobel's operator: how steep the image is.
func.func @edges(%image: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %across = arith.constant
      dense<[[1., 0., -1.], [2., 0., -2.], [1., 0., -1.]]> : tensor<3x3xf32>
  %down = arith.constant
      dense<[[1., 2., 1.], [0., 0., 0.], [-1., -2., -1.]]> : tensor<3x3xf32>
  %x = call @filter(%image, %across)
      : (tensor<32x32xf32>, tensor<3x3xf32>) -> tensor<32x32xf32>
  %y = call @filter(%image, %down)
      : (tensor<32x32xf32>, tensor<3x3xf32>) -> tensor<32x32xf32>
  %ax = math.absf %x : tensor<32x32xf32>
  %ay = math.absf %y : tensor<32x32xf32>
  %result = arith.addf %ax, %ay : tensor<32x32xf32>
  return %result : tensor<32x32xf32>
}

// How many pixels are at least 1.
func.func @count(%image: tensor<32x32xf32>) -> tensor<i32> {
  %none = arith.constant dense<0> : tensor<i32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%image : tensor<32x32xf32>) outs(%none : tensor<i32>) {
    ^bb0(%pixel: f32, %counted: i32):
      %one = arith.constant 1.0 : f32
      %counts = arith.cmpf oge, %pixel, %one : f32
      %number = arith.extui %counts : i1 to i32
      %sum = arith.addi %counted, %number : i32
      linalg.yield %sum : i32
  } -> tensor<i32>
  return %result : tensor<i32>
}

func.func private @filter(%image: tensor<32x32xf32>, %kernel: tensor<3x3xf32>)
    -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %image low[1, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
  } : tensor<32x32xf32> to tensor<34x34xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %result = linalg.conv_2d
      ins(%padded, %kernel : tensor<34x34xf32>, tensor<3x3xf32>)
      outs(%zeros : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %result : tensor<32x32xf32>
}
