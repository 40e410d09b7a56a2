// Sorting, of arguments and of a constant: the constant's bytes come from the
// module and are sorted in place, so a second call shows whether a runtime
// let that reach the module.
// VARIANTS: plain bare vulkan
// CALL: @sort "8xf32=3 1 4 1 5 -9 2 6"
// CALL: @sort_descending "6xi32=3 -1 4 1 5 9"
// CALL: @sort_dynamic "5xi32=5 4 3 2 1"
// CALL: @sort_dynamic "0xi32"
// CALL: @sort_pairs "4xf32=3 1 2 0" "4xi32=30 10 20 0"
// CALL: @sort_rows "2x3xi64=3 2 1 6 4 5"
// CALL: @sort_constant
// CALL: @sort_constant_twice
// CALL: @top_2 "6xf32=1 7 3 -2 8 0"
func.func @sort(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = iree_linalg_ext.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %less = arith.cmpf olt, %a, %b : f32
    iree_linalg_ext.yield %less : i1
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @sort_descending(%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = iree_linalg_ext.sort dimension(0) outs(%x : tensor<6xi32>) {
  ^bb0(%a: i32, %b: i32):
    %more = arith.cmpi sgt, %a, %b : i32
    iree_linalg_ext.yield %more : i1
  } -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

func.func @sort_dynamic(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = iree_linalg_ext.sort dimension(0) outs(%x : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    iree_linalg_ext.yield %less : i1
  } -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

func.func @sort_pairs(%keys: tensor<4xf32>, %values: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = iree_linalg_ext.sort dimension(0) outs(%keys, %values : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    %less = arith.cmpf olt, %a, %b : f32
    iree_linalg_ext.yield %less : i1
  } -> tensor<4xf32>, tensor<4xi32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}

func.func @sort_rows(%x: tensor<2x3xi64>) -> tensor<2x3xi64> {
  %0 = iree_linalg_ext.sort dimension(1) outs(%x : tensor<2x3xi64>) {
  ^bb0(%a: i64, %b: i64):
    %less = arith.cmpi slt, %a, %b : i64
    iree_linalg_ext.yield %less : i1
  } -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

func.func @sort_constant() -> tensor<8xi32> {
  %x = util.unfoldable_constant dense<[8, 3, 5, 1, 7, 2, 6, 4]> : tensor<8xi32>
  %0 = iree_linalg_ext.sort dimension(0) outs(%x : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    iree_linalg_ext.yield %less : i1
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// Sorts the same constant ascending and descending and returns it unsorted.
func.func @sort_constant_twice() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %x = arith.constant dense<[2.5, 0.5, 1.5, 5.5, 4.5, 3.5]> : tensor<6xf32>
  %0 = iree_linalg_ext.sort dimension(0) outs(%x : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %less = arith.cmpf olt, %a, %b : f32
    iree_linalg_ext.yield %less : i1
  } -> tensor<6xf32>
  %1 = iree_linalg_ext.sort dimension(0) outs(%x : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %more = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %more : i1
  } -> tensor<6xf32>
  return %0, %1, %x : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

func.func @top_2(%x: tensor<6xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
  %empty = tensor.empty() : tensor<6xi64>
  %index = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<6xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<6xi64>
  %0:2 = iree_linalg_ext.sort dimension(0) outs(%x, %index : tensor<6xf32>, tensor<6xi64>) {
  ^bb0(%a: f32, %b: f32, %c: i64, %d: i64):
    %more = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %more : i1
  } -> tensor<6xf32>, tensor<6xi64>
  %1 = tensor.extract_slice %0#0[0] [2] [1] : tensor<6xf32> to tensor<2xf32>
  %2 = tensor.extract_slice %0#1[0] [2] [1] : tensor<6xi64> to tensor<2xi64>
  return %1, %2 : tensor<2xf32>, tensor<2xi64>
}
