// One program on two devices: work that goes from one to the other and back,
// arguments and results of either, work for them side by side, sizes known when
// it runs, and a number that the host reads.
// VARIANTS: two two-async two-vmvx vulkan-two vulkan-mixed@3.3
// DEVICES: local-sync local-task
// CALL: @there_and_back "4xf32=10 11 12 13"
// CALL: @on_second "4xf32=1 2 3 4"
// CALL: @of_both "4xf32=1 2 3 4" "4xf32=10 20 30 40"
// CALL: @side_by_side "4xf32=1 2 3 4"
// CALL: @dynamic "6xf32=1 2 3 4 5 6"
// CALL: @dynamic "1xf32=-2"
// CALL: @dynamic "0xf32"
// CALL: @pick "4xi32=7 8 9 10" "i32=2"
// CALL: @in_place "4xf32=1 2 3 4"

func.func @there_and_back(%a: tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_a>}) -> (tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_a>}) {
  %c0 = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = arith.mulf %a, %c0 : tensor<4xf32>
  %1 = flow.tensor.transfer %0 : tensor<4xf32> to #hal.device.promise<@device_b>
  %c1 = arith.constant dense<[4.0, 5.0, 6.0, 7.0]> : tensor<4xf32>
  %2 = arith.mulf %1, %c1 : tensor<4xf32>
  %3 = flow.tensor.transfer %2 : tensor<4xf32> to #hal.device.promise<@device_a>
  %4 = arith.addf %3, %0 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

func.func @on_second(%b: tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_b>}) -> (tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_b>}) {
  %0 = arith.mulf %b, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @of_both(%a: tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_a>}, %b: tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_b>}) -> (tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_a>}, tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_b>}) {
  %0 = flow.tensor.transfer %a : tensor<4xf32> to #hal.device.promise<@device_b>
  %1 = flow.tensor.transfer %b : tensor<4xf32> to #hal.device.promise<@device_a>
  %2 = arith.addf %a, %1 : tensor<4xf32>
  %3 = arith.subf %0, %b : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

func.func @side_by_side(%a: tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_a>}) -> (tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_a>}) {
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %b = flow.tensor.transfer %a : tensor<4xf32> to #hal.device.promise<@device_b>
  %0 = arith.mulf %a, %two : tensor<4xf32>
  %1 = arith.addf %b, %two : tensor<4xf32>
  %2 = flow.tensor.transfer %1 : tensor<4xf32> to #hal.device.promise<@device_a>
  %3 = arith.subf %0, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}

func.func @dynamic(%a: tensor<?xf32> {iree.abi.affinity = #hal.device.promise<@device_a>}) -> (tensor<?xf32> {iree.abi.affinity = #hal.device.promise<@device_a>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %0 = arith.addf %a, %a : tensor<?xf32>
  %1 = flow.tensor.transfer %0 : tensor<?xf32>{%n} to #hal.device.promise<@device_b>
  %2 = arith.mulf %1, %1 : tensor<?xf32>
  %3 = flow.tensor.transfer %2 : tensor<?xf32>{%n} to #hal.device.promise<@device_a>
  return %3 : tensor<?xf32>
}

func.func @pick(%b: tensor<4xi32> {iree.abi.affinity = #hal.device.promise<@device_b>}, %at: tensor<i32>) -> i32 {
  %0 = arith.addi %b, %b : tensor<4xi32>
  %i = tensor.extract %at[] : tensor<i32>
  %x = arith.index_cast %i : i32 to index
  %1 = tensor.extract %0[%x] : tensor<4xi32>
  return %1 : i32
}

func.func @in_place(%a: tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_b>}) -> (tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@device_b>}) {
  %x = arith.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %0 = tensor.insert_slice %x into %a[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}
