// A residual block: two convolutions of 3x3 over 64 channels, and the input
// added to what they give.
util.global private @filter1 = #util.byte_pattern<59> : tensor<3x3x64x64xf32>
util.global private @filter2 = #util.byte_pattern<60> : tensor<3x3x64x64xf32>

func.func private @convolve(%x: tensor<1x28x28x64xf32>,
                            %filter: tensor<3x3x64x64xf32>)
    -> tensor<1x28x28x64xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x28x28x64xf32> to tensor<1x30x30x64xf32>
  %empty = tensor.empty() : tensor<1x28x28x64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x28x28x64xf32>)
      -> tensor<1x28x28x64xf32>
  %sum = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%padded, %filter : tensor<1x30x30x64xf32>, tensor<3x3x64x64xf32>)
      outs(%filled : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  return %sum : tensor<1x28x28x64xf32>
}

func.func @resnet(%x: tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32> {
  %f1 = util.global.load @filter1 : tensor<3x3x64x64xf32>
  %f2 = util.global.load @filter2 : tensor<3x3x64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<1x28x28x64xf32>
  %a = func.call @convolve(%x, %f1)
      : (tensor<1x28x28x64xf32>, tensor<3x3x64x64xf32>)
      -> tensor<1x28x28x64xf32>
  %b = arith.maximumf %a, %zeros : tensor<1x28x28x64xf32>
  %c = func.call @convolve(%b, %f2)
      : (tensor<1x28x28x64xf32>, tensor<3x3x64x64xf32>)
      -> tensor<1x28x28x64xf32>
  %d = arith.addf %c, %x : tensor<1x28x28x64xf32>
  %e = arith.maximumf %d, %zeros : tensor<1x28x28x64xf32>
  return %e : tensor<1x28x28x64xf32>
}
