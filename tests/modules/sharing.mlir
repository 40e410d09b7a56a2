// What becomes of arguments' memory: passed on, written in place, looked at;
// and integers with a sign, which are passed on.
// VARIANTS: plain
// CALL: @same "4xf32=1 2 3 4"
// CALL: @twice "4xf32=1 2 3 4"
// CALL: @rows "4xf32=1 2 3 4"
// CALL: @write "4xf32=1 2 3 4" 2
// CALL: @write_all "4xf32=1 2 3 4" "2xf32=-1 -2"
// CALL: @signed "2x2xsi8=1 -2 127 -128"
// CALL: @unsigned "2x2xui8=1 2 127 255"
// CALL: @signed_32 "2xsi32=-1 2147483647"
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }

func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) { return %x, %x : tensor<4xf32>, tensor<4xf32> }

func.func @rows(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

func.func @write(%x: tensor<4xf32>, %at: index) -> tensor<4xf32> {
  %seven = arith.constant 7.0 : f32
  %0 = tensor.insert %seven into %x[%at] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @write_all(%x: tensor<4xf32>, %part: tensor<2xf32>) -> tensor<4xf32> {
  %0 = tensor.insert_slice %part into %x[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @signed(%x: tensor<?x2xsi8>) -> tensor<?x2xsi8> { return %x : tensor<?x2xsi8> }

func.func @unsigned(%x: tensor<?x2xui8>) -> tensor<?x2xui8> { return %x : tensor<?x2xui8> }

func.func @signed_32(%x: tensor<2xsi32>) -> tensor<2xsi32> { return %x : tensor<2xsi32> }
