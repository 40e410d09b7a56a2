// Conversions between element types.
// VARIANTS: plain vulkan@3.3,3.11,3.13
// FLAGS: --iree-input-demote-f64-to-f32=false
// CALL: @f32_to_i32 "4xf32=1.5 -2.7 100 0"
// CALL: @f32_to_i8 "4xf32=1.5 -2.7 100 0"
// CALL: @f32_to_i64 "4xf32=1.5 -2.7 1e12 0"
// CALL: @f64_to_i64 "4xf64=1.5 -2.7 1e15 0"
// CALL: @f64_to_f32 "4xf64=1.1 -2.7 1e15 0"
// CALL: @f32_to_f64 "4xf32=1.1 -2.7 1e15 0"
// CALL: @f32_to_f16 "4xf32=1.1 -2.7 65504 1e-7"
// CALL: @f16_to_f32 "4xf16=1.1 -2.7 65504 0"
// CALL: @bf16_to_f32 "4xbf16=1.1 -2.7 65504 0"
// CALL: @i8_to_f32 "4xi8=1 -2 127 -128"
// CALL: @i8_to_f32u "4xi8=1 -2 127 -128"
// CALL: @i64_to_f64 "4xi64=1 -2 9007199254740993 0"
// CALL: @i8_to_i32 "4xi8=1 -2 127 -128"
// CALL: @i8_to_i32u "4xi8=1 -2 127 -128"
// CALL: @i64_to_i16 "4xi64=1 -2 70000 -70000"
// CALL: @i32_to_f32b "4xi32=0 1065353216 -1082130432 2139095040"
// CALL: @f32_to_i32b "4xf32=0 1 -1 inf"
func.func @f32_to_i32(%a: tensor<4xf32>) -> tensor<4xi32> {
  %0 = arith.fptosi %a : tensor<4xf32> to tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @f32_to_i8(%a: tensor<4xf32>) -> tensor<4xi8> {
  %0 = arith.fptosi %a : tensor<4xf32> to tensor<4xi8>
  return %0 : tensor<4xi8>
}

func.func @f32_to_i64(%a: tensor<4xf32>) -> tensor<4xi64> {
  %0 = arith.fptosi %a : tensor<4xf32> to tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @f64_to_i64(%a: tensor<4xf64>) -> tensor<4xi64> {
  %0 = arith.fptosi %a : tensor<4xf64> to tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @f64_to_f32(%a: tensor<4xf64>) -> tensor<4xf32> {
  %0 = arith.truncf %a : tensor<4xf64> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @f32_to_f64(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = arith.extf %a : tensor<4xf32> to tensor<4xf64>
  return %0 : tensor<4xf64>
}

func.func @f32_to_f16(%a: tensor<4xf32>) -> tensor<4xf16> {
  %0 = arith.truncf %a : tensor<4xf32> to tensor<4xf16>
  return %0 : tensor<4xf16>
}

func.func @f16_to_f32(%a: tensor<4xf16>) -> tensor<4xf32> {
  %0 = arith.extf %a : tensor<4xf16> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @bf16_to_f32(%a: tensor<4xbf16>) -> tensor<4xf32> {
  %0 = arith.extf %a : tensor<4xbf16> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @i8_to_f32(%a: tensor<4xi8>) -> tensor<4xf32> {
  %0 = arith.sitofp %a : tensor<4xi8> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @i8_to_f32u(%a: tensor<4xi8>) -> tensor<4xf32> {
  %0 = arith.uitofp %a : tensor<4xi8> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @i64_to_f64(%a: tensor<4xi64>) -> tensor<4xf64> {
  %0 = arith.sitofp %a : tensor<4xi64> to tensor<4xf64>
  return %0 : tensor<4xf64>
}

func.func @i8_to_i32(%a: tensor<4xi8>) -> tensor<4xi32> {
  %0 = arith.extsi %a : tensor<4xi8> to tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @i8_to_i32u(%a: tensor<4xi8>) -> tensor<4xi32> {
  %0 = arith.extui %a : tensor<4xi8> to tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @i64_to_i16(%a: tensor<4xi64>) -> tensor<4xi16> {
  %0 = arith.trunci %a : tensor<4xi64> to tensor<4xi16>
  return %0 : tensor<4xi16>
}

func.func @i32_to_f32b(%a: tensor<4xi32>) -> tensor<4xf32> {
  %0 = arith.bitcast %a : tensor<4xi32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @f32_to_i32b(%a: tensor<4xf32>) -> tensor<4xi32> {
  %0 = arith.bitcast %a : tensor<4xf32> to tensor<4xi32>
  return %0 : tensor<4xi32>
}
