// Scalars of every type in and out, and arithmetic on them by the host.
// VARIANTS: plain bare debug
// CALL: @pass_i1 1
// CALL: @pass_i8 -5
// CALL: @pass_i16 -300
// CALL: @pass_i32 -2147483648
// CALL: @pass_i64 -9223372036854775808
// CALL: @pass_index 4096
// CALL: @pass_f32 0.1
// CALL: @pass_f32 1e-40
// CALL: @pass_f32 nan
// CALL: @all 1 2 3 4 5 6 7.5
// CALL: @i32_ops 17 5
// CALL: @i32_ops -17 5
// CALL: @i64_ops 1000000000000 7
// CALL: @i64_ops -1000000000001 7
// CALL: @f32_ops 2.5 -0.75
// CALL: @f32_functions 0.75
// CALL: @narrow 70000
// CALL: @widen -1
// CALL: @f32_to_integers -7.9
// CALL: @integers_to_f32 -3 5000000000
// WANT: result[0]: f32=-3
// WANT: result[1]: f32=4.29497e+09
// WANT: result[2]: f32=5e+09
// WANT: result[3]: f32=-nan
// CALL: @f32_compares 1.0 nan
// CALL: @f32_compares 1.0 2.0
// CALL: @shift 1 31
// CALL: @shift -8 1
// CALL: @tensor_of_scalars 1.5 -2.5
// CALL: @element "4xf32=1 2 3 4" 2
func.func @pass_i1(%x: i1) -> i1 { return %x : i1 }
func.func @pass_i8(%x: i8) -> i8 { return %x : i8 }
func.func @pass_i16(%x: i16) -> i16 { return %x : i16 }
func.func @pass_i32(%x: i32) -> i32 { return %x : i32 }
func.func @pass_i64(%x: i64) -> i64 { return %x : i64 }
func.func @pass_index(%x: index) -> index { return %x : index }
func.func @pass_f32(%x: f32) -> f32 { return %x : f32 }

func.func @all(%a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: index, %g: f32) -> (f32, index, i64, i32, i16, i8, i1) {
  return %g, %f, %e, %d, %c, %b, %a : f32, index, i64, i32, i16, i8, i1
}

func.func @i32_ops(%a: i32, %b: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.subi %a, %b : i32
  %2 = arith.muli %a, %b : i32
  %3 = arith.divsi %a, %b : i32
  %4 = arith.divui %a, %b : i32
  %5 = arith.remsi %a, %b : i32
  %6 = arith.remui %a, %b : i32
  %7 = arith.minsi %a, %b : i32
  %8 = arith.maxui %a, %b : i32
  %9 = arith.xori %a, %b : i32
  %10 = math.ctlz %a : i32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
}

func.func @i64_ops(%a: i64, %b: i64) -> (i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64) {
  %0 = arith.addi %a, %b : i64
  %1 = arith.subi %a, %b : i64
  %2 = arith.muli %a, %b : i64
  %3 = arith.divsi %a, %b : i64
  %4 = arith.divui %a, %b : i64
  %5 = arith.remsi %a, %b : i64
  %6 = arith.remui %a, %b : i64
  %7 = arith.minsi %a, %b : i64
  %8 = arith.maxui %a, %b : i64
  %9 = arith.andi %a, %b : i64
  %10 = arith.ori %a, %b : i64
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64
}

func.func @f32_ops(%a: f32, %b: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = arith.addf %a, %b : f32
  %1 = arith.subf %a, %b : f32
  %2 = arith.mulf %a, %b : f32
  %3 = arith.divf %a, %b : f32
  %4 = arith.minimumf %a, %b : f32
  %5 = arith.maximumf %a, %b : f32
  %6 = arith.negf %a : f32
  %7 = arith.remf %a, %b : f32
  %8 = math.absf %b : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : f32, f32, f32, f32, f32, f32, f32, f32, f32
}

func.func @f32_functions(%a: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = math.sqrt %a : f32
  %1 = math.exp %a : f32
  %2 = math.log %a : f32
  %3 = math.sin %a : f32
  %4 = math.cos %a : f32
  %5 = math.tanh %a : f32
  %6 = math.ceil %a : f32
  %7 = math.floor %a : f32
  %8 = math.roundeven %a : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : f32, f32, f32, f32, f32, f32, f32, f32, f32
}

func.func @narrow(%a: i64) -> (i32, i16, i8, i1) {
  %0 = arith.trunci %a : i64 to i32
  %1 = arith.trunci %a : i64 to i16
  %2 = arith.trunci %a : i64 to i8
  %3 = arith.trunci %a : i64 to i1
  return %0, %1, %2, %3 : i32, i16, i8, i1
}

func.func @widen(%a: i32) -> (i64, i64, i32, i32) {
  %0 = arith.extsi %a : i32 to i64
  %1 = arith.extui %a : i32 to i64
  %b = arith.trunci %a : i32 to i8
  %2 = arith.extsi %b : i8 to i32
  %3 = arith.extui %b : i8 to i32
  return %0, %1, %2, %3 : i64, i64, i32, i32
}

func.func @f32_to_integers(%a: f32) -> (i32, i64, i32) {
  %0 = arith.fptosi %a : f32 to i32
  %1 = arith.fptosi %a : f32 to i64
  %2 = arith.bitcast %a : f32 to i32
  return %0, %1, %2 : i32, i64, i32
}

func.func @integers_to_f32(%a: i32, %b: i64) -> (f32, f32, f32, f32) {
  %0 = arith.sitofp %a : i32 to f32
  %1 = arith.uitofp %a : i32 to f32
  %2 = arith.sitofp %b : i64 to f32
  %3 = arith.bitcast %a : i32 to f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

func.func @f32_compares(%a: f32, %b: f32) -> (i1, i1, i1, i1, i1, i1, i1) {
  %0 = arith.cmpf oeq, %a, %b : f32
  %1 = arith.cmpf une, %a, %b : f32
  %2 = arith.cmpf olt, %a, %b : f32
  %3 = arith.cmpf ult, %a, %b : f32
  %4 = arith.cmpf oge, %a, %b : f32
  %5 = arith.cmpf uno, %a, %b : f32
  %6 = arith.cmpf one, %a, %b : f32
  return %0, %1, %2, %3, %4, %5, %6 : i1, i1, i1, i1, i1, i1, i1
}

func.func @shift(%a: i32, %n: i32) -> (i32, i32, i32) {
  %0 = arith.shli %a, %n : i32
  %1 = arith.shrsi %a, %n : i32
  %2 = arith.shrui %a, %n : i32
  return %0, %1, %2 : i32, i32, i32
}

func.func @tensor_of_scalars(%a: f32, %b: f32) -> tensor<2xf32> {
  %0 = tensor.from_elements %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @element(%x: tensor<4xf32>, %i: index) -> f32 {
  %0 = tensor.extract %x[%i] : tensor<4xf32>
  return %0 : f32
}
