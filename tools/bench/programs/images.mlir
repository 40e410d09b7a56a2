// Four images of 512x512 in three channels: normalized, tanh, the largest value
// of each channel. Every buffer has 12 MiB.
func.func @images(%x: tensor<4x3x512x512xf32>) -> tensor<4x3xf32> {
  %mean = arith.constant dense<[0.48, 0.45, 0.4]> : tensor<3xf32>
  %scale = arith.constant dense<[4.4, 4.5, 4.3]> : tensor<3xf32>
  %least = arith.constant dense<-1.0> : tensor<4x3xf32>
  %to = tensor.empty() : tensor<4x3x512x512xf32>
  %normal = linalg.generic {
      indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>,
                       affine_map<(n, c, h, w) -> (c)>,
                       affine_map<(n, c, h, w) -> (c)>,
                       affine_map<(n, c, h, w) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %mean, %scale
          : tensor<4x3x512x512xf32>, tensor<3xf32>, tensor<3xf32>)
      outs(%to : tensor<4x3x512x512xf32>) {
    ^bb0(%value: f32, %m: f32, %s: f32, %unused: f32):
      %centered = arith.subf %value, %m : f32
      %scaled = arith.mulf %centered, %s : f32
      linalg.yield %scaled : f32
  } -> tensor<4x3x512x512xf32>
  // Without the barriers, the compiler would make one dispatch of all.
  %a = util.optimization_barrier %normal : tensor<4x3x512x512xf32>
  %tanh = math.tanh %a : tensor<4x3x512x512xf32>
  %b = util.optimization_barrier %tanh : tensor<4x3x512x512xf32>
  %max = linalg.reduce {arith.maximumf} ins(%b : tensor<4x3x512x512xf32>)
      outs(%least : tensor<4x3xf32>) dimensions = [2, 3]
  return %max : tensor<4x3xf32>
}
