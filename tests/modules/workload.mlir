// Programs of several dispatches: concurrent branches, a chain, many
// workgroups, dynamic sizes, device copies and fills.
// VARIANTS: plain async vulkan@3.3,3.11,3.13 vulkan-async@3.13
// CALL: @diamond "64xf32=2"
// CALL: @big_sum "1048576xf32=0.5"
// CPU_ONLY: llvmpipe leaves loops after 65,535 rounds: the sum is 65535 there
// CALL: @rows_and_columns "3x4xf32=1 2 3 4 5 6 7 8 9 10 11 12"
// CALL: @fills 7
// CALL: @power_iteration "3x3xf32=2 0 0 0 3 4 0 4 9"
// CALL: @recurrence "4x2xf32=1 0 0 1 1 1 -1 0.5" "2x2xf32=0.5 0 0.25 0.5"
// CALL: @batch_matmul "2x2x3xf32=1 2 3 4 5 6 7 8 9 10 11 12" "2x3x2xf32=1 0 0 1 1 1 2 0 0 2 1 -1"
func.func @diamond(%x: tensor<64xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %a = arith.mulf %x, %x : tensor<64xf32>
  %s = linalg.reduce {arith.addf} ins(%a : tensor<64xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %b = math.sqrt %x : tensor<64xf32>
  %t = linalg.reduce {arith.maximumf} ins(%b : tensor<64xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %r = arith.divf %s, %t : tensor<f32>
  return %r : tensor<f32>
}

func.func @big_sum(%x: tensor<1048576xf32>) -> (tensor<f32>, tensor<2xf32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %y = arith.addf %x, %x : tensor<1048576xf32>
  %s = linalg.reduce {arith.addf} ins(%y : tensor<1048576xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %end = tensor.extract_slice %y[1048574] [2] [1] : tensor<1048576xf32> to tensor<2xf32>
  return %s, %end : tensor<f32>, tensor<2xf32>
}

func.func @rows_and_columns(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<4xf32>) {
  %z3 = arith.constant dense<0.0> : tensor<3xf32>
  %z4 = arith.constant dense<0.0> : tensor<4xf32>
  %r = linalg.reduce {arith.addf} ins(%x : tensor<3x4xf32>) outs(%z3 : tensor<3xf32>) dimensions = [1]
  %c = linalg.reduce {arith.addf} ins(%x : tensor<3x4xf32>) outs(%z4 : tensor<4xf32>) dimensions = [0]
  return %r, %c : tensor<3xf32>, tensor<4xf32>
}

func.func @fills(%n: index) -> (tensor<?xi8>, tensor<?xi16>, tensor<?xi64>) {
  %a = arith.constant -3 : i8
  %b = arith.constant 1000 : i16
  %c = arith.constant 5000000000 : i64
  %ea = tensor.empty(%n) : tensor<?xi8>
  %eb = tensor.empty(%n) : tensor<?xi16>
  %ec = tensor.empty(%n) : tensor<?xi64>
  %fa = linalg.fill ins(%a : i8) outs(%ea : tensor<?xi8>) -> tensor<?xi8>
  %fb = linalg.fill ins(%b : i16) outs(%eb : tensor<?xi16>) -> tensor<?xi16>
  %fc = linalg.fill ins(%c : i64) outs(%ec : tensor<?xi64>) -> tensor<?xi64>
  return %fa, %fb, %fc : tensor<?xi8>, tensor<?xi16>, tensor<?xi64>
}

func.func @power_iteration(%m: tensor<3x3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c30 = arith.constant 30 : index
  %zero = arith.constant 0.0 : f32
  %zero0 = arith.constant dense<0.0> : tensor<f32>
  %start = arith.constant dense<[0.5, 0.25, 1.0]> : tensor<3xf32>
  %v = scf.for %i = %c0 to %c30 step %c1 iter_args(%v = %start) -> (tensor<3xf32>) {
    %e = tensor.empty() : tensor<3xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %w = linalg.matvec ins(%m, %v : tensor<3x3xf32>, tensor<3xf32>) outs(%f : tensor<3xf32>) -> tensor<3xf32>
    %q = arith.mulf %w, %w : tensor<3xf32>
    %s = linalg.reduce {arith.addf} ins(%q : tensor<3xf32>) outs(%zero0 : tensor<f32>) dimensions = [0]
    %n = math.sqrt %s : tensor<f32>
    %b = linalg.broadcast ins(%n : tensor<f32>) outs(%e : tensor<3xf32>) dimensions = [0]
    %u = arith.divf %w, %b : tensor<3xf32>
    scf.yield %u : tensor<3xf32>
  }
  return %v : tensor<3xf32>
}

func.func @recurrence(%x: tensor<4x2xf32>, %w: tensor<2x2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %start = arith.constant dense<0.0> : tensor<2xf32>
  %h = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %start) -> (tensor<2xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<2xf32>
    %e = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %r = linalg.matvec ins(%w, %h : tensor<2x2xf32>, tensor<2xf32>) outs(%f : tensor<2xf32>) -> tensor<2xf32>
    %s = arith.addf %r, %row : tensor<2xf32>
    %t = math.tanh %s : tensor<2xf32>
    scf.yield %t : tensor<2xf32>
  }
  return %h : tensor<2xf32>
}

func.func @batch_matmul(%a: tensor<2x2x3xf32>, %b: tensor<2x3x2xf32>) -> tensor<2x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x2x3xf32>, tensor<2x3x2xf32>) outs(%f : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %0 : tensor<2x2x2xf32>
}
