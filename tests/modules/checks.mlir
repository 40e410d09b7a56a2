// Expectations that hold, one function per kind: tests for `eyrie check`.
//
// `eyrie run` has no module `check`, which programs import as an option: the
// functions return without having looked at anything.
// VARIANTS: plain async@3.3,3.13 vmvx@3.13 debug@3.13 vulkan@3.13
// CALL: @scalars
// CALL: @integers

func.func @scalars() {
  %true = util.unfoldable_constant 7 : i32
  %false = util.unfoldable_constant 0 : i32
  %negative = util.unfoldable_constant -1 : i32
  check.expect_true(%true) : i32
  check.expect_true(%negative) : i32
  check.expect_false(%false) : i32
  return
}

func.func @integers() {
  %a = util.unfoldable_constant dense<[1, -2, 3]> : tensor<3xi32>
  %b = util.unfoldable_constant dense<[2, -4, 6]> : tensor<3xi32>
  %twice = arith.addi %a, %a : tensor<3xi32>
  check.expect_all_true(%a) : tensor<3xi32>
  check.expect_eq(%twice, %b) : tensor<3xi32>
  check.expect_eq_const(%twice, dense<[2, -4, 6]> : tensor<3xi32>) : tensor<3xi32>
  return
}

func.func @narrow() {
  %a = util.unfoldable_constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>
  %b = util.unfoldable_constant dense<[1, 2, 3, 40000]> : tensor<4xi16>
  check.expect_all_true(%a) : tensor<2x2xi8>
  check.expect_eq_const(%a, dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>) : tensor<2x2xi8>
  check.expect_all_true(%b) : tensor<4xi16>
  return
}

func.func @booleans() {
  %a = util.unfoldable_constant dense<[1, 5, 3]> : tensor<3xi32>
  %b = util.unfoldable_constant dense<[2, 4, 6]> : tensor<3xi32>
  %less = arith.cmpi slt, %a, %b : tensor<3xi32>
  check.expect_eq_const(%less, dense<[true, false, true]> : tensor<3xi1>) : tensor<3xi1>
  return
}

func.func @floats() {
  %a = util.unfoldable_constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %root = math.sqrt %a : tensor<3xf32>
  check.expect_almost_eq_const(%root, dense<[1.0, 1.41421, 2.0]> : tensor<3xf32>) : tensor<3xf32>
  check.expect_almost_eq(%a, %a) : tensor<3xf32>
  check.expect_eq(%a, %a) : tensor<3xf32>
  return
}

func.func @tolerances() {
  %a = util.unfoldable_constant dense<[100.0, 0.0]> : tensor<2xf32>
  check.expect_almost_eq_const(%a, dense<[100.9, 0.0]> : tensor<2xf32>, atol 0.0, rtol 1.0e-2) : tensor<2xf32>
  check.expect_almost_eq_const(%a, dense<[100.9, 0.5]> : tensor<2xf32>, atol 1.0) : tensor<2xf32>
  return
}

func.func @specials() {
  %a = util.unfoldable_constant dense<[0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<3xf32>
  check.expect_almost_eq_const(%a, dense<[0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<3xf32>) : tensor<3xf32>
  return
}

func.func @halves() {
  %a = util.unfoldable_constant dense<[1.0, -2.5]> : tensor<2xf16>
  check.expect_almost_eq_const(%a, dense<[1.0, -2.5]> : tensor<2xf16>, atol 1.0e-3) : tensor<2xf16>
  return
}

func.func @empty() {
  %a = util.unfoldable_constant dense<> : tensor<0x3xf32>
  check.expect_eq(%a, %a) : tensor<0x3xf32>
  check.expect_almost_eq(%a, %a) : tensor<0x3xf32>
  return
}

// No test: it takes something.
func.func @with_argument(%a: tensor<3xi32>) {
  check.expect_all_true(%a) : tensor<3xi32>
  return
}

// Private functions are none.
func.func private @helper() {
  return
}

// State is a test's own: each of these is the first to count.
util.global private mutable @count = 0 : i32
func.func @counts_once() {
  func.call @count_to_one() : () -> ()
  return
}
func.func @counts_again() {
  func.call @count_to_one() : () -> ()
  return
}
func.func private @count_to_one() {
  %before = util.global.load @count : i32
  %one = arith.constant 1 : i32
  %after = arith.addi %before, %one : i32
  util.global.store %after, @count : i32
  %same = arith.cmpi eq, %after, %one : i32
  check.expect_true(%same) : i1
  return
}
