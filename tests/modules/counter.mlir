// Globals with state: an i32 counter and a tensor accumulator.
// VARIANTS: plain bare async vulkan vulkan-async@3.3,3.13 vulkan-bda
// CALL: @next
// CALL: @next_three
// CALL: @accumulate "2xf32=1 2"
// CALL: @accumulate_twice "2xf32=0.5 4"
// SEQUENCE: @next ; @next ; @reset 10 ; @next ; @next_three ; @next
// IN: plain bare
util.global private mutable @count = 0 : i32
util.global private mutable @total = dense<[100.0, 200.0]> : tensor<2xf32>

func.func @next() -> i32 {
  %one = arith.constant 1 : i32
  %old = util.global.load @count : i32
  %new = arith.addi %old, %one : i32
  util.global.store %new, @count : i32
  return %new : i32
}

func.func @next_three() -> (i32, i32, i32) {
  %a = func.call @next() : () -> i32
  %b = func.call @next() : () -> i32
  %c = func.call @next() : () -> i32
  return %a, %b, %c : i32, i32, i32
}

func.func @reset(%value: i32) {
  util.global.store %value, @count : i32
  return
}

func.func @accumulate(%x: tensor<2xf32>) -> tensor<2xf32> {
  %old = util.global.load @total : tensor<2xf32>
  %new = arith.addf %old, %x : tensor<2xf32>
  util.global.store %new, @total : tensor<2xf32>
  return %new : tensor<2xf32>
}

func.func @accumulate_twice(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = func.call @accumulate(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = func.call @accumulate(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}
