// Moving elements: transpose, reshape, slice, insert, pad, gather.
// VARIANTS: plain async vulkan
// CALL: @transpose "2x3xf32=1 2 3 4 5 6"
// CALL: @reshape "2x6xi8=0 1 2 3 4 5 6 7 8 9 10 11"
// CALL: @concat "2xf32=1 2" "3xf32=3 4 5"
// CALL: @slice "4x4xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"
// CALL: @slice_at "8xf32=0 1 2 3 4 5 6 7" 3
// CALL: @insert "2x2xf32=1 2 3 4"
// CALL: @pad "2x2xf32=1 2 3 4"
// CALL: @broadcast "3xf32=1 2 3" 2
// CALL: @gather "4x2xf32=0 1 2 3 4 5 6 7" "3xi32=3 0 2"
// CALL: @reverse "5xi16=1 2 3 4 5"
func.func @transpose(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %empty = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%empty : tensor<3x2xf32>) permutation = [1, 0]
  return %0 : tensor<3x2xf32>
}

func.func @reshape(%x: tensor<2x6xi8>) -> tensor<3x4xi8> {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<2x6xi8> into tensor<12xi8>
  %0 = tensor.expand_shape %flat [[0, 1]] output_shape [3, 4] : tensor<12xi8> into tensor<3x4xi8>
  return %0 : tensor<3x4xi8>
}

func.func @concat(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<5xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @slice(%x: tensor<4x4xi32>) -> tensor<2x2xi32> {
  %0 = tensor.extract_slice %x[1, 0] [2, 2] [1, 2] : tensor<4x4xi32> to tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

func.func @slice_at(%x: tensor<8xf32>, %at: index) -> tensor<4xf32> {
  %0 = tensor.extract_slice %x[%at] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @insert(%x: tensor<2x2xf32>) -> tensor<3x4xf32> {
  %base = arith.constant dense<9.0> : tensor<3x4xf32>
  %0 = tensor.insert_slice %x into %base[1, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @pad(%x: tensor<2x2xf32>) -> tensor<4x3xf32> {
  %v = arith.constant -1.0 : f32
  %0 = tensor.pad %x low[1, 0] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<2x2xf32> to tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @broadcast(%x: tensor<3xf32>, %n: index) -> tensor<?x3xf32> {
  %empty = tensor.empty(%n) : tensor<?x3xf32>
  %0 = linalg.broadcast ins(%x : tensor<3xf32>) outs(%empty : tensor<?x3xf32>) dimensions = [0]
  return %0 : tensor<?x3xf32>
}

func.func @gather(%x: tensor<4x2xf32>, %rows: tensor<3xi32>) -> tensor<3x2xf32> {
  %empty = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<3xi32>) outs(%empty : tensor<3x2xf32>) {
  ^bb0(%row: i32, %out: f32):
    %i = arith.index_cast %row : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%i, %j] : tensor<4x2xf32>
    linalg.yield %v : f32
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @reverse(%x: tensor<5xi16>) -> tensor<5xi16> {
  %empty = tensor.empty() : tensor<5xi16>
  %c4 = arith.constant 4 : index
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<5xi16>) {
  ^bb0(%out: i16):
    %i = linalg.index 0 : index
    %j = arith.subi %c4, %i : index
    %v = tensor.extract %x[%j] : tensor<5xi16>
    linalg.yield %v : i16
  } -> tensor<5xi16>
  return %0 : tensor<5xi16>
}
