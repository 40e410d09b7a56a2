// Calls of native functions from a compiled module, with static attributes in
// the import's name. Compiled by regenerate.sh; run by tools/native_test.sh.
func.func private @xffi.scale(tensor<?xf32>, f32) -> tensor<?xf32>
func.func private @"xffi.shift?by=2:i32"(tensor<4xf32>) -> tensor<4xf32>
func.func private @xffi.negate(tensor<?xf32>) -> tensor<?xf32>
func.func private @"xffi.negate?fails=1:i32"(tensor<?xf32>) -> tensor<?xf32>
func.func private @xffi.sum2(tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i64>)

func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %by = arith.constant 2.0 : f32
  %scaled = call @xffi.scale(%x, %by) : (tensor<?xf32>, f32) -> tensor<?xf32>
  %sum = arith.addf %scaled, %x : tensor<?xf32>
  %again = call @xffi.scale(%sum, %by) : (tensor<?xf32>, f32) -> tensor<?xf32>
  return %again : tensor<?xf32>
}

func.func @shift(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @"xffi.shift?by=2:i32"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @negate(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = call @xffi.negate(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %z = call @xffi.negate(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %sum = arith.addf %y, %z : tensor<?xf32>
  %scaled = call @xffi.negate(%sum) : (tensor<?xf32>) -> tensor<?xf32>
  %result = arith.subf %scaled, %y : tensor<?xf32>
  return %result : tensor<?xf32>
}

func.func @fails(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = call @"xffi.negate?fails=1:i32"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @sum(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<i64>) {
  %sum, %count = call @xffi.sum2(%x, %x)
      : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i64>)
  return %sum, %count : tensor<?xf32>, tensor<i64>
}
