// The VM's f32 instructions, one function each: arithmetic, functions,
// rounding, compares with NaN.
// MODE: vm
// VARIANTS: plain
// CALL: @add_f32 7.5 2.0
// CALL: @add_f32 -7.5 2.0
// CALL: @add_f32 1.0 0.0
// CALL: @add_f32 1.0 nan
// CALL: @sub_f32 7.5 2.0
// CALL: @sub_f32 -7.5 2.0
// CALL: @sub_f32 1.0 0.0
// CALL: @sub_f32 1.0 nan
// CALL: @mul_f32 7.5 2.0
// CALL: @mul_f32 -7.5 2.0
// CALL: @mul_f32 1.0 0.0
// CALL: @mul_f32 1.0 nan
// CALL: @div_f32 7.5 2.0
// CALL: @div_f32 -7.5 2.0
// CALL: @div_f32 1.0 0.0
// CALL: @div_f32 1.0 nan
// CALL: @rem_f32 7.5 2.0
// CALL: @rem_f32 -7.5 2.0
// CALL: @rem_f32 1.0 0.0
// CALL: @rem_f32 1.0 nan
// CALL: @fma_f32 1.5 2.0 -0.5
// CALL: @min_f32 1.5 -2.5
// CALL: @min_f32 2.0 2.5
// CALL: @min_f32 inf 1.0
// CALL: @max_f32 1.5 -2.5
// CALL: @max_f32 2.0 2.5
// CALL: @max_f32 inf 1.0
// CALL: @atan2_f32 2.0 0.5
// CALL: @atan2_f32 0.0 0.0
// CALL: @pow_f32 2.0 0.5
// CALL: @pow_f32 0.0 0.0
// CALL: @ceil_f32 1.2
// CALL: @ceil_f32 -1.2
// CALL: @floor_f32 1.2
// CALL: @floor_f32 -1.2
// CALL: @round_f32 2.5
// CALL: @round_f32 -2.5
// CALL: @round_f32 0.4
// CALL: @round_f32_even 2.5
// CALL: @round_f32_even -2.5
// CALL: @round_f32_even 3.5
// CALL: @abs_f32 -1.5
// CALL: @neg_f32 1.5
// CALL: @neg_f32 0.0
// CALL: @atan_f32 0.5
// CALL: @cos_f32 0.5
// CALL: @sin_f32 0.5
// CALL: @exp_f32 1.5
// CALL: @exp2_f32 1.5
// CALL: @expm1_f32 0.001
// CALL: @log_f32 2.5
// CALL: @log_f32 0.0
// CALL: @log_f32 -1.0
// CALL: @log10_f32 1000.0
// CALL: @log1p_f32 0.001
// CALL: @log2_f32 8.0
// CALL: @rsqrt_f32 4.0
// CALL: @sqrt_f32 2.0
// CALL: @sqrt_f32 -1.0
// CALL: @tanh_f32 0.5
// CALL: @erf_f32 0.5
// CALL: @cmp_eq_f32_o 1.0 2.0
// CALL: @cmp_eq_f32_o 2.0 2.0
// CALL: @cmp_eq_f32_o 1.0 nan
// CALL: @cmp_eq_f32_u 1.0 2.0
// CALL: @cmp_eq_f32_u 2.0 2.0
// CALL: @cmp_eq_f32_u 1.0 nan
// CALL: @cmp_ne_f32_o 1.0 2.0
// CALL: @cmp_ne_f32_o 2.0 2.0
// CALL: @cmp_ne_f32_o 1.0 nan
// CALL: @cmp_ne_f32_u 1.0 2.0
// CALL: @cmp_ne_f32_u 2.0 2.0
// CALL: @cmp_ne_f32_u 1.0 nan
// CALL: @cmp_lt_f32_o 1.0 2.0
// CALL: @cmp_lt_f32_o 2.0 2.0
// CALL: @cmp_lt_f32_o 1.0 nan
// CALL: @cmp_lt_f32_u 1.0 2.0
// CALL: @cmp_lt_f32_u 2.0 2.0
// CALL: @cmp_lt_f32_u 1.0 nan
// CALL: @cmp_lte_f32_o 1.0 2.0
// CALL: @cmp_lte_f32_o 2.0 2.0
// CALL: @cmp_lte_f32_o 1.0 nan
// CALL: @cmp_lte_f32_u 1.0 2.0
// CALL: @cmp_lte_f32_u 2.0 2.0
// CALL: @cmp_lte_f32_u 1.0 nan
// CALL: @cmp_gt_f32_o 1.0 2.0
// CALL: @cmp_gt_f32_o 2.0 2.0
// CALL: @cmp_gt_f32_o 1.0 nan
// CALL: @cmp_gt_f32_u 1.0 2.0
// CALL: @cmp_gt_f32_u 2.0 2.0
// CALL: @cmp_gt_f32_u 1.0 nan
// CALL: @cmp_gte_f32_o 1.0 2.0
// CALL: @cmp_gte_f32_o 2.0 2.0
// CALL: @cmp_gte_f32_o 1.0 nan
// CALL: @cmp_gte_f32_u 1.0 2.0
// CALL: @cmp_gte_f32_u 2.0 2.0
// CALL: @cmp_gte_f32_u 1.0 nan
// CALL: @cmp_nz_f32_o 0.0
// CALL: @cmp_nz_f32_o -3.0
// CALL: @cmp_nz_f32_o nan
// CALL: @cmp_nz_f32_u 0.0
// CALL: @cmp_nz_f32_u nan
// CALL: @cmp_nan_f32 0.0
// CALL: @cmp_nan_f32 nan
// CALL: @const_f32
// CALL: @select_f32 1 10.5 20.5
// CALL: @select_f32 0 10.5 20.5
// CALL: @switch_f32 0 10.5 20.5 30.5
// CALL: @switch_f32 1 10.5 20.5 30.5
// CALL: @switch_f32 7 10.5 20.5 30.5
vm.module @vm_f32 {
  vm.export @add_f32
  vm.func private @add_f32(%a: f32, %b: f32) -> f32 {
    %r = vm.add.f32 %a, %b : f32
    vm.return %r : f32
  }

  vm.export @sub_f32
  vm.func private @sub_f32(%a: f32, %b: f32) -> f32 {
    %r = vm.sub.f32 %a, %b : f32
    vm.return %r : f32
  }

  vm.export @mul_f32
  vm.func private @mul_f32(%a: f32, %b: f32) -> f32 {
    %r = vm.mul.f32 %a, %b : f32
    vm.return %r : f32
  }

  vm.export @div_f32
  vm.func private @div_f32(%a: f32, %b: f32) -> f32 {
    %r = vm.div.f32 %a, %b : f32
    vm.return %r : f32
  }

  vm.export @rem_f32
  vm.func private @rem_f32(%a: f32, %b: f32) -> f32 {
    %r = vm.rem.f32 %a, %b : f32
    vm.return %r : f32
  }

  vm.export @fma_f32
  vm.func private @fma_f32(%a: f32, %b: f32, %c: f32) -> f32 {
    %r = vm.fma.f32 %a, %b, %c : f32
    vm.return %r : f32
  }

  vm.export @min_f32
  vm.func private @min_f32(%a: f32, %b: f32) -> f32 {
    %r = vm.min.f32 %a, %b : f32
    vm.return %r : f32
  }

  vm.export @max_f32
  vm.func private @max_f32(%a: f32, %b: f32) -> f32 {
    %r = vm.max.f32 %a, %b : f32
    vm.return %r : f32
  }

  vm.export @atan2_f32
  vm.func private @atan2_f32(%a: f32, %b: f32) -> f32 {
    %r = vm.atan2.f32 %a, %b : f32
    vm.return %r : f32
  }

  vm.export @pow_f32
  vm.func private @pow_f32(%a: f32, %b: f32) -> f32 {
    %r = vm.pow.f32 %a, %b : f32
    vm.return %r : f32
  }

  vm.export @ceil_f32
  vm.func private @ceil_f32(%a: f32) -> f32 {
    %r = vm.ceil.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @floor_f32
  vm.func private @floor_f32(%a: f32) -> f32 {
    %r = vm.floor.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @round_f32
  vm.func private @round_f32(%a: f32) -> f32 {
    %r = vm.round.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @round_f32_even
  vm.func private @round_f32_even(%a: f32) -> f32 {
    %r = vm.round.f32.even %a : f32
    vm.return %r : f32
  }

  vm.export @abs_f32
  vm.func private @abs_f32(%a: f32) -> f32 {
    %r = vm.abs.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @neg_f32
  vm.func private @neg_f32(%a: f32) -> f32 {
    %r = vm.neg.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @atan_f32
  vm.func private @atan_f32(%a: f32) -> f32 {
    %r = vm.atan.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @cos_f32
  vm.func private @cos_f32(%a: f32) -> f32 {
    %r = vm.cos.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @sin_f32
  vm.func private @sin_f32(%a: f32) -> f32 {
    %r = vm.sin.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @exp_f32
  vm.func private @exp_f32(%a: f32) -> f32 {
    %r = vm.exp.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @exp2_f32
  vm.func private @exp2_f32(%a: f32) -> f32 {
    %r = vm.exp2.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @expm1_f32
  vm.func private @expm1_f32(%a: f32) -> f32 {
    %r = vm.expm1.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @log_f32
  vm.func private @log_f32(%a: f32) -> f32 {
    %r = vm.log.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @log10_f32
  vm.func private @log10_f32(%a: f32) -> f32 {
    %r = vm.log10.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @log1p_f32
  vm.func private @log1p_f32(%a: f32) -> f32 {
    %r = vm.log1p.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @log2_f32
  vm.func private @log2_f32(%a: f32) -> f32 {
    %r = vm.log2.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @rsqrt_f32
  vm.func private @rsqrt_f32(%a: f32) -> f32 {
    %r = vm.rsqrt.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @sqrt_f32
  vm.func private @sqrt_f32(%a: f32) -> f32 {
    %r = vm.sqrt.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @tanh_f32
  vm.func private @tanh_f32(%a: f32) -> f32 {
    %r = vm.tanh.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @erf_f32
  vm.func private @erf_f32(%a: f32) -> f32 {
    %r = vm.erf.f32 %a : f32
    vm.return %r : f32
  }

  vm.export @cmp_eq_f32_o
  vm.func private @cmp_eq_f32_o(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.eq.f32.o %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_eq_f32_u
  vm.func private @cmp_eq_f32_u(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.eq.f32.u %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_ne_f32_o
  vm.func private @cmp_ne_f32_o(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.ne.f32.o %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_ne_f32_u
  vm.func private @cmp_ne_f32_u(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.ne.f32.u %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_lt_f32_o
  vm.func private @cmp_lt_f32_o(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.lt.f32.o %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_lt_f32_u
  vm.func private @cmp_lt_f32_u(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.lt.f32.u %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_lte_f32_o
  vm.func private @cmp_lte_f32_o(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.lte.f32.o %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_lte_f32_u
  vm.func private @cmp_lte_f32_u(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.lte.f32.u %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_gt_f32_o
  vm.func private @cmp_gt_f32_o(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.gt.f32.o %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_gt_f32_u
  vm.func private @cmp_gt_f32_u(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.gt.f32.u %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_gte_f32_o
  vm.func private @cmp_gte_f32_o(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.gte.f32.o %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_gte_f32_u
  vm.func private @cmp_gte_f32_u(%a: f32, %b: f32) -> i32 {
    %r = vm.cmp.gte.f32.u %a, %b : f32
    vm.return %r : i32
  }

  vm.export @cmp_nz_f32_o
  vm.func private @cmp_nz_f32_o(%a: f32) -> i32 {
    %r = vm.cmp.nz.f32.o %a : f32
    vm.return %r : i32
  }

  vm.export @cmp_nz_f32_u
  vm.func private @cmp_nz_f32_u(%a: f32) -> i32 {
    %r = vm.cmp.nz.f32.u %a : f32
    vm.return %r : i32
  }

  vm.export @cmp_nan_f32
  vm.func private @cmp_nan_f32(%a: f32) -> i32 {
    %r = vm.cmp.nan.f32 %a : f32
    vm.return %r : i32
  }

  vm.export @const_f32
  vm.func private @const_f32() -> (f32, f32, f32) {
    %0 = vm.const.f32 -1.5
    %1 = vm.const.f32.zero
    %2 = vm.const.f32 1.0e-30
    vm.return %0, %1, %2 : f32, f32, f32
  }

  vm.export @select_f32
  vm.func private @select_f32(%a: i32, %b: f32, %c: f32) -> f32 {
    %r = vm.select.f32 %a, %b, %c : f32
    vm.return %r : f32
  }

  vm.export @switch_f32
  vm.func private @switch_f32(%a: i32, %b: f32, %c: f32, %d: f32) -> f32 {
    %r = vm.switch.f32 %a[%b, %c] else %d : f32
    vm.return %r : f32
  }
}
