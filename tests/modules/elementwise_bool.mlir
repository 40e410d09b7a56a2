// i1: one byte per element in memory, i32 as a scalar.
// VARIANTS: plain vulkan
// CALL: @less "4xf32=1 2 3 nan" "4xf32=2 2 2 2"
// CALL: @not_equal_unordered "4xf32=1 2 3 nan" "4xf32=2 2 2 2"
// CALL: @choose "4xi8=1 0 0 1" "4xi32=1 2 3 4" "4xi32=-1 -2 -3 -4"
// CALL: @and_or_xor "4xi8=1 1 0 0" "4xi8=1 0 1 0"
// CALL: @scalar_not 1
// CALL: @scalar_not 0
// CALL: @is_positive 3
// CALL: @is_positive -3
// CALL: @any "3xi8=0 0 1"
// CALL: @any "3xi8=0 0 0"
func.func @less(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %0 = arith.cmpf olt, %a, %b : tensor<4xf32>
  return %0 : tensor<4xi1>
}

func.func @not_equal_unordered(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %0 = arith.cmpf une, %a, %b : tensor<4xf32>
  return %0 : tensor<4xi1>
}

func.func @choose(%c: tensor<4xi1>, %a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.select %c, %a, %b : tensor<4xi1>, tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @and_or_xor(%a: tensor<4xi1>, %b: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = arith.andi %a, %b : tensor<4xi1>
  %1 = arith.ori %a, %b : tensor<4xi1>
  %2 = arith.xori %a, %b : tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

func.func @scalar_not(%a: i1) -> i1 {
  %true = arith.constant true
  %0 = arith.xori %a, %true : i1
  return %0 : i1
}

func.func @is_positive(%a: i32) -> i1 {
  %zero = arith.constant 0 : i32
  %0 = arith.cmpi sgt, %a, %zero : i32
  return %0 : i1
}

func.func @any(%a: tensor<3xi1>) -> tensor<i1> {
  %false = arith.constant dense<false> : tensor<i1>
  %0 = linalg.reduce {arith.ori} ins(%a : tensor<3xi1>) outs(%false : tensor<i1>) dimensions = [0]
  return %0 : tensor<i1>
}
