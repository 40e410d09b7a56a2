// Fills and copies of the device itself, without kernels: of elements of one,
// two, four and eight bytes, at offsets and of lengths that no word divides.
// VARIANTS: plain vulkan vulkan-bda vulkan-async@3.13
// CALL: @fill_i8 7 -5
// CALL: @fill_i8 1 1
// CALL: @fill_i8 3 -128
// CALL: @fill_i8 4 65
// CALL: @fill_i8 0 1
// CALL: @fill_i8 1021 9
// CALL: @fill_i16 3 -2
// CALL: @fill_i16 1 300
// CALL: @fill_i16 510 7
// CALL: @fill_f32 5 1.5
// CALL: @fill_i64 3 5000000000
// CALL: @patch_i8 "11xi8=1 2 3 4 5 6 7 8 9 10 11" "3xi8=-1 -2 -3" 0
// CALL: @patch_i8 "11xi8=1 2 3 4 5 6 7 8 9 10 11" "3xi8=-1 -2 -3" 1
// CALL: @patch_i8 "11xi8=1 2 3 4 5 6 7 8 9 10 11" "5xi8=-1 -2 -3 -4 -5" 6
// CALL: @patch_i16 "5xi16=1 2 3 4 5" "1xi16=-1" 1
// CALL: @slice_i8 "11xi8=1 2 3 4 5 6 7 8 9 10 11" 3 5
// CALL: @slice_i8 "11xi8=1 2 3 4 5 6 7 8 9 10 11" 10 1
// CALL: @fill_within 13 2 7
// CALL: @fill_within 13 5 1
func.func @fill_i8(%n: index, %v: i8) -> tensor<?xi8> {
  %0 = flow.tensor.splat %v : tensor<?xi8>{%n}
  return %0 : tensor<?xi8>
}

func.func @fill_i16(%n: index, %v: i16) -> tensor<?xi16> {
  %0 = flow.tensor.splat %v : tensor<?xi16>{%n}
  return %0 : tensor<?xi16>
}

func.func @fill_f32(%n: index, %v: f32) -> tensor<?xf32> {
  %0 = flow.tensor.splat %v : tensor<?xf32>{%n}
  return %0 : tensor<?xf32>
}

func.func @fill_i64(%n: index, %v: i64) -> tensor<?xi64> {
  %0 = flow.tensor.splat %v : tensor<?xi64>{%n}
  return %0 : tensor<?xi64>
}

func.func @patch_i8(%x: tensor<?xi8>, %p: tensor<?xi8>, %at: index) -> tensor<?xi8> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi8>
  %m = tensor.dim %p, %c0 : tensor<?xi8>
  %0 = flow.tensor.update %p, %x[%at] : tensor<?xi8>{%m} -> %x as tensor<?xi8>{%n}
  return %0 : tensor<?xi8>
}

func.func @patch_i16(%x: tensor<?xi16>, %p: tensor<?xi16>, %at: index) -> tensor<?xi16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi16>
  %m = tensor.dim %p, %c0 : tensor<?xi16>
  %0 = flow.tensor.update %p, %x[%at] : tensor<?xi16>{%m} -> %x as tensor<?xi16>{%n}
  return %0 : tensor<?xi16>
}

func.func @slice_i8(%x: tensor<?xi8>, %at: index, %m: index) -> tensor<?xi8> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi8>
  %0 = flow.tensor.slice %x[%at for %m] : tensor<?xi8>{%n} -> tensor<?xi8>{%m}
  return %0 : tensor<?xi8>
}

// Ones in a tensor of zeros.
func.func @fill_within(%n: index, %at: index, %m: index) -> tensor<?xi8> {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %x = flow.tensor.splat %zero : tensor<?xi8>{%n}
  %p = flow.tensor.splat %one : tensor<?xi8>{%m}
  %0 = flow.tensor.update %p, %x[%at] : tensor<?xi8>{%m} -> %x as tensor<?xi8>{%n}
  return %0 : tensor<?xi8>
}
