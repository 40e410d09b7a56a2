// Buffer views as values: their shape and type asked for, passed through, made
// anew over the same buffer, read by the host.
// VARIANTS: plain vulkan
// CALL: @describe "2x3xf32=1 2 3 4 5 6"
// CALL: @describe "4xi8=1 2 3 4"
// CALL: @dims "2x5xi16"
// CALL: @pass "2x2xi32=1 2 3 4"
// CALL: @pass "3xui8=200 1 255"
// CALL: @length "7xi16"
// CPU_ONLY: how long the storage of seven i16 is depends on the device
// CALL: @first_byte "4xi8=42 1 2 3"
// CALL: @view_as_bytes "2xf32=1 -2"
// CALL: @checked "2x3xf32=1 2 3 4 5 6"
// CALL: @checked "3x2xf32=1 2 3 4 5 6"
// FAILS: INVALID_ARGUMENT
func.func @describe(%v: !hal.buffer_view) -> (index, i32, i32) {
  %rank = hal.buffer_view.rank<%v : !hal.buffer_view> : index
  %type = hal.buffer_view.element_type<%v : !hal.buffer_view> : i32
  %encoding = hal.buffer_view.encoding_type<%v : !hal.buffer_view> : i32
  return %rank, %type, %encoding : index, i32, i32
}

func.func @dims(%v: !hal.buffer_view) -> (index, index) {
  %0 = hal.buffer_view.dim<%v : !hal.buffer_view>[0] : index
  %1 = hal.buffer_view.dim<%v : !hal.buffer_view>[1] : index
  return %0, %1 : index, index
}

func.func @pass(%v: !hal.buffer_view) -> !hal.buffer_view {
  return %v : !hal.buffer_view
}

func.func @length(%v: !hal.buffer_view) -> index {
  %b = hal.buffer_view.buffer<%v : !hal.buffer_view> : !hal.buffer
  %n = hal.buffer.length<%b : !hal.buffer> : index
  return %n : index
}

func.func @first_byte(%v: !hal.buffer_view) -> i8 {
  %c0 = arith.constant 0 : index
  %b = hal.buffer_view.buffer<%v : !hal.buffer_view> : !hal.buffer
  %0 = hal.buffer.load<%b : !hal.buffer>[%c0] : i8
  return %0 : i8
}

func.func @view_as_bytes(%v: !hal.buffer_view) -> !hal.buffer_view {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %type = hal.element_type<i8> : i32
  %encoding = hal.encoding_type<dense_row_major> : i32
  %b = hal.buffer_view.buffer<%v : !hal.buffer_view> : !hal.buffer
  %w = hal.buffer_view.create buffer(%b : !hal.buffer)[%c0, %c8] shape([%c8]) type(%type) encoding(%encoding) : !hal.buffer_view
  return %w : !hal.buffer_view
}

func.func @checked(%v: !hal.buffer_view) -> tensor<2x3xf32> {
  %0 = hal.tensor.import %v "the picture" : !hal.buffer_view -> tensor<2x3xf32>
  %1 = arith.negf %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
