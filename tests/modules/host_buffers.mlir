// Device buffers made by hand: allocation, host loads and stores, subspans.
// VARIANTS: plain vulkan
// CALL: @host_buffer 7
// CALL: @subspan
// CALL: @subspan_past_end
// FAILS: OUT_OF_RANGE
func.func @host_buffer(%v: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %type = hal.memory_type<"HostVisible|HostCoherent|DeviceLocal"> : i32
  %usage = hal.buffer_usage<"TransferSource|TransferTarget|MappingScoped"> : i32
  %affinity = arith.constant -1 : i64
  %d = hal.devices.get %c0 : !hal.device
  %a = hal.device.allocator<%d : !hal.device> : !hal.allocator
  %b = hal.allocator.allocate<%a : !hal.allocator> affinity(%affinity) type(%type) usage(%usage) : !hal.buffer{%c16}
  hal.buffer.store<%b : !hal.buffer>[%c0] value(%v : i32)
  hal.buffer.store<%b : !hal.buffer>[%c4] value(%v : i32)
  %twice = arith.addi %v, %v : i32
  hal.buffer.store<%b : !hal.buffer>[%c4] value(%twice : i32)
  %0 = hal.buffer.load<%b : !hal.buffer>[%c0] : i32
  %1 = hal.buffer.load<%b : !hal.buffer>[%c4] : i32
  return %0, %1 : i32, i32
}

func.func private @make(%at: index, %length: index) -> (index, i32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant 99 : i32
  %type = hal.memory_type<"HostVisible|HostCoherent|DeviceLocal"> : i32
  %usage = hal.buffer_usage<"TransferSource|TransferTarget|MappingScoped"> : i32
  %affinity = arith.constant -1 : i64
  %d = hal.devices.get %c0 : !hal.device
  %a = hal.device.allocator<%d : !hal.device> : !hal.allocator
  %b = hal.allocator.allocate<%a : !hal.allocator> affinity(%affinity) type(%type) usage(%usage) : !hal.buffer{%c16}
  hal.buffer.store<%b : !hal.buffer>[%c8] value(%v : i32)
  %s = hal.buffer.subspan<%b : !hal.buffer>[%at, %length] : !hal.buffer
  %n = hal.buffer.length<%s : !hal.buffer> : index
  %0 = hal.buffer.load<%s : !hal.buffer>[%c0] : i32
  return %n, %0 : index, i32
}

func.func @subspan() -> (index, i32) {
  %c8 = arith.constant 8 : index
  %n, %v = func.call @make(%c8, %c8) : (index, index) -> (index, i32)
  return %n, %v : index, i32
}

func.func @subspan_past_end() -> (index, i32) {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %n, %v = func.call @make(%c8, %c16) : (index, index) -> (index, i32)
  return %n, %v : index, i32
}
