// Calls of memref functions from a compiled module. Compiled by regenerate.sh;
// run by tools/memref_test.txt.
func.func private @mlir.matmul(tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
func.func private @mlir.tail(tensor<?xf32>) -> tensor<?xf32>

// x * x + x, by a product of the library's.
func.func @square(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %xx = call @mlir.matmul(%x, %x)
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = arith.addf %xx, %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A view of a value that the module goes on using.
func.func @tails(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %doubled = arith.addf %x, %x : tensor<?xf32>
  %tail = call @mlir.tail(%doubled) : (tensor<?xf32>) -> tensor<?xf32>
  %again = call @mlir.tail(%tail) : (tensor<?xf32>) -> tensor<?xf32>
  %sum = arith.mulf %again, %again : tensor<?xf32>
  return %sum, %doubled : tensor<?xf32>, tensor<?xf32>
}
