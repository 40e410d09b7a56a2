// VARIANTS: plain vulkan@3.3,3.13
// CALL: @exp "4xf32=-1.5 0 0.75 2.5"
// CALL: @exp2 "4xf32=-1.5 0 0.75 2.5"
// CALL: @expm1 "4xf32=-1.5 0 0.75 2.5"
// CALL: @log "4xf32=0.5 1 2 10"
// CALL: @log2 "4xf32=0.5 1 2 10"
// CALL: @log1p "4xf32=-0.5 0 1 10"
// CALL: @sqrt "4xf32=0 1 2 10"
// CALL: @rsqrt "4xf32=0.25 1 2 10"
// CALL: @sin "4xf32=-1.5 0 0.75 2.5"
// CALL: @cos "4xf32=-1.5 0 0.75 2.5"
// CALL: @tan "4xf32=-1.5 0 0.75 2.5"
// CALL: @atan "4xf32=-1.5 0 0.75 2.5"
// CALL: @tanh "4xf32=-1.5 0 0.75 2.5"
// CALL: @erf "4xf32=-1.5 0 0.75 2.5"
// CALL: @ceil "4xf32=-1.5 0 0.75 2.5"
// CALL: @floor "4xf32=-1.5 0 0.75 2.5"
// CALL: @round "4xf32=-1.5 0 0.75 2.5"
// CALL: @roundeven "4xf32=-1.5 0 0.75 2.5"
// CALL: @absf "4xf32=-1.5 0 0.75 2.5"
// CALL: @cbrt "4xf32=-1.5 0 0.75 2.5"
// CALL: @atan2 "4xf32=0.5 1 2 3" "4xf32=2 -1 0.5 3"
// CALL: @powf "4xf32=0.5 1 2 3" "4xf32=2 -1 0.5 3"
// CALL: @copysign "4xf32=0.5 1 2 3" "4xf32=2 -1 0.5 3"
func.func @exp(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @exp2(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp2 %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @expm1(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.expm1 %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @log(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.log %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @log2(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.log2 %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @log1p(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.log1p %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @sqrt(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.sqrt %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @rsqrt(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.rsqrt %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @sin(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.sin %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @cos(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.cos %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @tan(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.tan %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @atan(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.atan %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @tanh(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.tanh %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @erf(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.erf %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @ceil(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.ceil %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @floor(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.floor %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @round(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.round %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @roundeven(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.roundeven %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @absf(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.absf %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @cbrt(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.cbrt %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @atan2(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.atan2 %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @powf(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.powf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @copysign(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.copysign %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
