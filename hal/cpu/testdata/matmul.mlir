// With microkernels on, a library of several exports whose vector code is
// chosen at run time.
func.func @matmul(%a: tensor<128x256xi8>,
                  %b: tensor<256x128xi8>) -> tensor<128x128xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<128x128xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<128x128xi32>)
      -> tensor<128x128xi32>
  %0 = linalg.matmul
      ins(%a, %b : tensor<128x256xi8>, tensor<256x128xi8>)
      outs(%start : tensor<128x128xi32>) -> tensor<128x128xi32>
  return %0 : tensor<128x128xi32>
}
