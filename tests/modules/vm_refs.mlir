// The VM's references: null, equality, selection, casts, rodata, lists of
// every element kind.
// MODE: vm
// VARIANTS: plain
// CALL: @null_compares
// CALL: @select_ref 1
// CALL: @select_ref 0
// CALL: @switch_ref 0
// WANT: result[0]: i64=12
// CALL: @switch_ref 1
// WANT: result[0]: i64=8
// CALL: @switch_ref 5
// WANT: result[0]: i64=32
// CALL: @cast_any
// CALL: @cast_wrong
// FAILS: INVALID_ARGUMENT
// CALL: @list_i8 300
// CALL: @list_i16 70000
// CALL: @list_i32 -5
// CALL: @list_i64 5000000000
// CALL: @list_f32 1.5
// CALL: @list_f64 -2.5
// CALL: @list_ref
// CALL: @list_any 7 5000000000 1.5
// WANT: result[0]: i32=7
// WANT: result[1]: i64=5000000000
// WANT: result[2]: f32=1.5
// WANT: result[3]: i64=12
// CALL: @list_any_converts 7
// CALL: @list_bounds 2
// CALL: @list_bounds 3
// FAILS: OUT_OF_RANGE
// CALL: @list_bounds -1
// FAILS: OUT_OF_RANGE
// CALL: @list_shrinks
// CALL: @null_list
// FAILS: INVALID_ARGUMENT
// CALL: @loop_of_refs 5
// CALL: @return_list
// CALL: @return_buffer
// NOTE: the buffer holds the bytes 1 to 8
// CALL: @return_null
vm.module @vm_refs {
  vm.rodata private @one_to_eight dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8>
  vm.rodata private @words dense<[100000, -2, 3]> : tensor<3xi32>

  vm.export @null_compares
  vm.func private @null_compares() -> (i32, i32, i32) {
    %null = vm.const.ref.zero : !vm.buffer
    %a = vm.const.ref.rodata @words : !vm.buffer
    %eq = vm.cmp.eq.ref %null, %a : !vm.buffer
    %ne = vm.cmp.ne.ref %null, %a : !vm.buffer
    %nz = vm.cmp.nz.ref %a : !vm.buffer
    vm.return %eq, %ne, %nz : i32, i32, i32
  }

  vm.export @select_ref
  vm.func private @select_ref(%c: i32) -> i64 {
    %a = vm.const.ref.rodata @words : !vm.buffer
    %b = vm.const.ref.rodata @one_to_eight : !vm.buffer
    %r = vm.select.ref %c, %a, %b : !vm.buffer
    %n = vm.buffer.length %r : !vm.buffer -> i64
    vm.return %n : i64
  }

  vm.export @switch_ref
  vm.func private @switch_ref(%i: i32) -> i64 {
    %a = vm.const.ref.rodata @words : !vm.buffer
    %b = vm.const.ref.rodata @one_to_eight : !vm.buffer
    %n32 = vm.const.i64 32
    %align = vm.const.i32 16
    %c = vm.buffer.alloc %n32, %align : !vm.buffer
    %r = vm.switch.ref %i[%a, %b] else %c : !vm.buffer
    %n = vm.buffer.length %r : !vm.buffer -> i64
    vm.return %n : i64
  }

  vm.export @cast_any
  vm.func private @cast_any() -> i64 {
    %a = vm.const.ref.rodata @words : !vm.buffer
    %any = vm.call @hide(%a) : (!vm.buffer) -> !vm.ref<?>
    %b = vm.cast.any.ref %any : !vm.ref<?> -> !vm.buffer
    %n = vm.buffer.length %b : !vm.buffer -> i64
    vm.return %n : i64
  }
  vm.func private @hide(%a: !vm.buffer) -> !vm.ref<?> attributes {inlining_policy = #util.inline.never} {
    %any = vm.cast.ref.any %a : !vm.buffer -> !vm.ref<?>
    vm.return %any : !vm.ref<?>
  }

  vm.export @cast_wrong
  vm.func private @cast_wrong() -> i32 {
    %a = vm.const.ref.rodata @words : !vm.buffer
    %any = vm.call @hide(%a) : (!vm.buffer) -> !vm.ref<?>
    %b = vm.cast.any.ref %any : !vm.ref<?> -> !vm.list<i32>
    %n = vm.list.size %b : (!vm.list<i32>) -> i32
    vm.return %n : i32
  }

  vm.export @list_i8
  vm.func private @list_i8(%v: i32) -> i32 {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %l = vm.list.alloc %c1 : (i32) -> !vm.list<i8>
    vm.list.resize %l, %c1 : (!vm.list<i8>, i32)
    vm.list.set.i32 %l, %c0, %v : (!vm.list<i8>, i32, i32)
    %r = vm.list.get.i32 %l, %c0 : (!vm.list<i8>, i32) -> i32
    vm.return %r : i32
  }

  vm.export @list_i16
  vm.func private @list_i16(%v: i32) -> i32 {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %l = vm.list.alloc %c1 : (i32) -> !vm.list<i16>
    vm.list.resize %l, %c1 : (!vm.list<i16>, i32)
    vm.list.set.i32 %l, %c0, %v : (!vm.list<i16>, i32, i32)
    %r = vm.list.get.i32 %l, %c0 : (!vm.list<i16>, i32) -> i32
    vm.return %r : i32
  }

  vm.export @list_i32
  vm.func private @list_i32(%v: i32) -> (i32, i32) {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %c2 = vm.const.i32 2
    %l = vm.list.alloc %c2 : (i32) -> !vm.list<i32>
    vm.list.reserve %l, %c2 : (!vm.list<i32>, i32)
    vm.list.resize %l, %c2 : (!vm.list<i32>, i32)
    vm.list.set.i32 %l, %c1, %v : (!vm.list<i32>, i32, i32)
    %r = vm.list.get.i32 %l, %c1 : (!vm.list<i32>, i32) -> i32
    %z = vm.list.get.i32 %l, %c0 : (!vm.list<i32>, i32) -> i32
    vm.return %r, %z : i32, i32
  }

  vm.export @list_i64
  vm.func private @list_i64(%v: i64) -> i64 {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %l = vm.list.alloc %c1 : (i32) -> !vm.list<i64>
    vm.list.resize %l, %c1 : (!vm.list<i64>, i32)
    vm.list.set.i64 %l, %c0, %v : (!vm.list<i64>, i32, i64)
    %r = vm.list.get.i64 %l, %c0 : (!vm.list<i64>, i32) -> i64
    vm.return %r : i64
  }

  vm.export @list_f32
  vm.func private @list_f32(%v: f32) -> f32 {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %l = vm.list.alloc %c1 : (i32) -> !vm.list<f32>
    vm.list.resize %l, %c1 : (!vm.list<f32>, i32)
    vm.list.set.f32 %l, %c0, %v : (!vm.list<f32>, i32, f32)
    %r = vm.list.get.f32 %l, %c0 : (!vm.list<f32>, i32) -> f32
    vm.return %r : f32
  }

  vm.export @list_f64
  vm.func private @list_f64(%v: f64) -> f64 {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %l = vm.list.alloc %c1 : (i32) -> !vm.list<f64>
    vm.list.resize %l, %c1 : (!vm.list<f64>, i32)
    vm.list.set.f64 %l, %c0, %v : (!vm.list<f64>, i32, f64)
    %r = vm.list.get.f64 %l, %c0 : (!vm.list<f64>, i32) -> f64
    vm.return %r : f64
  }

  vm.export @list_ref
  vm.func private @list_ref() -> (i64, i64) {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %c2 = vm.const.i32 2
    %a = vm.const.ref.rodata @words : !vm.buffer
    %b = vm.const.ref.rodata @one_to_eight : !vm.buffer
    %l = vm.list.alloc %c2 : (i32) -> !vm.list<?>
    vm.list.resize %l, %c2 : (!vm.list<?>, i32)
    vm.list.set.ref %l, %c0, %a : (!vm.list<?>, i32, !vm.buffer)
    vm.list.set.ref %l, %c1, %b : (!vm.list<?>, i32, !vm.buffer)
    %x = vm.list.get.ref %l, %c1 : (!vm.list<?>, i32) -> !vm.buffer
    %y = vm.list.get.ref %l, %c0 : (!vm.list<?>, i32) -> !vm.buffer
    %n = vm.buffer.length %x : !vm.buffer -> i64
    %m = vm.buffer.length %y : !vm.buffer -> i64
    vm.return %n, %m : i64, i64
  }

  vm.export @list_any
  vm.func private @list_any(%i: i32, %j: i64, %f: f32) -> (i32, i64, f32, i64) {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %c2 = vm.const.i32 2
    %c3 = vm.const.i32 3
    %c4 = vm.const.i32 4
    %a = vm.const.ref.rodata @words : !vm.buffer
    %l = vm.list.alloc %c4 : (i32) -> !vm.list<?>
    vm.list.resize %l, %c4 : (!vm.list<?>, i32)
    vm.list.set.i32 %l, %c0, %i : (!vm.list<?>, i32, i32)
    vm.list.set.i64 %l, %c1, %j : (!vm.list<?>, i32, i64)
    vm.list.set.f32 %l, %c2, %f : (!vm.list<?>, i32, f32)
    vm.list.set.ref %l, %c3, %a : (!vm.list<?>, i32, !vm.buffer)
    %0 = vm.list.get.i32 %l, %c0 : (!vm.list<?>, i32) -> i32
    %1 = vm.list.get.i64 %l, %c1 : (!vm.list<?>, i32) -> i64
    %2 = vm.list.get.f32 %l, %c2 : (!vm.list<?>, i32) -> f32
    %3 = vm.list.get.ref %l, %c3 : (!vm.list<?>, i32) -> !vm.buffer
    %n = vm.buffer.length %3 : !vm.buffer -> i64
    vm.return %0, %1, %2, %n : i32, i64, f32, i64
  }

  // An i32 slot read as i64.
  vm.export @list_any_converts
  vm.func private @list_any_converts(%i: i32) -> i64 {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %l = vm.list.alloc %c1 : (i32) -> !vm.list<?>
    vm.list.resize %l, %c1 : (!vm.list<?>, i32)
    vm.list.set.i32 %l, %c0, %i : (!vm.list<?>, i32, i32)
    %0 = vm.list.get.i64 %l, %c0 : (!vm.list<?>, i32) -> i64
    vm.return %0 : i64
  }

  vm.export @list_bounds
  vm.func private @list_bounds(%i: i32) -> i32 {
    %c3 = vm.const.i32 3
    %l = vm.list.alloc %c3 : (i32) -> !vm.list<i32>
    vm.list.resize %l, %c3 : (!vm.list<i32>, i32)
    vm.list.set.i32 %l, %i, %c3 : (!vm.list<i32>, i32, i32)
    %r = vm.list.size %l : (!vm.list<i32>) -> i32
    vm.return %r : i32
  }

  vm.export @list_shrinks
  vm.func private @list_shrinks() -> (i32, i32) {
    %c1 = vm.const.i32 1
    %c2 = vm.const.i32 2
    %c3 = vm.const.i32 3
    %l = vm.list.alloc %c3 : (i32) -> !vm.list<i32>
    vm.list.resize %l, %c3 : (!vm.list<i32>, i32)
    vm.list.set.i32 %l, %c2, %c3 : (!vm.list<i32>, i32, i32)
    vm.list.resize %l, %c1 : (!vm.list<i32>, i32)
    vm.list.resize %l, %c3 : (!vm.list<i32>, i32)
    %v = vm.list.get.i32 %l, %c2 : (!vm.list<i32>, i32) -> i32
    %n = vm.list.size %l : (!vm.list<i32>) -> i32
    vm.return %n, %v : i32, i32
  }

  vm.export @null_list
  vm.func private @null_list() -> i32 {
    %l = vm.const.ref.zero : !vm.list<i32>
    %n = vm.list.size %l : (!vm.list<i32>) -> i32
    vm.return %n : i32
  }

  // References as block arguments, two of them swapping.
  vm.export @loop_of_refs
  vm.func private @loop_of_refs(%n: i32) -> (i64, i64) {
    %one = vm.const.i32 1
    %a = vm.const.ref.rodata @words : !vm.buffer
    %b = vm.const.ref.rodata @one_to_eight : !vm.buffer
    vm.br ^loop(%a, %b, %n : !vm.buffer, !vm.buffer, i32)
  ^loop(%x: !vm.buffer, %y: !vm.buffer, %left: i32):
    %more = vm.cmp.nz.i32 %left : i32
    vm.cond_br %more, ^body, ^done
  ^body:
    %less = vm.sub.i32 %left, %one : i32
    vm.br ^loop(%y, %x, %less : !vm.buffer, !vm.buffer, i32)
  ^done:
    %p = vm.buffer.length %x : !vm.buffer -> i64
    %q = vm.buffer.length %y : !vm.buffer -> i64
    vm.return %p, %q : i64, i64
  }

  vm.export @return_list
  vm.func private @return_list() -> !vm.list<i32> {
    %c0 = vm.const.i32 0
    %c1 = vm.const.i32 1
    %c2 = vm.const.i32 2
    %l = vm.list.alloc %c2 : (i32) -> !vm.list<i32>
    vm.list.resize %l, %c2 : (!vm.list<i32>, i32)
    vm.list.set.i32 %l, %c0, %c2 : (!vm.list<i32>, i32, i32)
    vm.list.set.i32 %l, %c1, %c1 : (!vm.list<i32>, i32, i32)
    vm.return %l : !vm.list<i32>
  }

  vm.export @return_buffer
  vm.func private @return_buffer() -> !vm.buffer {
    %b = vm.const.ref.rodata @one_to_eight : !vm.buffer
    vm.return %b : !vm.buffer
  }

  vm.export @return_null
  vm.func private @return_null() -> !vm.buffer {
    %b = vm.const.ref.zero : !vm.buffer
    vm.return %b : !vm.buffer
  }
}
