// The VM's byte buffers: allocation, loads and stores of every width, copy,
// compare, fill, hash, and the errors past their ends.
// MODE: vm
// VARIANTS: plain
// CALL: @loads
// CALL: @load_i64
// CALL: @load_floats
// CALL: @store_and_load 305419896
// CALL: @store_i64 1311768467463790320
// CALL: @store_floats 1.5 -2.25
// WANT: result[0]: f32=1.5
// WANT: result[1]: f64=-2.25
// CALL: @fills
// CALL: @copy 2 3
// CALL: @copy 6 3
// FAILS: OUT_OF_RANGE
// CALL: @copy -1 3
// FAILS: OUT_OF_RANGE
// CALL: @compare 0
// CALL: @compare 1
// CALL: @clone 2 4
// CALL: @clone 7 4
// FAILS: OUT_OF_RANGE
// CALL: @hash
// CALL: @load_at 7
// CALL: @load_at 8
// FAILS: OUT_OF_RANGE
// CALL: @load_at -1
// FAILS: OUT_OF_RANGE
// CALL: @load_word_at 3
// CALL: @store_to_rodata
// FAILS: PERMISSION_DENIED
// CALL: @zeroed
// CALL: @string_length
vm.module @vm_buffers {
  vm.rodata private @bytes dense<[1, 130, 3, -4, 5, 6, 7, -8]> : tensor<8xi8>
  vm.rodata private @floats dense<[1.5, -2.0]> : tensor<2xf32>
  vm.rodata private @doubles dense<[0.1, -1.0e200]> : tensor<2xf64>
  vm.rodata private @text "a string in rodata"

  vm.export @loads
  vm.func private @loads() -> (i32, i32, i32, i32, i32) {
    %b = vm.const.ref.rodata @bytes : !vm.buffer
    %c0 = vm.const.i64 0
    %c1 = vm.const.i64 1
    %0 = vm.buffer.load.i8.u %b[%c1] : !vm.buffer -> i32
    %1 = vm.buffer.load.i8.s %b[%c1] : !vm.buffer -> i32
    %2 = vm.buffer.load.i16.u %b[%c0] : !vm.buffer -> i32
    %3 = vm.buffer.load.i16.s %b[%c0] : !vm.buffer -> i32
    %4 = vm.buffer.load.i32 %b[%c0] : !vm.buffer -> i32
    vm.return %0, %1, %2, %3, %4 : i32, i32, i32, i32, i32
  }

  vm.export @load_i64
  vm.func private @load_i64() -> i64 {
    %b = vm.const.ref.rodata @bytes : !vm.buffer
    %c0 = vm.const.i64 0
    %0 = vm.buffer.load.i64 %b[%c0] : !vm.buffer -> i64
    vm.return %0 : i64
  }

  vm.export @load_floats
  vm.func private @load_floats() -> (f32, f64) {
    %f = vm.const.ref.rodata @floats : !vm.buffer
    %d = vm.const.ref.rodata @doubles : !vm.buffer
    %c1 = vm.const.i64 1
    %0 = vm.buffer.load.f32 %f[%c1] : !vm.buffer -> f32
    %1 = vm.buffer.load.f64 %d[%c1] : !vm.buffer -> f64
    vm.return %0, %1 : f32, f64
  }

  vm.export @store_and_load
  vm.func private @store_and_load(%v: i32) -> (i32, i32, i32, i32) {
    %n = vm.const.i64 16
    %align = vm.const.i32 16
    %c0 = vm.const.i64 0
    %c1 = vm.const.i64 1
    %c2 = vm.const.i64 2
    %c3 = vm.const.i64 3
    %b = vm.buffer.alloc %n, %align : !vm.buffer
    vm.buffer.store.i32 %v, %b[%c0] : i32 -> !vm.buffer
    vm.buffer.store.i16 %v, %b[%c2] : i32 -> !vm.buffer
    vm.buffer.store.i8 %v, %b[%c1] : i32 -> !vm.buffer
    %0 = vm.buffer.load.i32 %b[%c0] : !vm.buffer -> i32
    %1 = vm.buffer.load.i32 %b[%c1] : !vm.buffer -> i32
    %2 = vm.buffer.load.i32 %b[%c2] : !vm.buffer -> i32
    %3 = vm.buffer.load.i32 %b[%c3] : !vm.buffer -> i32
    vm.return %0, %1, %2, %3 : i32, i32, i32, i32
  }

  vm.export @store_i64
  vm.func private @store_i64(%v: i64) -> (i64, i32) {
    %n = vm.const.i64 16
    %align = vm.const.i32 16
    %c1 = vm.const.i64 1
    %b = vm.buffer.alloc %n, %align : !vm.buffer
    vm.buffer.store.i64 %v, %b[%c1] : i64 -> !vm.buffer
    %0 = vm.buffer.load.i64 %b[%c1] : !vm.buffer -> i64
    %c2 = vm.const.i64 2
    %1 = vm.buffer.load.i32 %b[%c2] : !vm.buffer -> i32
    vm.return %0, %1 : i64, i32
  }

  vm.export @store_floats
  vm.func private @store_floats(%f: f32, %d: f64) -> (f32, f64) {
    %n = vm.const.i64 32
    %align = vm.const.i32 16
    %c0 = vm.const.i64 0
    %c1 = vm.const.i64 1
    %b = vm.buffer.alloc %n, %align : !vm.buffer
    vm.buffer.store.f32 %f, %b[%c0] : f32 -> !vm.buffer
    vm.buffer.store.f64 %d, %b[%c1] : f64 -> !vm.buffer
    %0 = vm.buffer.load.f32 %b[%c0] : !vm.buffer -> f32
    %1 = vm.buffer.load.f64 %b[%c1] : !vm.buffer -> f64
    vm.return %0, %1 : f32, f64
  }

  vm.export @fills
  vm.func private @fills() -> (i32, i32, i32, i64, f32, f64) {
    %n = vm.const.i64 64
    %align = vm.const.i32 16
    %c0 = vm.const.i64 0
    %c1 = vm.const.i64 1
    %c8 = vm.const.i64 8
    %v = vm.const.i32 439041101
    %w = vm.const.i64 1311768467463790320
    %f = vm.const.f32 0.5
    %d = vm.const.f64 -0.75
    %b = vm.buffer.alloc %n, %align : !vm.buffer
    vm.buffer.fill.i8 %b, %c0, %c8, %v : i32 -> !vm.buffer
    %0 = vm.buffer.load.i32 %b[%c0] : !vm.buffer -> i32
    vm.buffer.fill.i16 %b, %c0, %c8, %v : i32 -> !vm.buffer
    %1 = vm.buffer.load.i32 %b[%c0] : !vm.buffer -> i32
    vm.buffer.fill.i32 %b, %c0, %c8, %v : i32 -> !vm.buffer
    %2 = vm.buffer.load.i32 %b[%c1] : !vm.buffer -> i32
    vm.buffer.fill.i64 %b, %c0, %c8, %w : i64 -> !vm.buffer
    %3 = vm.buffer.load.i64 %b[%c0] : !vm.buffer -> i64
    vm.buffer.fill.f32 %b, %c0, %c8, %f : f32 -> !vm.buffer
    %4 = vm.buffer.load.f32 %b[%c1] : !vm.buffer -> f32
    vm.buffer.fill.f64 %b, %c0, %c8, %d : f64 -> !vm.buffer
    %5 = vm.buffer.load.f64 %b[%c0] : !vm.buffer -> f64
    vm.return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i64, f32, f64
  }

  vm.export @copy
  vm.func private @copy(%from: i64, %length: i64) -> i64 {
    %n = vm.const.i64 8
    %align = vm.const.i32 16
    %c0 = vm.const.i64 0
    %c1 = vm.const.i64 1
    %s = vm.const.ref.rodata @bytes : !vm.buffer
    %b = vm.buffer.alloc %n, %align : !vm.buffer
    vm.buffer.copy %s, %from, %b, %c1, %length : !vm.buffer -> !vm.buffer
    %0 = vm.buffer.load.i64 %b[%c0] : !vm.buffer -> i64
    vm.return %0 : i64
  }

  vm.export @compare
  vm.func private @compare(%change: i32) -> (i32, i32) {
    %n = vm.const.i64 8
    %align = vm.const.i32 16
    %c0 = vm.const.i64 0
    %c1 = vm.const.i64 1
    %c3 = vm.const.i64 3
    %s = vm.const.ref.rodata @bytes : !vm.buffer
    %b = vm.buffer.clone %s, %c0, %n, %align : !vm.buffer -> !vm.buffer
    vm.cond_br %change, ^change, ^same
  ^change:
    vm.buffer.store.i8 %change, %b[%c3] : i32 -> !vm.buffer
    vm.br ^same
  ^same:
    %0 = vm.buffer.compare %s, %c0, %b, %c0, %n : !vm.buffer, !vm.buffer
    %1 = vm.buffer.compare %s, %c0, %b, %c0, %c3 : !vm.buffer, !vm.buffer
    vm.return %0, %1 : i32, i32
  }

  vm.export @clone
  vm.func private @clone(%from: i64, %length: i64) -> (i64, i32) {
    %align = vm.const.i32 16
    %c0 = vm.const.i64 0
    %s = vm.const.ref.rodata @bytes : !vm.buffer
    %b = vm.buffer.clone %s, %from, %length, %align : !vm.buffer -> !vm.buffer
    %0 = vm.buffer.length %b : !vm.buffer -> i64
    %1 = vm.buffer.load.i32 %b[%c0] : !vm.buffer -> i32
    vm.return %0, %1 : i64, i32
  }

  vm.export @hash
  vm.func private @hash() -> (i64, i64, i64) {
    %s = vm.const.ref.rodata @bytes : !vm.buffer
    %t = vm.const.ref.rodata @text : !vm.buffer
    %c0 = vm.const.i64 0
    %c3 = vm.const.i64 3
    %c8 = vm.const.i64 8
    %c18 = vm.const.i64 18
    %0 = vm.buffer.hash %s, %c0, %c8 : !vm.buffer -> i64
    %1 = vm.buffer.hash %s, %c3, %c0 : !vm.buffer -> i64
    %2 = vm.buffer.hash %t, %c0, %c18 : !vm.buffer -> i64
    vm.return %0, %1, %2 : i64, i64, i64
  }

  vm.export @load_at
  vm.func private @load_at(%i: i64) -> i32 {
    %s = vm.const.ref.rodata @bytes : !vm.buffer
    %0 = vm.buffer.load.i8.u %s[%i] : !vm.buffer -> i32
    vm.return %0 : i32
  }

  vm.export @load_word_at
  vm.func private @load_word_at(%i: i64) -> i32 {
    %s = vm.const.ref.rodata @doubles : !vm.buffer
    %0 = vm.buffer.load.i32 %s[%i] : !vm.buffer -> i32
    vm.return %0 : i32
  }

  vm.export @store_to_rodata
  vm.func private @store_to_rodata() -> i32 {
    %s = vm.const.ref.rodata @bytes : !vm.buffer
    %c0 = vm.const.i64 0
    %v = vm.const.i32 9
    vm.buffer.store.i8 %v, %s[%c0] : i32 -> !vm.buffer
    %0 = vm.buffer.load.i8.u %s[%c0] : !vm.buffer -> i32
    vm.return %0 : i32
  }

  vm.export @zeroed
  vm.func private @zeroed() -> (i64, i64) {
    %n = vm.const.i64 4096
    %align = vm.const.i32 64
    %last = vm.const.i64 511
    %b = vm.buffer.alloc %n, %align : !vm.buffer
    %0 = vm.buffer.load.i64 %b[%last] : !vm.buffer -> i64
    %1 = vm.buffer.length %b : !vm.buffer -> i64
    vm.return %0, %1 : i64, i64
  }

  vm.export @string_length
  vm.func private @string_length() -> i64 {
    %t = vm.const.ref.rodata @text : !vm.buffer
    %0 = vm.buffer.length %t : !vm.buffer -> i64
    vm.return %0 : i64
  }
}
