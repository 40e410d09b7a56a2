// Matrix products: small and static, the 512 by 512 benchmark, dynamic.
// VARIANTS: plain bare async vulkan vulkan-bda
// CALL: @matmul_2x3x4 "2x3xf32=1 2 3 4 5 6" "3x4xf32=1 0 0 1 0 1 0 2 0 0 1 3"
// CALL: @matmul_dynamic "2x3xf32=1 2 3 4 5 6" "3x1xf32=1 10 100"
// CALL: @matmul_dynamic "17x9xf32=0.5" "9x5xf32=0.25"
// CALL: @matmul_dynamic "0x3xf32" "3x2xf32=1"
// CALL: @matmul_i8 "4x8xi8=-128" "8x4xi8=127"
// CALL: @vector_times_matrix "3xf32=1 2 3" "3x2xf32=1 2 3 4 5 6"
// CALL: @matmul_512_corner "512x512xf32=0.5" "512x512xf32=0.25"
func.func @matmul_2x3x4(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4xf32>) -> tensor<2x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%init : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

func.func @matmul_512(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %c : tensor<512x512xf32>
}

func.func @matmul_512_corner(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<2x2xf32> {
  %c = func.call @matmul_512(%a, %b) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %corner = tensor.extract_slice %c[510, 510] [2, 2] [1, 1] : tensor<512x512xf32> to tensor<2x2xf32>
  return %corner : tensor<2x2xf32>
}

func.func @matmul_dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

func.func @matmul_i8(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>) -> tensor<4x4xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<4x4xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<4x4xi32>) -> tensor<4x4xi32>
  %c = linalg.matmul ins(%a, %b : tensor<4x8xi8>, tensor<8x4xi8>) outs(%init : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %c : tensor<4x4xi32>
}

func.func @vector_times_matrix(%x: tensor<3xf32>, %w: tensor<3x2xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2xf32>) -> tensor<2xf32>
  %y = linalg.vecmat ins(%x, %w : tensor<3xf32>, tensor<3x2xf32>) outs(%init : tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
