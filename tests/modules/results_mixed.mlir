// Scalars between tensors among the results.
// VARIANTS: plain async
// CALL: @mixed "2xf32=1.5 2.5" 7
// CALL: @mixed "2xf32=-1 0" -2147483648
func.func @mixed(%x: tensor<2xf32>, %n: i32) -> (i32, tensor<2xf32>, f32, i64, tensor<f32>) {
  %m = arith.addi %n, %n : i32
  %y = arith.negf %x : tensor<2xf32>
  %f = arith.constant 0.1 : f32
  %l = arith.extsi %n : i32 to i64
  %s = tensor.extract_slice %y[1] [1] [1] : tensor<2xf32> to tensor<f32>
  return %m, %y, %f, %l, %s : i32, tensor<2xf32>, f32, i64, tensor<f32>
}
