// Reductions over tensors: sum, maximum, arg max, softmax, dynamic extents.
// VARIANTS: plain async vmvx vmvx-ukernels vulkan vulkan-bda
// CALL: @sum "8xf32=1 2 3 4 5 6 7 8"
// CALL: @sum_rows "2x3xf32=1 2 3 4 5 6"
// CALL: @sum_dynamic "5xi32=1 2 3 4 5"
// CALL: @sum_dynamic "0xi32"
// CALL: @sum_dynamic "1000xi32=3"
// CALL: @max_columns "3x2xf32=1 -2 nan -5 3 -1"
// CALL: @product "4xi64=3 5 7 1000000000000"
// CALL: @arg_max "6xf32=1 -2 8 3 8 0"
// CALL: @softmax "2x4xf32=1 2 3 4 -1 0 1 0"
// CALL: @mean_and_variance "4xf32=1 2 3 4"
// CALL: @running_sum "6xi32=1 2 3 4 5 6"
func.func @sum(%x: tensor<8xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %0 : tensor<f32>
}

func.func @sum_rows(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<2x3xf32>) outs(%zero : tensor<2xf32>) dimensions = [1]
  return %0 : tensor<2xf32>
}

func.func @sum_dynamic(%x: tensor<?xi32>) -> tensor<i32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %0 = linalg.reduce {arith.addi} ins(%x : tensor<?xi32>) outs(%zero : tensor<i32>) dimensions = [0]
  return %0 : tensor<i32>
}

func.func @max_columns(%x: tensor<3x2xf32>) -> tensor<2xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<2xf32>
  %0 = linalg.reduce {arith.maximumf} ins(%x : tensor<3x2xf32>) outs(%low : tensor<2xf32>) dimensions = [0]
  return %0 : tensor<2xf32>
}

func.func @product(%x: tensor<4xi64>) -> tensor<i64> {
  %one = arith.constant dense<1> : tensor<i64>
  %0 = linalg.reduce {arith.muli} ins(%x : tensor<4xi64>) outs(%one : tensor<i64>) dimensions = [0]
  return %0 : tensor<i64>
}

func.func @arg_max(%x: tensor<6xf32>) -> (tensor<f32>, tensor<i64>) {
  %low = arith.constant dense<0xFF800000> : tensor<f32>
  %start = arith.constant dense<0> : tensor<i64>
  %best:2 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<6xf32>) outs(%low, %start : tensor<f32>, tensor<i64>) {
  ^bb0(%v: f32, %m: f32, %at: i64):
    %i = linalg.index 0 : index
    %here = arith.index_cast %i : index to i64
    %more = arith.cmpf ogt, %v, %m : f32
    %m2 = arith.select %more, %v, %m : f32
    %at2 = arith.select %more, %here, %at : i64
    linalg.yield %m2, %at2 : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %best#0, %best#1 : tensor<f32>, tensor<i64>
}

func.func @softmax(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %empty = tensor.empty() : tensor<2x4xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<2x4xf32>) outs(%empty : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @mean_and_variance(%x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %quarter = arith.constant dense<0.25> : tensor<f32>
  %squares = arith.mulf %x, %x : tensor<4xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %q = linalg.reduce {arith.addf} ins(%squares : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %mean = arith.mulf %s, %quarter : tensor<f32>
  %mean_of_squares = arith.mulf %q, %quarter : tensor<f32>
  %square_of_mean = arith.mulf %mean, %mean : tensor<f32>
  %variance = arith.subf %mean_of_squares, %square_of_mean : tensor<f32>
  return %mean, %variance : tensor<f32>, tensor<f32>
}

func.func @running_sum(%x: tensor<6xi32>) -> tensor<6xi32> {
  %empty = tensor.empty() : tensor<6xi32>
  %zero = arith.constant dense<0> : tensor<i32>
  %0:2 = iree_linalg_ext.scan dimension(0) inclusive(true)
      ins(%x : tensor<6xi32>) outs(%empty, %zero : tensor<6xi32>, tensor<i32>) {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    iree_linalg_ext.yield %sum : i32
  } -> tensor<6xi32>, tensor<i32>
  return %0#0 : tensor<6xi32>
}
