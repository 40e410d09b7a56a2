// Functions that vm_linked.mlir imports: a module that others depend on.
// MODE: vm
// VARIANTS: plain
// CALL: @square 9
// CALL: @sum_of_two 3 4
vm.module @vm_library {
  vm.global.i32 private mutable @calls = 0 : i32

  vm.export @square
  vm.func private @square(%x: i32) -> i32 {
    %r = vm.mul.i32 %x, %x : i32
    vm.return %r : i32
  }

  vm.export @sum_of_two
  vm.func private @sum_of_two(%x: i64, %y: i64) -> i64 {
    %r = vm.add.i64 %x, %y : i64
    vm.return %r : i64
  }

  vm.export @count
  vm.func private @count() -> i32 {
    %one = vm.const.i32 1
    %old = vm.global.load.i32 @calls : i32
    %new = vm.add.i32 %old, %one : i32
    vm.global.store.i32 %new, @calls : i32
    vm.return %new : i32
  }

  vm.export @split
  vm.func private @split(%x: f32) -> (f32, f32, !vm.buffer) {
    %f = vm.floor.f32 %x : f32
    %r = vm.sub.f32 %x, %f : f32
    %n = vm.const.i64 5
    %align = vm.const.i32 16
    %b = vm.buffer.alloc %n, %align : !vm.buffer
    vm.return %f, %r, %b : f32, f32, !vm.buffer
  }
}
