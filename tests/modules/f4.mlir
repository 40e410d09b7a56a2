// Floats of four bits. The compilers do not pass tensors of them, only bytes
// and buffers; the view's element type is Eyrie's number for f4E2M1FN.
// RELEASES: 3.11.0 3.12.0 3.13.0
// VARIANTS: plain vmvx
// CALL: @f4_to_f32 "8xi8=16 50 84 118 -104 -70 -36 -2"
func.func @f4_to_f32(%bytes: tensor<8xi8>) -> tensor<16xf32> {
  %0 = flow.tensor.bitcast %bytes : tensor<8xi8> -> tensor<16xf4E2M1FN>
  %1 = arith.extf %0 : tensor<16xf4E2M1FN> to tensor<16xf32>
  return %1 : tensor<16xf32>
}
// Ties go to the even one, and what is too large becomes 6.
// CALL: @f32_to_f4 "8xf32=0.25 1.25 1.75 2.5 3.5 5 7 1e30"
// CALL: @f32_to_f4 "8xf32=-0.2 -0.3 -1.2 -1.3 -2.6 -4.9 -5.1 -inf"
func.func @f32_to_f4(%numbers: tensor<8xf32>) -> tensor<4xi8> {
  %0 = arith.truncf %numbers : tensor<8xf32> to tensor<8xf4E2M1FN>
  %1 = flow.tensor.bitcast %0 : tensor<8xf4E2M1FN> -> tensor<4xi8>
  return %1 : tensor<4xi8>
}
// CALL: @f4_of_view "8xi4=1 -8 7 -1 0 2 4 -2"
// WANT: result[0]: hal.buffer_view
// WANT: 8xf32=0.5 -0 6 -6 0 1 2 -4
// NOTE: the public tool does not read text of i4
func.func @f4_of_view(%view: !hal.buffer_view) -> tensor<8xf32> {
  %0 = hal.tensor.import %view : !hal.buffer_view -> tensor<8xi4> as tensor<8xf4E2M1FN>
  %1 = arith.extf %0 : tensor<8xf4E2M1FN> to tensor<8xf32>
  return %1 : tensor<8xf32>
}
// CALL: @view_of_f4 "4xi8=33 67 101 -121"
// WANT: result[0]: hal.buffer_view
// WANT: 8xf4E2M1FN=0.5 1 1.5 2 3 4 6 -0
// NOTE: the public tool cannot print the type
func.func @view_of_f4(%bytes: tensor<4xi8>) -> !hal.buffer_view {
  %0 = util.optimization_barrier %bytes : tensor<4xi8>
  %1 = hal.tensor.export %0 : tensor<4xi8> -> !hal.buffer
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %type = arith.constant 721420292 : i32  // 0x2B000004
  %encoding = hal.encoding_type<dense_row_major> : i32
  %2 = hal.buffer_view.create buffer(%1 : !hal.buffer)[%c0, %c4] shape([%c8]) type(%type) encoding(%encoding) : !hal.buffer_view
  return %2 : !hal.buffer_view
}
