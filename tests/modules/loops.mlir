// Control flow of the host program: loops whose bodies are scalar code and
// loops that launch kernels.
// VARIANTS: plain bare async vulkan vulkan-async@3.3,3.13 vulkan-bda
// CALL: @gcd 1071 462
// CALL: @gcd 17 0
// CALL: @collatz 27
// CALL: @newton_sqrt 2.0
// CALL: @newton_sqrt 1e6
// CALL: @sum_to 100000
// CALL: @gcd_tensor "i32=1071" "i32=462"
// CALL: @power "2x2xf32=1 1 1 0" 10
// CALL: @fill_until "4xf32=1 2 3 4" 60.0
// CALL: @branch "2xf32=1 2" 1
// CALL: @branch "2xf32=1 2" 0
// CALL: @pick 0
// CALL: @pick 2
// CALL: @pick 9
func.func @gcd(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%x = %a, %y = %b) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %y, %zero : i32
    scf.condition(%more) %x, %y : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    %m = arith.remsi %x, %y : i32
    scf.yield %y, %m : i32, i32
  }
  return %r#0 : i32
}

func.func @collatz(%n: i64) -> i32 {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %step = arith.constant 1 : i32
  %none = arith.constant 0 : i32
  %r:2 = scf.while (%x = %n, %count = %none) : (i64, i32) -> (i64, i32) {
    %more = arith.cmpi ne, %x, %one : i64
    scf.condition(%more) %x, %count : i64, i32
  } do {
  ^bb0(%x: i64, %count: i32):
    %bit = arith.andi %x, %one : i64
    %even = arith.cmpi eq, %bit, %zero : i64
    %next = scf.if %even -> (i64) {
      %half = arith.divui %x, %two : i64
      scf.yield %half : i64
    } else {
      %triple = arith.muli %x, %three : i64
      %up = arith.addi %triple, %one : i64
      scf.yield %up : i64
    }
    %more = arith.addi %count, %step : i32
    scf.yield %next, %more : i64, i32
  }
  return %r#1 : i32
}

func.func @newton_sqrt(%a: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %x = scf.for %i = %c0 to %c20 step %c1 iter_args(%x = %a) -> (f32) {
    %q = arith.divf %a, %x : f32
    %s = arith.addf %x, %q : f32
    %n = arith.mulf %s, %half : f32
    scf.yield %n : f32
  }
  return %x : f32
}

func.func @sum_to(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
    %v = arith.index_cast %i : index to i64
    %n2 = arith.addi %s, %v : i64
    scf.yield %n2 : i64
  }
  return %s : i64
}

func.func @gcd_tensor(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%x = %a, %y = %b) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %v = tensor.extract %y[] : tensor<i32>
    %more = arith.cmpi ne, %v, %zero : i32
    scf.condition(%more) %x, %y : tensor<i32>, tensor<i32>
  } do {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %m = arith.remsi %x, %y : tensor<i32>
    scf.yield %y, %m : tensor<i32>, tensor<i32>
  }
  return %r#0 : tensor<i32>
}

func.func @power(%m: tensor<2x2xf32>, %n: index) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %one) -> (tensor<2x2xf32>) {
    %empty = tensor.empty() : tensor<2x2xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
    %q = linalg.matmul ins(%p, %m : tensor<2x2xf32>, tensor<2x2xf32>) outs(%init : tensor<2x2xf32>) -> tensor<2x2xf32>
    scf.yield %q : tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
}

// Doubles a vector until its sum passes a limit.
func.func @fill_until(%x: tensor<4xf32>, %limit: f32) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%v = %x, %n = %none) : (tensor<4xf32>, i32) -> (tensor<4xf32>, i32) {
    %s = linalg.reduce {arith.addf} ins(%v : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %t = tensor.extract %s[] : tensor<f32>
    %more = arith.cmpf olt, %t, %limit : f32
    scf.condition(%more) %v, %n : tensor<4xf32>, i32
  } do {
  ^bb0(%v: tensor<4xf32>, %n: i32):
    %w = arith.addf %v, %v : tensor<4xf32>
    %m = arith.addi %n, %one : i32
    scf.yield %w, %m : tensor<4xf32>, i32
  }
  return %r#0 : tensor<4xf32>
}

func.func @branch(%x: tensor<2xf32>, %c: i1) -> tensor<2xf32> {
  %r = scf.if %c -> (tensor<2xf32>) {
    %y = arith.mulf %x, %x : tensor<2xf32>
    scf.yield %y : tensor<2xf32>
  } else {
    %y = arith.negf %x : tensor<2xf32>
    scf.yield %y : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

func.func @pick(%i: index) -> i32 {
  %r = scf.index_switch %i -> i32
  case 0 {
    %v = arith.constant 100 : i32
    scf.yield %v : i32
  }
  case 1 {
    %v = arith.constant 200 : i32
    scf.yield %v : i32
  }
  case 2 {
    %v = arith.constant 300 : i32
    scf.yield %v : i32
  }
  default {
    %v = arith.constant -1 : i32
    scf.yield %v : i32
  }
  return %r : i32
}
