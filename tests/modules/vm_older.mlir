// Instructions that bytecode 13 encodes in another way: buffer.alloc without an
// alignment, buffer.fill in bytes, functions without a signature.
// RELEASES: 20230209 20230228
// MODE: vm
// VARIANTS: plain bare-debug
// CALL: @sum 5
// CALL: @sum 1
// CALL: @fill 3
// CALL: @fill_all 2
vm.module @m {
  vm.global.i32 private mutable @g = 7 : i32
  vm.export @sum
  vm.func @sum(%n: i32) -> i32 {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    vm.br ^loop(%c0, %c0 : i32, i32)
  ^loop(%i: i32, %s: i32):
    %s2 = vm.call @twice(%s, %i) : (i32, i32) -> i32
    %i2 = vm.add.i32 %i, %c1 : i32
    %more = vm.cmp.lt.i32.s %i2, %n : i32
    vm.cond_br %more, ^loop(%i2, %s2 : i32, i32), ^end(%s2 : i32)
  ^end(%r: i32):
    vm.return %r : i32
  }
  vm.func private @twice(%s: i32, %i: i32) -> i32 attributes {noinline} {
    %a = vm.add.i32 %s, %i : i32
    %g = vm.global.load.i32 @g : i32
    %b = vm.add.i32 %a, %g : i32
    vm.return %b : i32
  }
  vm.export @fill
  vm.func @fill(%value: i32) -> i32 {
    %c16 = vm.const.i64 16
    %c4 = vm.const.i64 4
    %c8 = vm.const.i64 8
    %buf = vm.buffer.alloc %c16 : !vm.buffer
    vm.buffer.fill.i32 %buf, %c4, %c8, %value : i32 -> !vm.buffer
    %i0 = vm.const.i64 0
    %i1 = vm.const.i64 1
    %i2 = vm.const.i64 2
    %i3 = vm.const.i64 3
    %a = vm.buffer.load.i32 %buf[%i0] : !vm.buffer -> i32
    %b = vm.buffer.load.i32 %buf[%i1] : !vm.buffer -> i32
    %c = vm.buffer.load.i32 %buf[%i2] : !vm.buffer -> i32
    %d = vm.buffer.load.i32 %buf[%i3] : !vm.buffer -> i32
    %c10 = vm.const.i32 10
    %x = vm.mul.i32 %a, %c10 : i32
    %y = vm.add.i32 %x, %b : i32
    %z = vm.mul.i32 %y, %c10 : i32
    %w = vm.add.i32 %z, %c : i32
    %v = vm.mul.i32 %w, %c10 : i32
    %u = vm.add.i32 %v, %d : i32
    vm.return %u : i32
  }

  // Fills in bytes of each width, cloned afterwards.
  vm.export @fill_all
  vm.func @fill_all(%v: i32) -> i64 {
    %c32 = vm.const.i64 32
    %n = vm.const.i64 8
    %buf = vm.buffer.alloc %c32 : !vm.buffer
    %o0 = vm.const.i64 0
    vm.buffer.fill.i8 %buf, %o0, %n, %v : i32 -> !vm.buffer
    vm.buffer.fill.i16 %buf, %n, %n, %v : i32 -> !vm.buffer
    %o16 = vm.const.i64 16
    %wide = vm.ext.i32.i64.s %v : i32 -> i64
    vm.buffer.fill.i64 %buf, %o16, %n, %wide : i64 -> !vm.buffer
    %o24 = vm.const.i64 24
    %f = vm.cast.si32.f32 %v : i32 -> f32
    vm.buffer.fill.f32 %buf, %o24, %n, %f : f32 -> !vm.buffer
    %o4 = vm.const.i64 4
    %n24 = vm.const.i64 28
    %copy = vm.buffer.clone %buf, %o4, %n24 : !vm.buffer -> !vm.buffer
    %i0 = vm.const.i64 0
    %i1 = vm.const.i64 1
    %i2 = vm.const.i64 2
    %a = vm.buffer.load.i64 %copy[%i0] : !vm.buffer -> i64
    %b = vm.buffer.load.i64 %copy[%i1] : !vm.buffer -> i64
    %c = vm.buffer.load.i64 %copy[%i2] : !vm.buffer -> i64
    %x = vm.xor.i64 %a, %b : i64
    %y = vm.xor.i64 %x, %c : i64
    vm.return %y : i64
  }
}
