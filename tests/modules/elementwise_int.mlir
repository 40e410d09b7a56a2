// Elementwise arithmetic on integers of every width, with results that wrap.
// VARIANTS: plain bare vmvx vulkan@3.3,3.11,3.13
// CALL: @add_i8 "4xi8=127 -128 5 -7" "4xi8=1 -1 3 2"
// CALL: @sub_i8 "4xi8=127 -128 5 -7" "4xi8=1 -1 3 2"
// CALL: @mul_i8 "4xi8=127 -128 5 -7" "4xi8=1 -1 3 2"
// CALL: @div_i8 "4xi8=100 -100 7 -7" "4xi8=7 7 -2 2"
// CALL: @add_i16 "4xi16=32767 -32768 5 -7" "4xi16=1 -1 3 2"
// CALL: @sub_i16 "4xi16=32767 -32768 5 -7" "4xi16=1 -1 3 2"
// CALL: @mul_i16 "4xi16=32767 -32768 5 -7" "4xi16=1 -1 3 2"
// CALL: @div_i16 "4xi16=100 -100 7 -7" "4xi16=7 7 -2 2"
// CALL: @add_i32 "4xi32=2147483647 -2147483648 5 -7" "4xi32=1 1 3 2"
// CALL: @sub_i32 "4xi32=2147483647 -2147483648 5 -7" "4xi32=1 1 3 2"
// CALL: @mul_i32 "4xi32=2147483647 -2147483648 5 -7" "4xi32=1 1 3 2"
// CALL: @div_i32 "4xi32=100 -100 7 -7" "4xi32=7 7 -2 2"
// CALL: @add_i64 "4xi64=9223372036854775807 -9223372036854775808 5 -7" "4xi64=1 1 3 2"
// CALL: @sub_i64 "4xi64=9223372036854775807 -9223372036854775808 5 -7" "4xi64=1 1 3 2"
// CALL: @mul_i64 "4xi64=9223372036854775807 -9223372036854775808 5 -7" "4xi64=1 1 3 2"
// CALL: @div_i64 "4xi64=100 -100 7 -7" "4xi64=7 7 -2 2"
// CALL: @rem_i32 "4xi32=100 -100 7 -7" "4xi32=7 7 -2 2"
// CALL: @divu_i32 "4xi32=100 -100 7 -7" "4xi32=7 7 -2 2"
// CALL: @remu_i32 "4xi32=100 -100 7 -7" "4xi32=7 7 -2 2"
// CALL: @and_i16 "4xi16=100 -100 7 -7" "4xi16=7 7 -2 2"
// CALL: @or_i16 "4xi16=100 -100 7 -7" "4xi16=7 7 -2 2"
// CALL: @xor_i16 "4xi16=100 -100 7 -7" "4xi16=7 7 -2 2"
// CALL: @mins_i16 "4xi16=100 -100 7 -7" "4xi16=7 7 -2 2"
// CALL: @maxs_i16 "4xi16=100 -100 7 -7" "4xi16=7 7 -2 2"
// CALL: @minu_i16 "4xi16=100 -100 7 -7" "4xi16=7 7 -2 2"
// CALL: @maxu_i16 "4xi16=100 -100 7 -7" "4xi16=7 7 -2 2"
// CALL: @shl_i64 "4xi64=1 -100 7 -7" "4xi64=40 1 0 60"
// CALL: @shrs_i64 "4xi64=1 -100 7 -7" "4xi64=40 1 0 60"
// CALL: @shru_i64 "4xi64=1 -100 7 -7" "4xi64=40 1 0 60"
// CALL: @add_i8 "2x2xi8=1 2 3 4" "4xi8=1"
// FAILS: INVALID_ARGUMENT
// CALL: @add_i8 "4xi16=1 2 3 4" "4xi8=1"
// FAILS: INVALID_ARGUMENT
// CALL: @add_i8 "4xi8=1"
// FAILS: INVALID_ARGUMENT
func.func @add_i8(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = arith.addi %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

func.func @sub_i8(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = arith.subi %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

func.func @mul_i8(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = arith.muli %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

func.func @div_i8(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = arith.divsi %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

func.func @add_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.addi %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @sub_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.subi %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @mul_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.muli %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @div_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.divsi %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @add_i32(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.addi %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @sub_i32(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.subi %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @mul_i32(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.muli %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @div_i32(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.divsi %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @add_i64(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = arith.addi %a, %b : tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @sub_i64(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = arith.subi %a, %b : tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @mul_i64(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = arith.muli %a, %b : tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @div_i64(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = arith.divsi %a, %b : tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @rem_i32(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.remsi %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @divu_i32(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.divui %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @remu_i32(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.remui %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @and_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.andi %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @or_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.ori %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @xor_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.xori %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @mins_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.minsi %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @maxs_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.maxsi %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @minu_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.minui %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @maxu_i16(%a: tensor<4xi16>, %b: tensor<4xi16>) -> tensor<4xi16> {
  %0 = arith.maxui %a, %b : tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @shl_i64(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = arith.shli %a, %b : tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @shrs_i64(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = arith.shrsi %a, %b : tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @shru_i64(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = arith.shrui %a, %b : tensor<4xi64>
  return %0 : tensor<4xi64>
}
