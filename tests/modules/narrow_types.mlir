// Element types narrower than a byte or beside the usual ones, as constants
// and on the way: i4, complex.
// VARIANTS: plain vulkan
// CALL: @unpack_i4
// CALL: @complex_product
func.func @unpack_i4() -> tensor<8xi32> {
  %c = util.unfoldable_constant dense<[1, -2, 7, -8, 0, 3, -1, 5]> : tensor<8xi4>
  %0 = arith.extsi %c : tensor<8xi4> to tensor<8xi32>
  return %0 : tensor<8xi32>
}

func.func @complex_product() -> tensor<2xf32> {
  %a = util.unfoldable_constant dense<[(1.0, 2.0), (0.5, -1.0)]> : tensor<2xcomplex<f32>>
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<2xcomplex<f32>>) outs(%e : tensor<2xf32>) {
  ^bb0(%z: complex<f32>, %out: f32):
    %w = complex.mul %z, %z : complex<f32>
    %re = complex.re %w : complex<f32>
    linalg.yield %re : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
