// A size that only the call knows: constants are pushed.
func.func @scale(%a: tensor<?xi32>) -> tensor<?xi32> {
  %twice = arith.addi %a, %a : tensor<?xi32>
  return %twice : tensor<?xi32>
}
