// A caller's tensor that the function changes in place, whether or not it is
// marked.
// VARIANTS: plain@3.13+
// CALL: @put "8xf32=1 2 3 4 5 6 7 8" "2xf32=-1 -2" 3
// CALL: @put "8xf32=0" "2xf32=1 2" 6
// CALL: @put_unmarked "8xf32=0" "2xf32=1 2" 6
// CALL: @main "8xf32=0" "2xf32=1 2"
func.func @put(%cache: tensor<8xf32> {iree.abi.consume}, %row: tensor<2xf32>, %at: index) -> tensor<8xf32> {
  %0 = tensor.insert_slice %row into %cache[%at] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @put_unmarked(%cache: tensor<8xf32>, %row: tensor<2xf32>, %at: index) -> tensor<8xf32> {
  %0 = tensor.insert_slice %row into %cache[%at] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @main(%cache: tensor<8xf32>, %row: tensor<2xf32>) -> tensor<8xf32> {
  %0 = tensor.insert_slice %row into %cache[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}
