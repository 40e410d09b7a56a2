// Exports with the attributes of V0: raw function signatures, structured index
// paths, the earlier and the later set, and versions that nobody knows.
// tests/conformance/abi/raw.txt and sip.txt call them; fixtures_test.cc
// checks what is written here by hand.
// VARIANTS: plain
// CALL: @scalars -5 -6 -7 1.5
// CALL: @buffers 2x2xi32="1 2 3 4" 2xi8="5 -6"
// CALL: @model "1x3xf32=1 2 3" "3x2xf32=1 2 3 4 5 6" "2xf32=0.5 0.25" 7 8
func.func @scalars(%a: i8, %b: i16, %c: i64, %d: f32) -> (i8, i16, i64, f32)
    attributes {iree.reflection = {fv = "1", f = "I19!S3!t4S3!t9S3!t7S1!R20!S3!t8S3!t9S4!t11S1!"}} {
  return %a, %b, %c, %d : i8, i16, i64, f32
}

// Elements change their name on the way: sint32 in, uint32 out.
func.func @buffers(%a: tensor<?x2xi32>, %b: tensor<2xi8>) -> (tensor<?x2xi32>, tensor<2xi8>)
    attributes {iree.reflection = {f = "I18!B8!t6d-1d2B5!t8d2R19!B9!t10d-1d2B5!t8d2"}} {
  %0 = arith.addi %a, %a : tensor<?x2xi32>
  %1 = arith.addi %b, %b : tensor<2xi8>
  return %0, %1 : tensor<?x2xi32>, tensor<2xi8>
}

// A reference object and something unrecognised: what is behind them is the
// declaration's.
func.func @references(%list: !util.list<i64>, %text: !util.buffer) -> (!util.buffer, !util.list<i64>)
    attributes {iree.reflection = {fv = "1", f = "I7!O1!U1!R7!U1!O1!"}} {
  return %text, %list : !util.buffer, !util.list<i64>
}

func.func @earlier(%x: i32) -> i32
    attributes {iree.reflection = {abi = "raw", abiv = "1", f = "I6!S3!t6R6!S3!t6"}} {
  return %x : i32
}

func.func @later_version(%x: i32) -> i32
    attributes {iree.reflection = {fv = "2", f = "I6!S3!t6R6!S3!t6"}} {
  return %x : i32
}

func.func @unknown_abi(%x: i32) -> i32
    attributes {iree.reflection = {abi = "tuple", abiv = "1"}} {
  return %x : i32
}

// A dense layer as a framework with nested structures exports it:
//   model(x, {steps: [n, None, m], weights: {bias, kernel}})
//       -> {logits, state: [n + m, None, {again: logits}]}
func.func @model(%x: tensor<?x3xf32>, %kernel: tensor<3x2xf32>, %bias: tensor<2xf32>, %n: i32, %m: i32) -> (tensor<?x2xf32>, i32)
    attributes {iree.reflection = {fv = "1", f = "I31!B6!d-1d3B5!d3d2B3!d2S3!t6S3!t6R14!B6!d-1d2S3!t6", sipv = "1", sip = "I68!S64!k0_0k1D54!K6!stepsS9!k0_3k2_4K8!weightsD21!K5!bias_2K7!kernel_1R48!D44!K7!logits_0K6!stateS21!k0_1k2D11!K6!again_0"}} {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%rows) : tensor<?x2xf32>
  %biases = linalg.broadcast ins(%bias : tensor<2xf32>) outs(%empty : tensor<?x2xf32>) dimensions = [0]
  %logits = linalg.matmul ins(%x, %kernel : tensor<?x3xf32>, tensor<3x2xf32>) outs(%biases : tensor<?x2xf32>) -> tensor<?x2xf32>
  %sum = arith.addi %n, %m : i32
  return %logits, %sum : tensor<?x2xf32>, i32
}

// x - y: a dict as inputs is arguments by name.
func.func @by_name(%x: i32, %y: i32) -> i32
    attributes {iree.reflection = {sip = "I17!D13!K2!y_1K2!x_0R3!_0"}} {
  %0 = arith.subi %x, %y : i32
  return %0 : i32
}

// One value at several places.
func.func @repeated(%x: tensor<2xf32>) -> tensor<2xf32>
    attributes {iree.reflection = {fv = "1", f = "I6!B3!d2R6!B3!d2", sip = "I25!S21!k0_0k1D11!K6!again_0R34!S30!k0_0k1D20!K6!againS9!k0_0k1_0"}} {
  %0 = arith.addf %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @sparse(%x: i32, %y: i32) -> (i32, i32)
    attributes {iree.reflection = {sip = "I18!S14!k1_1k3S5!k2_0R8!S5!k2_1"}} {
  return %x, %y : i32, i32
}

func.func @nothing()
    attributes {iree.reflection = {f = "I1!R1!", sip = "I1!R1!"}} {
  return
}

func.func @earlier_structure(%x: i32, %y: i32) -> i32
    attributes {iree.reflection = {abi = "sip", abiv = "1", sip = "I18!S14!k0S5!k0_0k1_1R8!S5!k0_0"}} {
  %0 = arith.subi %x, %y : i32
  return %0 : i32
}

func.func @later_structure(%x: i32) -> i32
    attributes {iree.reflection = {sipv = "2", sip = "I8!S5!k0_0R3!_0"}} {
  return %x : i32
}
