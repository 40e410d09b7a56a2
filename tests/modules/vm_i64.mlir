// The VM's i64 instructions, one function each: arithmetic, bits, shifts,
// compares. Wrapping, division by zero and the smallest number over -1.
// MODE: vm
// VARIANTS: plain
// CALL: @add_i64 7 3
// CALL: @add_i64 9223372036854775807 1
// CALL: @add_i64 -9223372036854775808 1
// CALL: @add_i64 -9223372036854775808 -9223372036854775808
// CALL: @sub_i64 7 3
// CALL: @sub_i64 9223372036854775807 1
// CALL: @sub_i64 -9223372036854775808 1
// CALL: @sub_i64 -9223372036854775808 -9223372036854775808
// CALL: @mul_i64 7 3
// CALL: @mul_i64 9223372036854775807 1
// CALL: @mul_i64 -9223372036854775808 1
// CALL: @mul_i64 -9223372036854775808 -9223372036854775808
// CALL: @div_i64_s -7 2
// CALL: @div_i64_s 7 -2
// CALL: @div_i64_s -9223372036854775808 2
// CALL: @div_i64_s 1 0
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @div_i64_s -9223372036854775808 -1
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @div_i64_u -7 2
// CALL: @div_i64_u -9223372036854775808 3
// CALL: @div_i64_u 1 0
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @rem_i64_s -7 2
// CALL: @rem_i64_s 7 -2
// CALL: @rem_i64_s 1 0
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @rem_i64_u -7 2
// CALL: @rem_i64_u 1 0
// FAILS: ANY
// NOTE: upstream ends the process
// CALL: @fma_i64 3 4 5
// CALL: @fma_i64 9223372036854775807 2 2
// CALL: @abs_i64 -5
// CALL: @abs_i64 9223372036854775807
// CALL: @min_i64_s -1 1
// CALL: @min_i64_s -9223372036854775808 9223372036854775807
// CALL: @min_i64_u -1 1
// CALL: @min_i64_u -9223372036854775808 9223372036854775807
// CALL: @max_i64_s -1 1
// CALL: @max_i64_s -9223372036854775808 9223372036854775807
// CALL: @max_i64_u -1 1
// CALL: @max_i64_u -9223372036854775808 9223372036854775807
// CALL: @not_i64 0
// CALL: @not_i64 5
// CALL: @and_i64 12 10
// CALL: @and_i64 -1 255
// CALL: @or_i64 12 10
// CALL: @or_i64 -1 255
// CALL: @xor_i64 12 10
// CALL: @xor_i64 -1 255
// CALL: @ctlz_i64 0
// CALL: @ctlz_i64 1
// CALL: @ctlz_i64 -1
// CALL: @ctlz_i64 4096
// CALL: @shl_i64 -8 1
// CALL: @shl_i64 1 63
// CALL: @shl_i64 5 0
// CALL: @shr_i64_s -8 1
// CALL: @shr_i64_s 1 63
// CALL: @shr_i64_s 5 0
// CALL: @shr_i64_u -8 1
// CALL: @shr_i64_u 1 63
// CALL: @shr_i64_u 5 0
// CALL: @cmp_eq_i64 1 1
// CALL: @cmp_eq_i64 1 -1
// CALL: @cmp_ne_i64 1 1
// CALL: @cmp_ne_i64 1 -1
// CALL: @cmp_lt_i64_s -1 1
// CALL: @cmp_lt_i64_s 1 1
// CALL: @cmp_lt_i64_u -1 1
// CALL: @cmp_lt_i64_u 1 1
// CALL: @cmp_lte_i64_s -1 1
// CALL: @cmp_lte_i64_s 1 1
// CALL: @cmp_lte_i64_u -1 1
// CALL: @cmp_lte_i64_u 1 1
// CALL: @cmp_gt_i64_s -1 1
// CALL: @cmp_gt_i64_s 1 1
// CALL: @cmp_gt_i64_u -1 1
// CALL: @cmp_gt_i64_u 1 1
// CALL: @cmp_gte_i64_s -1 1
// CALL: @cmp_gte_i64_s 1 1
// CALL: @cmp_gte_i64_u -1 1
// CALL: @cmp_gte_i64_u 1 1
// CALL: @cmp_nz_i64 0
// CALL: @cmp_nz_i64 -3
// CALL: @const_i64
// CALL: @select_i64 1 10 20
// WANT: result[0]: i64=10
// CALL: @select_i64 0 10 20
// WANT: result[0]: i64=20
// CALL: @select_i64 -1 10 20
// WANT: result[0]: i64=10
// CALL: @switch_i64 0 10 20 30
// WANT: result[0]: i64=10
// CALL: @switch_i64 1 10 20 30
// WANT: result[0]: i64=20
// CALL: @switch_i64 2 10 20 30
// WANT: result[0]: i64=30
// CALL: @switch_i64 -1 10 20 30
// WANT: result[0]: i64=30
vm.module @vm_i64 {
  vm.export @add_i64
  vm.func private @add_i64(%a: i64, %b: i64) -> i64 {
    %r = vm.add.i64 %a, %b : i64
    vm.return %r : i64
  }

  vm.export @sub_i64
  vm.func private @sub_i64(%a: i64, %b: i64) -> i64 {
    %r = vm.sub.i64 %a, %b : i64
    vm.return %r : i64
  }

  vm.export @mul_i64
  vm.func private @mul_i64(%a: i64, %b: i64) -> i64 {
    %r = vm.mul.i64 %a, %b : i64
    vm.return %r : i64
  }

  vm.export @div_i64_s
  vm.func private @div_i64_s(%a: i64, %b: i64) -> i64 {
    %r = vm.div.i64.s %a, %b : i64
    vm.return %r : i64
  }

  vm.export @div_i64_u
  vm.func private @div_i64_u(%a: i64, %b: i64) -> i64 {
    %r = vm.div.i64.u %a, %b : i64
    vm.return %r : i64
  }

  vm.export @rem_i64_s
  vm.func private @rem_i64_s(%a: i64, %b: i64) -> i64 {
    %r = vm.rem.i64.s %a, %b : i64
    vm.return %r : i64
  }

  vm.export @rem_i64_u
  vm.func private @rem_i64_u(%a: i64, %b: i64) -> i64 {
    %r = vm.rem.i64.u %a, %b : i64
    vm.return %r : i64
  }

  vm.export @fma_i64
  vm.func private @fma_i64(%a: i64, %b: i64, %c: i64) -> i64 {
    %r = vm.fma.i64 %a, %b, %c : i64
    vm.return %r : i64
  }

  vm.export @abs_i64
  vm.func private @abs_i64(%a: i64) -> i64 {
    %r = vm.abs.i64 %a : i64
    vm.return %r : i64
  }

  vm.export @min_i64_s
  vm.func private @min_i64_s(%a: i64, %b: i64) -> i64 {
    %r = vm.min.i64.s %a, %b : i64
    vm.return %r : i64
  }

  vm.export @min_i64_u
  vm.func private @min_i64_u(%a: i64, %b: i64) -> i64 {
    %r = vm.min.i64.u %a, %b : i64
    vm.return %r : i64
  }

  vm.export @max_i64_s
  vm.func private @max_i64_s(%a: i64, %b: i64) -> i64 {
    %r = vm.max.i64.s %a, %b : i64
    vm.return %r : i64
  }

  vm.export @max_i64_u
  vm.func private @max_i64_u(%a: i64, %b: i64) -> i64 {
    %r = vm.max.i64.u %a, %b : i64
    vm.return %r : i64
  }

  vm.export @not_i64
  vm.func private @not_i64(%a: i64) -> i64 {
    %r = vm.not.i64 %a : i64
    vm.return %r : i64
  }

  vm.export @and_i64
  vm.func private @and_i64(%a: i64, %b: i64) -> i64 {
    %r = vm.and.i64 %a, %b : i64
    vm.return %r : i64
  }

  vm.export @or_i64
  vm.func private @or_i64(%a: i64, %b: i64) -> i64 {
    %r = vm.or.i64 %a, %b : i64
    vm.return %r : i64
  }

  vm.export @xor_i64
  vm.func private @xor_i64(%a: i64, %b: i64) -> i64 {
    %r = vm.xor.i64 %a, %b : i64
    vm.return %r : i64
  }

  vm.export @ctlz_i64
  vm.func private @ctlz_i64(%a: i64) -> i64 {
    %r = vm.ctlz.i64 %a : i64
    vm.return %r : i64
  }

  vm.export @shl_i64
  vm.func private @shl_i64(%a: i64, %b: i32) -> i64 {
    %r = vm.shl.i64 %a, %b : i64
    vm.return %r : i64
  }

  vm.export @shr_i64_s
  vm.func private @shr_i64_s(%a: i64, %b: i32) -> i64 {
    %r = vm.shr.i64.s %a, %b : i64
    vm.return %r : i64
  }

  vm.export @shr_i64_u
  vm.func private @shr_i64_u(%a: i64, %b: i32) -> i64 {
    %r = vm.shr.i64.u %a, %b : i64
    vm.return %r : i64
  }

  vm.export @cmp_eq_i64
  vm.func private @cmp_eq_i64(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.eq.i64 %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_ne_i64
  vm.func private @cmp_ne_i64(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.ne.i64 %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_lt_i64_s
  vm.func private @cmp_lt_i64_s(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.lt.i64.s %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_lt_i64_u
  vm.func private @cmp_lt_i64_u(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.lt.i64.u %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_lte_i64_s
  vm.func private @cmp_lte_i64_s(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.lte.i64.s %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_lte_i64_u
  vm.func private @cmp_lte_i64_u(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.lte.i64.u %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_gt_i64_s
  vm.func private @cmp_gt_i64_s(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.gt.i64.s %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_gt_i64_u
  vm.func private @cmp_gt_i64_u(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.gt.i64.u %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_gte_i64_s
  vm.func private @cmp_gte_i64_s(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.gte.i64.s %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_gte_i64_u
  vm.func private @cmp_gte_i64_u(%a: i64, %b: i64) -> i32 {
    %r = vm.cmp.gte.i64.u %a, %b : i64
    vm.return %r : i32
  }

  vm.export @cmp_nz_i64
  vm.func private @cmp_nz_i64(%a: i64) -> i32 {
    %r = vm.cmp.nz.i64 %a : i64
    vm.return %r : i32
  }

  vm.export @const_i64
  vm.func private @const_i64() -> (i64, i64, i64) {
    %0 = vm.const.i64 -9223372036854775808
    %1 = vm.const.i64.zero
    %2 = vm.const.i64 9223372036854775807
    vm.return %0, %1, %2 : i64, i64, i64
  }

  vm.export @select_i64
  vm.func private @select_i64(%a: i32, %b: i64, %c: i64) -> i64 {
    %r = vm.select.i64 %a, %b, %c : i64
    vm.return %r : i64
  }

  vm.export @switch_i64
  vm.func private @switch_i64(%a: i32, %b: i64, %c: i64, %d: i64) -> i64 {
    %r = vm.switch.i64 %a[%b, %c] else %d : i64
    vm.return %r : i64
  }
}
