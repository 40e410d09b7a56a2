// Elementwise arithmetic on floats of every width, NaN and infinities too.
// VARIANTS: plain async vulkan@3.3,3.11,3.13
// FLAGS: --iree-input-demote-f64-to-f32=false
// CALL: @add_f16 "6xf16=1.5 -2.25 100 0 -1 3" "6xf16=0.5 4 -8 0 0 7"
// CALL: @sub_f16 "6xf16=1.5 -2.25 100 0 -1 3" "6xf16=0.5 4 -8 0 0 7"
// CALL: @mul_f16 "6xf16=1.5 -2.25 100 0 -1 3" "6xf16=0.5 4 -8 0 0 7"
// CALL: @div_f16 "6xf16=1.5 -2.25 100 0 -1 3" "6xf16=0.5 4 -8 0 0 7"
// CALL: @add_bf16 "6xbf16=1.5 -2.25 100 0 -1 3" "6xbf16=0.5 4 -8 0 0 7"
// CALL: @sub_bf16 "6xbf16=1.5 -2.25 100 0 -1 3" "6xbf16=0.5 4 -8 0 0 7"
// CALL: @mul_bf16 "6xbf16=1.5 -2.25 100 0 -1 3" "6xbf16=0.5 4 -8 0 0 7"
// CALL: @div_bf16 "6xbf16=1.5 -2.25 100 0 -1 3" "6xbf16=0.5 4 -8 0 0 7"
// CALL: @add_f32 "6xf32=1.5 -2.25 100 0 -1 3" "6xf32=0.5 4 -8 0 0 7"
// CALL: @sub_f32 "6xf32=1.5 -2.25 100 0 -1 3" "6xf32=0.5 4 -8 0 0 7"
// CALL: @mul_f32 "6xf32=1.5 -2.25 100 0 -1 3" "6xf32=0.5 4 -8 0 0 7"
// CALL: @div_f32 "6xf32=1.5 -2.25 100 0 -1 3" "6xf32=0.5 4 -8 0 0 7"
// CALL: @add_f64 "6xf64=1.5 -2.25 100 0 -1 3" "6xf64=0.5 4 -8 0 0 7"
// CALL: @sub_f64 "6xf64=1.5 -2.25 100 0 -1 3" "6xf64=0.5 4 -8 0 0 7"
// CALL: @mul_f64 "6xf64=1.5 -2.25 100 0 -1 3" "6xf64=0.5 4 -8 0 0 7"
// CALL: @div_f64 "6xf64=1.5 -2.25 100 0 -1 3" "6xf64=0.5 4 -8 0 0 7"
// CALL: @min_f32 "4xf32=1 nan -7.5 3" "4xf32=2 1 2 nan"
// CALL: @max_f32 "4xf32=1 nan -7.5 3" "4xf32=2 1 2 nan"
// CALL: @minnum_f32 "4xf32=1 nan -7.5 3" "4xf32=2 1 2 nan"
// CALL: @maxnum_f32 "4xf32=1 nan -7.5 3" "4xf32=2 1 2 nan"
// CALL: @rem_f32 "4xf32=1 nan -7.5 3" "4xf32=2 1 2 nan"
// CALL: @neg_f64 "4xf64=1 -0.1 0 1e300"
// CALL: @add_f32 "6xf64=1" "6xf32=1"
// FAILS: INVALID_ARGUMENT
func.func @add_f16(%a: tensor<6xf16>, %b: tensor<6xf16>) -> tensor<6xf16> {
  %0 = arith.addf %a, %b : tensor<6xf16>
  return %0 : tensor<6xf16>
}

func.func @sub_f16(%a: tensor<6xf16>, %b: tensor<6xf16>) -> tensor<6xf16> {
  %0 = arith.subf %a, %b : tensor<6xf16>
  return %0 : tensor<6xf16>
}

func.func @mul_f16(%a: tensor<6xf16>, %b: tensor<6xf16>) -> tensor<6xf16> {
  %0 = arith.mulf %a, %b : tensor<6xf16>
  return %0 : tensor<6xf16>
}

func.func @div_f16(%a: tensor<6xf16>, %b: tensor<6xf16>) -> tensor<6xf16> {
  %0 = arith.divf %a, %b : tensor<6xf16>
  return %0 : tensor<6xf16>
}

func.func @add_bf16(%a: tensor<6xbf16>, %b: tensor<6xbf16>) -> tensor<6xbf16> {
  %0 = arith.addf %a, %b : tensor<6xbf16>
  return %0 : tensor<6xbf16>
}

func.func @sub_bf16(%a: tensor<6xbf16>, %b: tensor<6xbf16>) -> tensor<6xbf16> {
  %0 = arith.subf %a, %b : tensor<6xbf16>
  return %0 : tensor<6xbf16>
}

func.func @mul_bf16(%a: tensor<6xbf16>, %b: tensor<6xbf16>) -> tensor<6xbf16> {
  %0 = arith.mulf %a, %b : tensor<6xbf16>
  return %0 : tensor<6xbf16>
}

func.func @div_bf16(%a: tensor<6xbf16>, %b: tensor<6xbf16>) -> tensor<6xbf16> {
  %0 = arith.divf %a, %b : tensor<6xbf16>
  return %0 : tensor<6xbf16>
}

func.func @add_f32(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %0 = arith.addf %a, %b : tensor<6xf32>
  return %0 : tensor<6xf32>
}

func.func @sub_f32(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %0 = arith.subf %a, %b : tensor<6xf32>
  return %0 : tensor<6xf32>
}

func.func @mul_f32(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %0 = arith.mulf %a, %b : tensor<6xf32>
  return %0 : tensor<6xf32>
}

func.func @div_f32(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %0 = arith.divf %a, %b : tensor<6xf32>
  return %0 : tensor<6xf32>
}

func.func @add_f64(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<6xf64> {
  %0 = arith.addf %a, %b : tensor<6xf64>
  return %0 : tensor<6xf64>
}

func.func @sub_f64(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<6xf64> {
  %0 = arith.subf %a, %b : tensor<6xf64>
  return %0 : tensor<6xf64>
}

func.func @mul_f64(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<6xf64> {
  %0 = arith.mulf %a, %b : tensor<6xf64>
  return %0 : tensor<6xf64>
}

func.func @div_f64(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<6xf64> {
  %0 = arith.divf %a, %b : tensor<6xf64>
  return %0 : tensor<6xf64>
}

func.func @min_f32(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.minimumf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @max_f32(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.maximumf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @minnum_f32(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.minnumf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @maxnum_f32(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.maxnumf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @rem_f32(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.remf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @neg_f64(%a: tensor<4xf64>) -> tensor<4xf64> {
  %0 = arith.negf %a : tensor<4xf64>
  return %0 : tensor<4xf64>
}
