// The VM's globals of every type, direct and indirect, with initializers.
// MODE: vm
// VARIANTS: plain bare
// CALL: @initial
// CALL: @set_i32 5
// CALL: @set_i64 5000000000
// CALL: @set_f32 1.5
// CALL: @set_f64 -2.5
// CALL: @indirect 9
// CALL: @initialized
// CALL: @ref_is_null
// CALL: @keep_ref
// SEQUENCE: @initial ; @set_i32 5 ; @initial ; @indirect 6 ; @initial ; @set_i64 7 ; @initial
vm.module @vm_globals {
  vm.global.i32 private mutable @i = 42 : i32
  vm.global.i64 private mutable @l = -5 : i64
  vm.global.f32 private mutable @f = 0.25 : f32
  vm.global.f64 private mutable @d = 1.0e100 : f64
  vm.global.ref private mutable @r : !vm.buffer
  vm.global.i32 private mutable @computed : i32
  vm.global.i32 private @fixed = 77 : i32

  vm.initializer {
    %a = vm.global.load.i32 @i : i32
    %b = vm.global.load.i32 @fixed : i32
    %c = vm.mul.i32 %a, %b : i32
    vm.global.store.i32 %c, @computed : i32
    vm.return
  }

  vm.export @initial
  vm.func private @initial() -> (i32, i64, f32, f64) {
    %0 = vm.global.load.i32 @i : i32
    %1 = vm.global.load.i64 @l : i64
    %2 = vm.global.load.f32 @f : f32
    %3 = vm.global.load.f64 @d : f64
    vm.return %0, %1, %2, %3 : i32, i64, f32, f64
  }

  vm.export @set_i32
  vm.func private @set_i32(%v: i32) -> i32 {
    vm.global.store.i32 %v, @i : i32
    %r = vm.global.load.i32 @i : i32
    vm.return %r : i32
  }

  vm.export @set_i64
  vm.func private @set_i64(%v: i64) -> i64 {
    vm.global.store.i64 %v, @l : i64
    %r = vm.global.load.i64 @l : i64
    vm.return %r : i64
  }

  vm.export @set_f32
  vm.func private @set_f32(%v: f32) -> f32 {
    vm.global.store.f32 %v, @f : f32
    %r = vm.global.load.f32 @f : f32
    vm.return %r : f32
  }

  vm.export @set_f64
  vm.func private @set_f64(%v: f64) -> f64 {
    vm.global.store.f64 %v, @d : f64
    %r = vm.global.load.f64 @d : f64
    vm.return %r : f64
  }

  vm.export @indirect
  vm.func private @indirect(%v: i32) -> (i32, i32) {
    %p = vm.global.address @i : !util.ptr<i32>
    %old = vm.global.load.indirect.i32 %p : !util.ptr<i32> -> i32
    vm.global.store.indirect.i32 %v, %p : i32 -> !util.ptr<i32>
    %new = vm.global.load.i32 @i : i32
    vm.return %old, %new : i32, i32
  }

  vm.export @initialized
  vm.func private @initialized() -> i32 {
    %r = vm.global.load.i32 @computed : i32
    vm.return %r : i32
  }

  vm.export @ref_is_null
  vm.func private @ref_is_null() -> i32 {
    %b = vm.global.load.ref @r : !vm.buffer
    %null = vm.const.ref.zero : !vm.buffer
    %r = vm.cmp.eq.ref %b, %null : !vm.buffer
    vm.return %r : i32
  }

  vm.export @keep_ref
  vm.func private @keep_ref() -> (i64, i32) {
    %n = vm.const.i64 24
    %align = vm.const.i32 16
    %b = vm.buffer.alloc %n, %align : !vm.buffer
    vm.global.store.ref %b, @r : !vm.buffer
    %c = vm.global.load.ref @r : !vm.buffer
    %length = vm.buffer.length %c : !vm.buffer -> i64
    %same = vm.cmp.eq.ref %b, %c : !vm.buffer
    vm.return %length, %same : i64, i32
  }
}
