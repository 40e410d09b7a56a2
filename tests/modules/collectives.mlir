// Collectives on the default channel. A single rank can call those that do not
// count on more; //plugins/mpi:ranks_test runs all of them on four.
// VARIANTS: plain
// CALL: @sum "4xf32=1 2 3 4"
// WANT: result[0]: hal.buffer_view
// WANT: 4xf32=1 2 3 4
// CALL: @ring 3xi32=1,2,3
// WANT: result[0]: hal.buffer_view
// WANT: 3xi32=1 2 3
// CALL: @exchange 4xi32=1,2,3,4
// WANT: result[0]: hal.buffer_view
// WANT: 4xi32=1 2 3 4
// CALL: @matmul "2x8xf32=1 2 3 4 5 6 7 8 8 7 6 5 4 3 2 1" "8x2xf32=1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8"
// WANT: result[0]: hal.buffer_view
// WANT: 2x2xf32=[164 200][124 160]
// CALL: @gather 2xf32=1,2
// FAILS: OUT_OF_RANGE
// NOTE: two elements of one rank are not eight
func.func @sum(%input: tensor<4xf32>) -> tensor<4xf32> {
  %channel = flow.channel.default : !flow.channel
  %empty = tensor.empty() : tensor<4xf32>
  %sum = flow.collective.all_reduce sum, f32, %empty, %input, %channel : (tensor<4xf32>, tensor<4xf32>, !flow.channel) -> %empty as tensor<4xf32>
  return %sum : tensor<4xf32>
}

func.func @gather(%input: tensor<2xf32>) -> tensor<8xf32> {
  %channel = flow.channel.default : !flow.channel
  %empty = tensor.empty() : tensor<8xf32>
  %all = flow.collective.all_gather f32, %empty, %input, %channel : (tensor<8xf32>, tensor<2xf32>, !flow.channel) -> %empty as tensor<8xf32>
  return %all : tensor<8xf32>
}

func.func @exchange(%input: tensor<4xi32>) -> tensor<4xi32> {
  %channel = flow.channel.default : !flow.channel
  %empty = tensor.empty() : tensor<4xi32>
  %out = flow.collective.all_to_all ui32, %empty, %input, %channel : (tensor<4xi32>, tensor<4xi32>, !flow.channel) -> %empty as tensor<4xi32>
  return %out : tensor<4xi32>
}

func.func @scatter(%input: tensor<8xf32>) -> tensor<2xf32> {
  %channel = flow.channel.default : !flow.channel
  %empty = tensor.empty() : tensor<2xf32>
  %part = flow.collective.reduce_scatter sum, f32, %empty, %input, %channel : (tensor<2xf32>, tensor<8xf32>, !flow.channel) -> %empty as tensor<2xf32>
  return %part : tensor<2xf32>
}

// To the next rank, from the one before.
func.func @ring(%input: tensor<3xi32>) -> tensor<3xi32> {
  %one = arith.constant 1 : index
  %channel = flow.channel.default : !flow.channel
  %rank = flow.channel.rank %channel : index
  %count = flow.channel.count %channel : index
  %after = arith.addi %rank, %one : index
  %next = arith.remui %after, %count : index
  %around = arith.addi %rank, %count : index
  %before = arith.subi %around, %one : index
  %previous = arith.remui %before, %count : index
  %empty = tensor.empty() : tensor<3xi32>
  %out = flow.collective.send_recv ui32, %empty, %input, %channel, %next, %previous : (tensor<3xi32>, tensor<3xi32>, !flow.channel, index, index) -> %empty as tensor<3xi32>
  return %out : tensor<3xi32>
}

// Each rank multiplies its share of the columns of one matrix and the rows of
// the other; the sum over all ranks is the product.
func.func @matmul(%a: tensor<2x8xf32>, %b: tensor<8x2xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %eight = arith.constant 8 : index
  %channel = flow.channel.default : !flow.channel
  %rank = flow.channel.rank %channel : index
  %count = flow.channel.count %channel : index
  %share = arith.divui %eight, %count : index
  %begin = arith.muli %rank, %share : index
  %columns = tensor.extract_slice %a[0, %begin] [2, %share] [1, 1] : tensor<2x8xf32> to tensor<2x?xf32>
  %rows = tensor.extract_slice %b[%begin, 0] [%share, 2] [1, 1] : tensor<8x2xf32> to tensor<?x2xf32>
  %empty = tensor.empty() : tensor<2x2xf32>
  %cleared = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
  %part = linalg.matmul ins(%columns, %rows : tensor<2x?xf32>, tensor<?x2xf32>) outs(%cleared : tensor<2x2xf32>) -> tensor<2x2xf32>
  %sum = flow.collective.all_reduce sum, f32, %empty, %part, %channel : (tensor<2x2xf32>, tensor<2x2xf32>, !flow.channel) -> %empty as tensor<2x2xf32>
  return %sum : tensor<2x2xf32>
}
