// Imports from another module, optional ones among them.
// MODE: vm
// NEEDS: vm_library
// VARIANTS: plain
// CALL: @square_plus_one 9
// CALL: @add_i64 5000000000 1
// CALL: @count_three
// CALL: @split 2.75
// CALL: @optional
// SEQUENCE: @count_three ; @count_three
vm.module @vm_linked {
  vm.import private @vm_library.square(%x : i32) -> i32
  vm.import private @vm_library.sum_of_two(%x : i64, %y : i64) -> i64
  vm.import private @vm_library.count() -> i32
  vm.import private @vm_library.split(%x : f32) -> (f32, f32, !vm.buffer)
  vm.import private optional @vm_library.cube(%x : i32) -> i32
  vm.import private optional @vm_library.missing_too(%x : i32)

  vm.export @square_plus_one
  vm.func private @square_plus_one(%x: i32) -> i32 {
    %one = vm.const.i32 1
    %s = vm.call @vm_library.square(%x) : (i32) -> i32
    %r = vm.add.i32 %s, %one : i32
    vm.return %r : i32
  }

  vm.export @add_i64
  vm.func private @add_i64(%x: i64, %y: i64) -> i64 {
    %r = vm.call @vm_library.sum_of_two(%x, %y) : (i64, i64) -> i64
    vm.return %r : i64
  }

  vm.export @count_three
  vm.func private @count_three() -> (i32, i32, i32) {
    %a = vm.call @vm_library.count() : () -> i32
    %b = vm.call @vm_library.count() : () -> i32
    %c = vm.call @vm_library.count() : () -> i32
    vm.return %a, %b, %c : i32, i32, i32
  }

  vm.export @split
  vm.func private @split(%x: f32) -> (f32, f32, i64) {
    %f, %r, %b = vm.call @vm_library.split(%x) : (f32) -> (f32, f32, !vm.buffer)
    %n = vm.buffer.length %b : !vm.buffer -> i64
    vm.return %f, %r, %n : f32, f32, i64
  }

  vm.export @optional
  vm.func private @optional() -> i32 {
    %has = vm.import.resolved @vm_library.cube : i32
    vm.cond_br %has, ^call, ^without
  ^call:
    %c3 = vm.const.i32 3
    %r = vm.call @vm_library.cube(%c3) : (i32) -> i32
    vm.return %r : i32
  ^without:
    %minus = vm.const.i32 -1
    vm.return %minus : i32
  }
}
