// Expectations that do not hold: what `eyrie check` says of them.
//
// VARIANTS: plain@3.3,3.13 debug@3.9,3.13
// CALL: @scalars

func.func @passes() {
  %one = util.unfoldable_constant 1 : i32
  check.expect_true(%one) : i32
  return
}

func.func @scalars() {
  %one = util.unfoldable_constant 1 : i32
  %zero = util.unfoldable_constant 0 : i32
  check.expect_true(%zero) : i32
  check.expect_false(%one) : i32
  return
}

func.func @elements() {
  %a = util.unfoldable_constant dense<[[1, 0, 3], [0, 5, 6]]> : tensor<2x3xi32>
  %b = util.unfoldable_constant dense<[[1, 0, 3], [4, 5, -6]]> : tensor<2x3xi32>
  check.expect_all_true(%a) : tensor<2x3xi32>
  check.expect_eq(%a, %b) : tensor<2x3xi32>
  return
}

func.func @closeness() {
  %a = util.unfoldable_constant dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>
  check.expect_almost_eq_const(%a, dense<[1.0, 2.001, 0x7FC00000]> : tensor<3xf32>) : tensor<3xf32>
  check.expect_almost_eq_const(%a, dense<[1.0, 2.0, 3.0]> : tensor<3xf32>, atol 0.5, rtol 0.1) : tensor<3xf32>
  return
}

// Shapes are known when the program is compiled, but for dynamic ones.
func.func @shapes() {
  %a = util.unfoldable_constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = util.unfoldable_constant dense<[1, 2]> : tensor<2xi32>
  %c = tensor.cast %a : tensor<3xi32> to tensor<?xi32>
  %d = tensor.cast %b : tensor<2xi32> to tensor<?xi32>
  check.expect_eq(%c, %d) : tensor<?xi32>
  return
}

// The call fails, after an expectation.
util.global private mutable @divisor = 0 : i32
func.func @set(%divisor: i32) {
  util.global.store %divisor, @divisor : i32
  return
}
func.func @stops() {
  %zero = util.global.load @divisor : i32
  check.expect_true(%zero) : i32
  %one = arith.constant 1 : i32
  %quotient = arith.divsi %one, %zero : i32
  check.expect_true(%quotient) : i32
  return
}

// One in a loop.
func.func @loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c30 = util.unfoldable_constant 30 : index
  %two = arith.constant 2 : i32
  scf.for %i = %c0 to %c30 step %c1 {
    %n = arith.index_cast %i : index to i32
    %r = arith.remsi %n, %two : i32
    check.expect_false(%r) : i32
  }
  return
}

func.func @DISABLED_fails() {
  %zero = util.unfoldable_constant 0 : i32
  check.expect_true(%zero) : i32
  return
}
