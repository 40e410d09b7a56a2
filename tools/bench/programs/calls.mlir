// Calls within a module: what entering and leaving a function costs, a million
// times, and what a host function costs that does little.
func.func private @step(%sum: i32, %i: i32) -> i32 attributes {noinline} {
  %mixed = arith.xori %sum, %i : i32
  return %mixed : i32
}

func.func @calls(%count: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %sum = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %count : i32
    scf.condition(%more) %i, %sum : i32, i32
  } do {
  ^bb0(%i: i32, %sum: i32):
    %next_sum = func.call @step(%sum, %i) : (i32, i32) -> i32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %next_sum : i32, i32
  }
  return %r#1 : i32
}

// Ten functions, each of which calls the next.
func.func private @link_1(%x: i32) -> i32 attributes {noinline} {
  %y = func.call @link_2(%x) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
func.func private @link_2(%x: i32) -> i32 attributes {noinline} {
  %y = func.call @link_3(%x) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
func.func private @link_3(%x: i32) -> i32 attributes {noinline} {
  %y = func.call @link_4(%x) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
func.func private @link_4(%x: i32) -> i32 attributes {noinline} {
  %y = func.call @link_5(%x) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
func.func private @link_5(%x: i32) -> i32 attributes {noinline} {
  %y = func.call @link_6(%x) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
func.func private @link_6(%x: i32) -> i32 attributes {noinline} {
  %y = func.call @link_7(%x) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
func.func private @link_7(%x: i32) -> i32 attributes {noinline} {
  %y = func.call @link_8(%x) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
func.func private @link_8(%x: i32) -> i32 attributes {noinline} {
  %y = func.call @link_9(%x) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
func.func private @link_9(%x: i32) -> i32 attributes {noinline} {
  %y = func.call @link_10(%x) : (i32) -> i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}
func.func private @link_10(%x: i32) -> i32 attributes {noinline} {
  %y = arith.constant 1 : i32
  %sum = arith.addi %x, %y : i32
  return %sum : i32
}

func.func @call_chain(%count: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %sum = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %count : i32
    scf.condition(%more) %i, %sum : i32, i32
  } do {
  ^bb0(%i: i32, %sum: i32):
    %next_sum = func.call @link_1(%sum) : (i32) -> i32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %next_sum : i32, i32
  }
  return %r#1 : i32
}

// The host reads four bytes of a buffer.
func.func @host_calls(%view: !hal.buffer_view, %count: index) -> i32 {
  %buffer = hal.buffer_view.buffer<%view : !hal.buffer_view> : !hal.buffer
  %start = arith.constant 0 : index
  %one = arith.constant 1 : index
  %mask = arith.constant 12 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %start to %count step %one iter_args(%sum = %zero) -> i32 {
    %at = arith.andi %i, %mask : index
    %value = hal.buffer.load<%buffer : !hal.buffer>[%at] : i32
    %next = arith.xori %sum, %value : i32
    scf.yield %next : i32
  }
  return %sum : i32
}
