// The VM's i32 instructions, one function each: arithmetic, bits, shifts,
// compares. Wrapping, division by zero and the smallest number over -1.
// MODE: vm
// VARIANTS: plain bare
// CALL: @add_i32 7 3
// CALL: @add_i32 2147483647 1
// CALL: @add_i32 -2147483648 1
// CALL: @add_i32 -2147483648 -2147483648
// CALL: @sub_i32 7 3
// CALL: @sub_i32 2147483647 1
// CALL: @sub_i32 -2147483648 1
// CALL: @sub_i32 -2147483648 -2147483648
// CALL: @mul_i32 7 3
// CALL: @mul_i32 2147483647 1
// CALL: @mul_i32 -2147483648 1
// CALL: @mul_i32 -2147483648 -2147483648
// CALL: @div_i32_s -7 2
// CALL: @div_i32_s 7 -2
// CALL: @div_i32_s -2147483648 2
// CALL: @div_i32_s 1 0
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @div_i32_s -2147483648 -1
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @div_i32_u -7 2
// CALL: @div_i32_u -2147483648 3
// CALL: @div_i32_u 1 0
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @rem_i32_s -7 2
// CALL: @rem_i32_s 7 -2
// CALL: @rem_i32_s 1 0
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @rem_i32_u -7 2
// CALL: @rem_i32_u 1 0
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @fma_i32 3 4 5
// CALL: @fma_i32 2147483647 2 2
// CALL: @abs_i32 -5
// CALL: @abs_i32 2147483647
// CALL: @min_i32_s -1 1
// CALL: @min_i32_s -2147483648 2147483647
// CALL: @min_i32_u -1 1
// CALL: @min_i32_u -2147483648 2147483647
// CALL: @max_i32_s -1 1
// CALL: @max_i32_s -2147483648 2147483647
// CALL: @max_i32_u -1 1
// CALL: @max_i32_u -2147483648 2147483647
// CALL: @not_i32 0
// CALL: @not_i32 5
// CALL: @and_i32 12 10
// CALL: @and_i32 -1 255
// CALL: @or_i32 12 10
// CALL: @or_i32 -1 255
// CALL: @xor_i32 12 10
// CALL: @xor_i32 -1 255
// CALL: @ctlz_i32 0
// CALL: @ctlz_i32 1
// CALL: @ctlz_i32 -1
// CALL: @ctlz_i32 4096
// CALL: @shl_i32 -8 1
// CALL: @shl_i32 1 31
// CALL: @shl_i32 5 0
// CALL: @shr_i32_s -8 1
// CALL: @shr_i32_s 1 31
// CALL: @shr_i32_s 5 0
// CALL: @shr_i32_u -8 1
// CALL: @shr_i32_u 1 31
// CALL: @shr_i32_u 5 0
// CALL: @cmp_eq_i32 1 1
// CALL: @cmp_eq_i32 1 -1
// CALL: @cmp_ne_i32 1 1
// CALL: @cmp_ne_i32 1 -1
// CALL: @cmp_lt_i32_s -1 1
// CALL: @cmp_lt_i32_s 1 1
// CALL: @cmp_lt_i32_u -1 1
// CALL: @cmp_lt_i32_u 1 1
// CALL: @cmp_lte_i32_s -1 1
// CALL: @cmp_lte_i32_s 1 1
// CALL: @cmp_lte_i32_u -1 1
// CALL: @cmp_lte_i32_u 1 1
// CALL: @cmp_gt_i32_s -1 1
// CALL: @cmp_gt_i32_s 1 1
// CALL: @cmp_gt_i32_u -1 1
// CALL: @cmp_gt_i32_u 1 1
// CALL: @cmp_gte_i32_s -1 1
// CALL: @cmp_gte_i32_s 1 1
// CALL: @cmp_gte_i32_u -1 1
// CALL: @cmp_gte_i32_u 1 1
// CALL: @cmp_nz_i32 0
// CALL: @cmp_nz_i32 -3
// CALL: @const_i32
// CALL: @select_i32 1 10 20
// CALL: @select_i32 0 10 20
// CALL: @select_i32 -1 10 20
// CALL: @switch_i32 0 10 20 30
// CALL: @switch_i32 1 10 20 30
// CALL: @switch_i32 2 10 20 30
// CALL: @switch_i32 -1 10 20 30
vm.module @vm_i32 {
  vm.export @add_i32
  vm.func private @add_i32(%a: i32, %b: i32) -> i32 {
    %r = vm.add.i32 %a, %b : i32
    vm.return %r : i32
  }

  vm.export @sub_i32
  vm.func private @sub_i32(%a: i32, %b: i32) -> i32 {
    %r = vm.sub.i32 %a, %b : i32
    vm.return %r : i32
  }

  vm.export @mul_i32
  vm.func private @mul_i32(%a: i32, %b: i32) -> i32 {
    %r = vm.mul.i32 %a, %b : i32
    vm.return %r : i32
  }

  vm.export @div_i32_s
  vm.func private @div_i32_s(%a: i32, %b: i32) -> i32 {
    %r = vm.div.i32.s %a, %b : i32
    vm.return %r : i32
  }

  vm.export @div_i32_u
  vm.func private @div_i32_u(%a: i32, %b: i32) -> i32 {
    %r = vm.div.i32.u %a, %b : i32
    vm.return %r : i32
  }

  vm.export @rem_i32_s
  vm.func private @rem_i32_s(%a: i32, %b: i32) -> i32 {
    %r = vm.rem.i32.s %a, %b : i32
    vm.return %r : i32
  }

  vm.export @rem_i32_u
  vm.func private @rem_i32_u(%a: i32, %b: i32) -> i32 {
    %r = vm.rem.i32.u %a, %b : i32
    vm.return %r : i32
  }

  vm.export @fma_i32
  vm.func private @fma_i32(%a: i32, %b: i32, %c: i32) -> i32 {
    %r = vm.fma.i32 %a, %b, %c : i32
    vm.return %r : i32
  }

  vm.export @abs_i32
  vm.func private @abs_i32(%a: i32) -> i32 {
    %r = vm.abs.i32 %a : i32
    vm.return %r : i32
  }

  vm.export @min_i32_s
  vm.func private @min_i32_s(%a: i32, %b: i32) -> i32 {
    %r = vm.min.i32.s %a, %b : i32
    vm.return %r : i32
  }

  vm.export @min_i32_u
  vm.func private @min_i32_u(%a: i32, %b: i32) -> i32 {
    %r = vm.min.i32.u %a, %b : i32
    vm.return %r : i32
  }

  vm.export @max_i32_s
  vm.func private @max_i32_s(%a: i32, %b: i32) -> i32 {
    %r = vm.max.i32.s %a, %b : i32
    vm.return %r : i32
  }

  vm.export @max_i32_u
  vm.func private @max_i32_u(%a: i32, %b: i32) -> i32 {
    %r = vm.max.i32.u %a, %b : i32
    vm.return %r : i32
  }

  vm.export @not_i32
  vm.func private @not_i32(%a: i32) -> i32 {
    %r = vm.not.i32 %a : i32
    vm.return %r : i32
  }

  vm.export @and_i32
  vm.func private @and_i32(%a: i32, %b: i32) -> i32 {
    %r = vm.and.i32 %a, %b : i32
    vm.return %r : i32
  }

  vm.export @or_i32
  vm.func private @or_i32(%a: i32, %b: i32) -> i32 {
    %r = vm.or.i32 %a, %b : i32
    vm.return %r : i32
  }

  vm.export @xor_i32
  vm.func private @xor_i32(%a: i32, %b: i32) -> i32 {
    %r = vm.xor.i32 %a, %b : i32
    vm.return %r : i32
  }

  vm.export @ctlz_i32
  vm.func private @ctlz_i32(%a: i32) -> i32 {
    %r = vm.ctlz.i32 %a : i32
    vm.return %r : i32
  }

  vm.export @shl_i32
  vm.func private @shl_i32(%a: i32, %b: i32) -> i32 {
    %r = vm.shl.i32 %a, %b : i32
    vm.return %r : i32
  }

  vm.export @shr_i32_s
  vm.func private @shr_i32_s(%a: i32, %b: i32) -> i32 {
    %r = vm.shr.i32.s %a, %b : i32
    vm.return %r : i32
  }

  vm.export @shr_i32_u
  vm.func private @shr_i32_u(%a: i32, %b: i32) -> i32 {
    %r = vm.shr.i32.u %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_eq_i32
  vm.func private @cmp_eq_i32(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.eq.i32 %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_ne_i32
  vm.func private @cmp_ne_i32(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.ne.i32 %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_lt_i32_s
  vm.func private @cmp_lt_i32_s(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.lt.i32.s %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_lt_i32_u
  vm.func private @cmp_lt_i32_u(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.lt.i32.u %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_lte_i32_s
  vm.func private @cmp_lte_i32_s(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.lte.i32.s %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_lte_i32_u
  vm.func private @cmp_lte_i32_u(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.lte.i32.u %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_gt_i32_s
  vm.func private @cmp_gt_i32_s(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.gt.i32.s %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_gt_i32_u
  vm.func private @cmp_gt_i32_u(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.gt.i32.u %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_gte_i32_s
  vm.func private @cmp_gte_i32_s(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.gte.i32.s %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_gte_i32_u
  vm.func private @cmp_gte_i32_u(%a: i32, %b: i32) -> i32 {
    %r = vm.cmp.gte.i32.u %a, %b : i32
    vm.return %r : i32
  }

  vm.export @cmp_nz_i32
  vm.func private @cmp_nz_i32(%a: i32) -> i32 {
    %r = vm.cmp.nz.i32 %a : i32
    vm.return %r : i32
  }

  vm.export @const_i32
  vm.func private @const_i32() -> (i32, i32, i32) {
    %0 = vm.const.i32 -2147483648
    %1 = vm.const.i32.zero
    %2 = vm.const.i32 2147483647
    vm.return %0, %1, %2 : i32, i32, i32
  }

  vm.export @select_i32
  vm.func private @select_i32(%a: i32, %b: i32, %c: i32) -> i32 {
    %r = vm.select.i32 %a, %b, %c : i32
    vm.return %r : i32
  }

  vm.export @switch_i32
  vm.func private @switch_i32(%a: i32, %b: i32, %c: i32, %d: i32) -> i32 {
    %r = vm.switch.i32 %a[%b, %c] else %d : i32
    vm.return %r : i32
  }
}
