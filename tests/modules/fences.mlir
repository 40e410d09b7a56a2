// Exports that take and signal fences by their own attribute, beside one that
// waits itself; the tool adds the fences.
// VARIANTS: plain bare vulkan
// CALL: @scale "4xf32=1 2 3 4" "f32=3"
// CALL: @chain "4xf32=1 2 3 4"
// CALL: @waits "4xf32=1 2 3 4"
// CALL: @stateful "4xf32=1 2 3 4"
util.global private mutable @state = dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>

func.func @scale(%x: tensor<4xf32>, %f: tensor<f32>) -> tensor<4xf32> attributes {iree.abi.model = "coarse-fences"} {
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.broadcast ins(%f : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %0 = arith.mulf %x, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @chain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) attributes {iree.abi.model = "coarse-fences"} {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = arith.mulf %x, %x : tensor<4xf32>
  %1 = linalg.reduce {arith.addf} ins(%0 : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %0, %1 : tensor<4xf32>, tensor<f32>
}

func.func @waits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @stateful(%x: tensor<4xf32>) -> tensor<4xf32> attributes {iree.abi.model = "coarse-fences"} {
  %old = util.global.load @state : tensor<4xf32>
  %new = arith.addf %old, %x : tensor<4xf32>
  util.global.store %new, @state : tensor<4xf32>
  return %new : tensor<4xf32>
}
