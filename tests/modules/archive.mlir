// The program that every release compiles: operations that all of them know,
// with and without constants, state, dynamic shapes and many workgroups.
// RELEASES: all
// VARIANTS: plain async bare-debug vmvx vmvx-ukernels@20230524.0+ inline-static inline-dynamic inline-dynamic-vmvx vulkan
// CALL: @scale "4x8xf32=0.5" "4x8xf32=0.25"
// CALL: @chain "2x3xf32=1 4 9 0.25 2 100"
// CALL: @bits "6xi32=1 -2 255 1024 -2147483648 0" "6xi32=3 5 -7 31 1 2"
// CALL: @bytes "5xi8=1 -2 127 -128 5" "5xi8=1 -1 1 -1 100"
// CALL: @matmul "17x9xf32=0.5" "9x5xf32=0.25"
// CALL: @matmul "2x3xf32=1 2 3 4 5 6" "3x4xf32=1 0 0 1 0 1 0 2 0 0 1 3"
// CALL: @softmax "2x4xf32=1 2 3 4 -1 0 1 0"
// CALL: @sum_rows "3x5xf32=1 2 3 4 5 -1 -2 -3 -4 -5 10 20 30 40 50"
// CALL: @weigh "4xi32=5 6 7 8"
// CALL: @corner "100x70xf32=2"
// CALL: @mixed 3 "2xf32=1 2" 2.5
// CALL: @count
// CPU_ONLY: a test calls each function of a module for Vulkan several times
func.func @scale(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = arith.addf %a, %b : tensor<4x8xf32>
  %1 = math.exp %0 : tensor<4x8xf32>
  %2 = arith.mulf %1, %b : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

func.func @chain(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = math.rsqrt %a : tensor<2x3xf32>
  %1 = arith.divf %0, %a : tensor<2x3xf32>
  %2 = arith.subf %1, %a : tensor<2x3xf32>
  %3 = math.absf %2 : tensor<2x3xf32>
  %4 = math.floor %3 : tensor<2x3xf32>
  %5 = math.ceil %1 : tensor<2x3xf32>
  %6 = arith.negf %5 : tensor<2x3xf32>
  %7 = arith.addf %4, %6 : tensor<2x3xf32>
  return %7 : tensor<2x3xf32>
}

func.func @bits(%a: tensor<6xi32>, %b: tensor<6xi32>) -> tensor<6xi32> {
  %c5 = arith.constant dense<5> : tensor<6xi32>
  %0 = arith.andi %a, %b : tensor<6xi32>
  %1 = arith.ori %0, %c5 : tensor<6xi32>
  %2 = arith.xori %1, %b : tensor<6xi32>
  %3 = arith.shli %2, %c5 : tensor<6xi32>
  %4 = arith.shrsi %3, %c5 : tensor<6xi32>
  %5 = arith.shrui %a, %c5 : tensor<6xi32>
  %6 = arith.subi %4, %5 : tensor<6xi32>
  return %6 : tensor<6xi32>
}

func.func @bytes(%a: tensor<5xi8>, %b: tensor<5xi8>) -> tensor<5xi8> {
  %0 = arith.addi %a, %b : tensor<5xi8>
  return %0 : tensor<5xi8>
}

func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
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

// exp(x) / sum(exp(x)) of each row.
func.func @softmax(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%row : tensor<2xf32>) -> tensor<2xf32>
  %exp = math.exp %x : tensor<2x4xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<2x4xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  %out = tensor.empty() : tensor<2x4xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<2x4xf32>, tensor<2xf32>) outs(%out : tensor<2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @sum_rows(%x: tensor<?x5xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x5xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x5xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @weigh(%a: tensor<4xi32>) -> tensor<4xi32> {
  %weights = arith.constant dense<[1, 20, 300, 4000]> : tensor<4xi32>
  %0 = arith.muli %weights, %a : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Many workgroups.
func.func @corner(%a: tensor<100x70xf32>) -> tensor<2x2xf32> {
  %0 = math.exp %a : tensor<100x70xf32>
  %1 = arith.addf %0, %a : tensor<100x70xf32>
  %2 = tensor.extract_slice %1[98, 68] [2, 2] [1, 1] : tensor<100x70xf32> to tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// Scalars become constants of the dispatch.
func.func @mixed(%n: i32, %x: tensor<2xf32>, %y: f32) -> tensor<2xf32> {
  %f = arith.sitofp %n : i32 to f32
  %init = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %f : f32
    %t = arith.addf %s, %y : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

util.global private mutable @calls = 0 : i32
func.func @count() -> i32 {
  %one = arith.constant 1 : i32
  %old = util.global.load @calls : i32
  %new = arith.addi %old, %one : i32
  util.global.store %new, @calls : i32
  return %new : i32
}
