// The VM's control flow: branches with block arguments, tables, calls,
// failures, loops, recursion.
// MODE: vm
// VARIANTS: plain bare debug
// CALL: @swap_blocks 1 2 0
// CALL: @swap_blocks 1 2 3
// CALL: @rotate 1 2 3 4
// SINCE: 3.9
// NOTE: release 3.3 reads its arguments from the wrong registers
// CALL: @abs_diff 3 10
// CALL: @abs_diff 10 3
// CALL: @table 0
// CALL: @table 1
// CALL: @table 2
// CALL: @table 3
// CALL: @table -1
// CALL: @table_with_values 0 5
// CALL: @table_with_values 1 5
// CALL: @table_with_values 9 5
// CALL: @fibonacci 10
// CALL: @factorial 20
// WANT: result[0]: i64=2432902008176640000
// CALL: @is_even 11
// CALL: @many_results 3
// CALL: @call_many
// WANT: result[0]: i32=14
// WANT: result[1]: f64=7
// WANT: result[2]: f32=7
// WANT: result[3]: i64=7
// WANT: result[4]: i32=7
// CALL: @fail_if 0
// CALL: @fail_if 1
// FAILS: INVALID_ARGUMENT
// CALL: @fail_with 5
// FAILS: NOT_FOUND
// CALL: @fail_with 0
// CALL: @fail_always
// FAILS: UNIMPLEMENTED
// CALL: @checks 1 1
// CALL: @checks 1 2
// FAILS: FAILED_PRECONDITION
// CALL: @checks 0 0
// FAILS: FAILED_PRECONDITION
// CALL: @nested_loops 10
// CALL: @wide 1 2 3 4 5 6
// CALL: @alias 4
// CALL: @renamed 4
// CALL: @endless_recursion 1
// FAILS: RESOURCE_EXHAUSTED
vm.module @vm_control {
  // Goes round n times, swapping its block arguments each time.
  vm.export @swap_blocks
  vm.func private @swap_blocks(%a: i32, %b: i32, %n: i32) -> (i32, i32) {
    %one = vm.const.i32 1
    vm.br ^loop(%a, %b, %n : i32, i32, i32)
  ^loop(%x: i32, %y: i32, %left: i32):
    %more = vm.cmp.nz.i32 %left : i32
    vm.cond_br %more, ^body, ^done
  ^body:
    %less = vm.sub.i32 %left, %one : i32
    vm.br ^loop(%y, %x, %less : i32, i32, i32)
  ^done:
    vm.return %x, %y : i32, i32
  }

  vm.export @rotate
  vm.func private @rotate(%a: i32, %b: i64, %c: f32, %d: i64) -> (i64, i64, f32, i32) {
    %c3 = vm.const.i32 3
    %one = vm.const.i32 1
    vm.br ^loop(%a, %b, %d, %c3 : i32, i64, i64, i32)
  ^loop(%x: i32, %y: i64, %z: i64, %left: i32):
    %more = vm.cmp.nz.i32 %left : i32
    vm.cond_br %more, ^body, ^done
  ^body:
    %less = vm.sub.i32 %left, %one : i32
    vm.br ^loop(%left, %z, %y, %less : i32, i64, i64, i32)
  ^done:
    vm.return %y, %z, %c, %x : i64, i64, f32, i32
  }

  vm.export @abs_diff
  vm.func private @abs_diff(%a: i32, %b: i32) -> i32 {
    %less = vm.cmp.lt.i32.s %a, %b : i32
    vm.cond_br %less, ^sub(%b, %a : i32, i32), ^sub(%a, %b : i32, i32)
  ^sub(%x: i32, %y: i32):
    %r = vm.sub.i32 %x, %y : i32
    vm.return %r : i32
  }

  vm.export @table
  vm.func private @table(%i: i32) -> i32 {
    vm.br_table %i {
      default: ^other,
      0: ^zero,
      1: ^one,
      2: ^zero
    }
  ^zero:
    %c10 = vm.const.i32 10
    vm.return %c10 : i32
  ^one:
    %c20 = vm.const.i32 20
    vm.return %c20 : i32
  ^other:
    %c30 = vm.const.i32 30
    vm.return %c30 : i32
  }

  vm.export @table_with_values
  vm.func private @table_with_values(%i: i32, %v: i32) -> (i32, i64) {
    %c100 = vm.const.i32 100
    %big = vm.const.i64 5000000000
    %small = vm.const.i64 -1
    %twice = vm.add.i32 %v, %v : i32
    vm.br_table %i {
      default: ^out(%c100, %small : i32, i64),
      0: ^out(%v, %big : i32, i64),
      1: ^out(%twice, %small : i32, i64)
    }
  ^out(%x: i32, %y: i64):
    vm.return %x, %y : i32, i64
  }

  vm.export @fibonacci
  vm.func private @fibonacci(%n: i32) -> i32 {
    %c1 = vm.const.i32 1
    %c2 = vm.const.i32 2
    %small = vm.cmp.lt.i32.s %n, %c2 : i32
    vm.cond_br %small, ^leaf, ^rest
  ^leaf:
    vm.return %n : i32
  ^rest:
    %n1 = vm.sub.i32 %n, %c1 : i32
    %n2 = vm.sub.i32 %n, %c2 : i32
    %f1 = vm.call @fibonacci(%n1) : (i32) -> i32
    %f2 = vm.call @fibonacci(%n2) : (i32) -> i32
    %r = vm.add.i32 %f1, %f2 : i32
    vm.return %r : i32
  }

  vm.export @factorial
  vm.func private @factorial(%n: i64) -> i64 {
    %c1 = vm.const.i64 1
    %small = vm.cmp.lte.i64.s %n, %c1 : i64
    vm.cond_br %small, ^leaf, ^rest
  ^leaf:
    vm.return %c1 : i64
  ^rest:
    %m = vm.sub.i64 %n, %c1 : i64
    %f = vm.call @factorial(%m) : (i64) -> i64
    %r = vm.mul.i64 %f, %n : i64
    vm.return %r : i64
  }

  vm.export @is_even
  vm.func private @is_even(%n: i32) -> i32 {
    %c1 = vm.const.i32 1
    %more = vm.cmp.nz.i32 %n : i32
    vm.cond_br %more, ^rest, ^leaf
  ^leaf:
    vm.return %c1 : i32
  ^rest:
    %m = vm.sub.i32 %n, %c1 : i32
    %odd = vm.call @is_odd(%m) : (i32) -> i32
    vm.return %odd : i32
  }
  vm.func private @is_odd(%n: i32) -> i32 attributes {inlining_policy = #util.inline.never} {
    %zero = vm.const.i32.zero
    %c1 = vm.const.i32 1
    %more = vm.cmp.nz.i32 %n : i32
    vm.cond_br %more, ^rest, ^leaf
  ^leaf:
    vm.return %zero : i32
  ^rest:
    %m = vm.sub.i32 %n, %c1 : i32
    %even = vm.call @is_even(%m) : (i32) -> i32
    vm.return %even : i32
  }

  vm.export @many_results
  vm.func private @many_results(%n: i32) -> (i32, i64, f32, f64, i32) attributes {inlining_policy = #util.inline.never} {
    %m = vm.add.i32 %n, %n : i32
    %l = vm.ext.i32.i64.s %n : i32 -> i64
    %f = vm.cast.si32.f32 %n : i32 -> f32
    %d = vm.cast.si64.f64 %l : i64 -> f64
    vm.return %n, %l, %f, %d, %m : i32, i64, f32, f64, i32
  }

  vm.export @call_many
  vm.func private @call_many() -> (i32, f64, f32, i64, i32) {
    %c7 = vm.const.i32 7
    %r:5 = vm.call @many_results(%c7) : (i32) -> (i32, i64, f32, f64, i32)
    vm.return %r#4, %r#3, %r#2, %r#1, %r#0 : i32, f64, f32, i64, i32
  }

  vm.export @fail_if
  vm.func private @fail_if(%c: i32) -> i32 {
    %code = vm.const.i32 3
    vm.cond_fail %c, %code, "the condition holds"
    vm.return %code : i32
  }

  vm.export @fail_with
  vm.func private @fail_with(%code: i32) {
    vm.cond_fail %code, "code of the caller"
    vm.return
  }

  vm.export @fail_always
  vm.func private @fail_always() -> i32 {
    %code = vm.const.i32 12
    vm.fail %code, "not made yet"
  }

  vm.export @checks
  vm.func private @checks(%a: i32, %b: i32) -> i32 {
    vm.check.eq %a, %b, "the numbers differ" : i32
    vm.check.nz %a, "the number is zero" : i32
    vm.return %a : i32
  }

  // How many pairs i <= j below n have an even sum.
  vm.export @nested_loops
  vm.func private @nested_loops(%n: i32) -> i32 {
    %zero = vm.const.i32.zero
    %one = vm.const.i32 1
    vm.br ^outer(%zero, %zero : i32, i32)
  ^outer(%i: i32, %s: i32):
    %more = vm.cmp.lt.i32.s %i, %n : i32
    vm.cond_br %more, ^inner(%i, %s : i32, i32), ^done
  ^inner(%j: i32, %t: i32):
    %more_j = vm.cmp.lt.i32.s %j, %n : i32
    vm.cond_br %more_j, ^body, ^next
  ^body:
    %sum = vm.add.i32 %i, %j : i32
    %bit = vm.and.i32 %sum, %one : i32
    %even = vm.xor.i32 %bit, %one : i32
    %u = vm.add.i32 %t, %even : i32
    %k = vm.add.i32 %j, %one : i32
    vm.br ^inner(%k, %u : i32, i32)
  ^next:
    %m = vm.add.i32 %i, %one : i32
    vm.br ^outer(%m, %t : i32, i32)
  ^done:
    vm.return %s : i32
  }

  // Enough live values that registers are not reused.
  vm.export @wide
  vm.func private @wide(%a: i64, %b: i64, %c: i64, %d: i64, %e: i64, %f: i64) -> i64 {
    %0 = vm.mul.i64 %a, %f : i64
    %1 = vm.mul.i64 %b, %e : i64
    %2 = vm.mul.i64 %c, %d : i64
    %3 = vm.fma.i64 %0, %1, %2 : i64
    %4 = vm.fma.i64 %1, %2, %0 : i64
    %5 = vm.fma.i64 %2, %0, %1 : i64
    %6 = vm.xor.i64 %3, %4 : i64
    %7 = vm.sub.i64 %6, %5 : i64
    %8 = vm.add.i64 %7, %a : i64
    %9 = vm.add.i64 %8, %b : i64
    %10 = vm.add.i64 %9, %c : i64
    vm.return %10 : i64
  }

  vm.export @alias
  vm.export @alias as("renamed")
  vm.func private @alias(%x: i32) -> i32 {
    %r = vm.mul.i32 %x, %x : i32
    vm.return %r : i32
  }

  vm.export @endless_recursion
  vm.func private @endless_recursion(%x: i32) -> i32 {
    %y = vm.call @endless_recursion(%x) : (i32) -> i32
    %z = vm.add.i32 %y, %x : i32
    vm.return %z : i32
  }
}
