// f64 scalars and tensors, kept at full width by a flag.
// VARIANTS: plain
// FLAGS: --iree-input-demote-f64-to-f32=false
// CALL: @pass_f64 0.1
// CALL: @f64_ops 2.5 -0.75
// CALL: @f64_functions 0.75
// CALL: @precise 1.0
// CALL: @axpy 2.0 "3xf64=1 2 3" "3xf64=0.1 0.2 0.3"
// CALL: @compares 1.0 nan
// CALL: @compares 1.0 1.0
func.func @pass_f64(%x: f64) -> f64 { return %x : f64 }

func.func @f64_ops(%a: f64, %b: f64) -> (f64, f64, f64, f64, f64, f64, f64) {
  %0 = arith.addf %a, %b : f64
  %1 = arith.subf %a, %b : f64
  %2 = arith.mulf %a, %b : f64
  %3 = arith.divf %a, %b : f64
  %4 = arith.negf %a : f64
  %5 = arith.mulf %a, %a : f64
  %6 = math.absf %b : f64
  return %0, %1, %2, %3, %4, %5, %6 : f64, f64, f64, f64, f64, f64, f64
}

func.func @f64_functions(%a: f64) -> (f64, f64, f64, f64, f64, f64, f64) {
  %0 = math.sqrt %a : f64
  %1 = math.exp %a : f64
  %2 = math.log %a : f64
  %3 = math.sin %a : f64
  %4 = math.tanh %a : f64
  %5 = math.ceil %a : f64
  %6 = math.floor %a : f64
  return %0, %1, %2, %3, %4, %5, %6 : f64, f64, f64, f64, f64, f64, f64
}

// 1 + 2^-40 - 1 is zero in f32.
func.func @precise(%a: f64) -> f64 {
  %tiny = arith.constant 9.094947017729282e-13 : f64
  %0 = arith.addf %a, %tiny : f64
  %1 = arith.subf %0, %a : f64
  return %1 : f64
}

func.func @axpy(%a: f64, %x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %empty = tensor.empty() : tensor<3xf64>
  %0 = linalg.fill ins(%a : f64) outs(%empty : tensor<3xf64>) -> tensor<3xf64>
  %1 = arith.mulf %0, %x : tensor<3xf64>
  %2 = arith.addf %1, %y : tensor<3xf64>
  return %2 : tensor<3xf64>
}

func.func @compares(%a: f64, %b: f64) -> (i1, i1, i1, i1) {
  %0 = arith.cmpf oeq, %a, %b : f64
  %1 = arith.cmpf une, %a, %b : f64
  %2 = arith.cmpf ole, %a, %b : f64
  %3 = arith.cmpf uno, %a, %b : f64
  return %0, %1, %2, %3 : i1, i1, i1, i1
}
