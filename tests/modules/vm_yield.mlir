// A function that yields to its caller on the way.
// MODE: vm
// VARIANTS: plain
// CALL: @yield_loop 3
// WANT: result[0]: i32=3
// NOTE: upstream never returns from a yield in a synchronous call
vm.module @vm_yield {
  vm.export @yield_loop
  vm.func private @yield_loop(%n: i32) -> i32 {
    %zero = vm.const.i32.zero
    %one = vm.const.i32 1
    vm.br ^loop(%zero : i32)
  ^loop(%i: i32):
    %more = vm.cmp.lt.i32.s %i, %n : i32
    vm.cond_br %more, ^body, ^done
  ^body:
    vm.yield ^resumed
  ^resumed:
    %j = vm.add.i32 %i, %one : i32
    vm.br ^loop(%j : i32)
  ^done:
    vm.return %i : i32
  }
}
