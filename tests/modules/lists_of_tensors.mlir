// A typed list of buffer views, made from computed tensors.
// VARIANTS: plain
// CALL: @tensors "2xf32=1 2"
func.func @tensors(%a: tensor<2xf32>) -> (!util.list<!hal.buffer_view>, !hal.buffer_view) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = arith.addf %a, %a : tensor<2xf32>
  %1 = arith.mulf %0, %0 : tensor<2xf32>
  %v0 = hal.tensor.export %0 : tensor<2xf32> -> !hal.buffer_view
  %v1 = hal.tensor.export %1 : tensor<2xf32> -> !hal.buffer_view
  %list = util.list.create %c2 : !util.list<!hal.buffer_view>
  util.list.resize %list, %c2 : !util.list<!hal.buffer_view>
  util.list.set %list[%c0], %v0 : !util.list<!hal.buffer_view>
  util.list.set %list[%c1], %v1 : !util.list<!hal.buffer_view>
  %last = util.list.get %list[%c1] : !util.list<!hal.buffer_view>
  return %list, %last : !util.list<!hal.buffer_view>, !hal.buffer_view
}
