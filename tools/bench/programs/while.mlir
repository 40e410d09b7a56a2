// Loops on the host around small kernels: how many steps Collatz' sequence
// takes, a root by Newton's method, and a recurrent layer over a sequence.
func.func @collatz(%start: tensor<i64>) -> tensor<i64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %three = arith.constant dense<3> : tensor<i64>
  %r:2 = scf.while (%n = %start, %steps = %zero)
      : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
    %differs = arith.cmpi ne, %n, %one : tensor<i64>
    %more = tensor.extract %differs[] : tensor<i1>
    scf.condition(%more) %n, %steps : tensor<i64>, tensor<i64>
  } do {
  ^bb0(%n: tensor<i64>, %steps: tensor<i64>):
    %bit = arith.andi %n, %one : tensor<i64>
    %odd = arith.cmpi eq, %bit, %one : tensor<i64>
    %half = arith.divsi %n, %two : tensor<i64>
    %triple = arith.muli %n, %three : tensor<i64>
    %up = arith.addi %triple, %one : tensor<i64>
    %next = arith.select %odd, %up, %half : tensor<i1>, tensor<i64>
    %count = arith.addi %steps, %one : tensor<i64>
    scf.yield %next, %count : tensor<i64>, tensor<i64>
  }
  return %r#1 : tensor<i64>
}

func.func @newton(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = arith.constant dense<0.5> : tensor<4xf32>
  %least = arith.constant dense<1.0e-6> : tensor<4xf32>
  %none = arith.constant 0.0 : f32
  %init = arith.constant dense<0.0> : tensor<f32>
  %r:2 = scf.while (%guess = %x, %left = %x)
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %sum = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
        iterator_types = ["reduction"]}
        ins(%left : tensor<4xf32>) outs(%init : tensor<f32>) {
    ^bb0(%value: f32, %acc: f32):
      %size = math.absf %value : f32
      %next = arith.addf %acc, %size : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %total = tensor.extract %sum[] : tensor<f32>
    %limit = arith.constant 1.0e-3 : f32
    %more = arith.cmpf ogt, %total, %limit : f32
    scf.condition(%more) %guess, %left : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%guess: tensor<4xf32>, %left: tensor<4xf32>):
    %quotient = arith.divf %x, %guess : tensor<4xf32>
    %sum = arith.addf %guess, %quotient : tensor<4xf32>
    %next = arith.mulf %sum, %two : tensor<4xf32>
    %change = arith.subf %next, %guess : tensor<4xf32>
    scf.yield %next, %change : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}

func.func @rnn(%xs: tensor<64x16xf32>, %w: tensor<16x16xf32>,
               %state: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %start = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %last = scf.for %i = %start to %count step %one iter_args(%h = %state)
      -> tensor<1x16xf32> {
    %x = tensor.extract_slice %xs[%i, 0] [1, 16] [1, 1]
        : tensor<64x16xf32> to tensor<1x16xf32>
    %empty = tensor.empty() : tensor<1x16xf32>
    %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x16xf32>)
        -> tensor<1x16xf32>
    %product = linalg.matmul ins(%h, %w : tensor<1x16xf32>, tensor<16x16xf32>)
        outs(%filled : tensor<1x16xf32>) -> tensor<1x16xf32>
    %sum = arith.addf %product, %x : tensor<1x16xf32>
    %next = math.tanh %sum : tensor<1x16xf32>
    scf.yield %next : tensor<1x16xf32>
  }
  return %last : tensor<1x16xf32>
}
