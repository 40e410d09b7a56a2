// Globals from parameters: one of a scope, one of none, and one that is large
// enough to be mapped. What they hold is given on the command line; see
// tools/cli_test.txt.
// VARIANTS: plain vulkan@3.3,3.13
util.global private @w = #flow.parameter.named<"model"::"w"> : tensor<4xf32>
util.global private @b = #flow.parameter.named<"b"> : tensor<2x2xi32>
util.global private mutable @m = #flow.parameter.named<"model"::"m"> : tensor<8192xf32>

func.func @scale(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = util.global.load @w : tensor<4xf32>
  %r = arith.mulf %x, %w : tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @table() -> tensor<2x2xi32> {
  %b = util.global.load @b : tensor<2x2xi32>
  return %b : tensor<2x2xi32>
}

// Changes the parameter in place: the context's, not the file's.
func.func @count() -> tensor<2xf32> {
  %m = util.global.load @m : tensor<8192xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %s = tensor.extract_slice %m[4094] [2] [1] : tensor<8192xf32> to tensor<2xf32>
  %t = arith.addf %s, %one : tensor<2xf32>
  %n = tensor.insert_slice %t into %m[4094] [2] [1] : tensor<2xf32> into tensor<8192xf32>
  util.global.store %n, @m : tensor<8192xf32>
  return %t : tensor<2xf32>
}
