// The VM's f64 instructions, one function each: arithmetic, functions,
// rounding, compares with NaN.
// MODE: vm
// VARIANTS: plain
// CALL: @add_f64 7.5 2.0
// CALL: @add_f64 -7.5 2.0
// CALL: @add_f64 1.0 0.0
// CALL: @add_f64 1.0 nan
// CALL: @sub_f64 7.5 2.0
// CALL: @sub_f64 -7.5 2.0
// CALL: @sub_f64 1.0 0.0
// CALL: @sub_f64 1.0 nan
// CALL: @mul_f64 7.5 2.0
// CALL: @mul_f64 -7.5 2.0
// CALL: @mul_f64 1.0 0.0
// CALL: @mul_f64 1.0 nan
// CALL: @div_f64 7.5 2.0
// CALL: @div_f64 -7.5 2.0
// CALL: @div_f64 1.0 0.0
// CALL: @div_f64 1.0 nan
// CALL: @rem_f64 7.5 2.0
// CALL: @rem_f64 -7.5 2.0
// CALL: @rem_f64 1.0 0.0
// CALL: @rem_f64 1.0 nan
// CALL: @fma_f64 1.5 2.0 -0.5
// CALL: @min_f64 1.5 -2.5
// CALL: @min_f64 2.0 2.5
// CALL: @min_f64 inf 1.0
// CALL: @max_f64 1.5 -2.5
// CALL: @max_f64 2.0 2.5
// CALL: @max_f64 inf 1.0
// CALL: @atan2_f64 2.0 0.5
// CALL: @atan2_f64 0.0 0.0
// CALL: @pow_f64 2.0 0.5
// CALL: @pow_f64 0.0 0.0
// CALL: @ceil_f64 1.2
// CALL: @ceil_f64 -1.2
// CALL: @floor_f64 1.2
// CALL: @floor_f64 -1.2
// CALL: @round_f64 2.5
// CALL: @round_f64 -2.5
// CALL: @round_f64 0.4
// CALL: @round_f64_even 2.5
// CALL: @round_f64_even -2.5
// CALL: @round_f64_even 3.5
// CALL: @abs_f64 -1.5
// CALL: @neg_f64 1.5
// CALL: @neg_f64 0.0
// CALL: @atan_f64 0.5
// CALL: @cos_f64 0.5
// CALL: @sin_f64 0.5
// CALL: @exp_f64 1.5
// CALL: @exp2_f64 1.5
// CALL: @expm1_f64 0.001
// CALL: @log_f64 2.5
// CALL: @log_f64 0.0
// CALL: @log_f64 -1.0
// CALL: @log10_f64 1000.0
// CALL: @log1p_f64 0.001
// CALL: @log2_f64 8.0
// CALL: @rsqrt_f64 4.0
// CALL: @sqrt_f64 2.0
// CALL: @sqrt_f64 -1.0
// CALL: @tanh_f64 0.5
// CALL: @erf_f64 0.5
// CALL: @cmp_eq_f64_o 1.0 2.0
// CALL: @cmp_eq_f64_o 2.0 2.0
// CALL: @cmp_eq_f64_o 1.0 nan
// CALL: @cmp_eq_f64_u 1.0 2.0
// CALL: @cmp_eq_f64_u 2.0 2.0
// CALL: @cmp_eq_f64_u 1.0 nan
// CALL: @cmp_ne_f64_o 1.0 2.0
// CALL: @cmp_ne_f64_o 2.0 2.0
// CALL: @cmp_ne_f64_o 1.0 nan
// CALL: @cmp_ne_f64_u 1.0 2.0
// CALL: @cmp_ne_f64_u 2.0 2.0
// CALL: @cmp_ne_f64_u 1.0 nan
// CALL: @cmp_lt_f64_o 1.0 2.0
// CALL: @cmp_lt_f64_o 2.0 2.0
// CALL: @cmp_lt_f64_o 1.0 nan
// CALL: @cmp_lt_f64_u 1.0 2.0
// CALL: @cmp_lt_f64_u 2.0 2.0
// CALL: @cmp_lt_f64_u 1.0 nan
// CALL: @cmp_lte_f64_o 1.0 2.0
// CALL: @cmp_lte_f64_o 2.0 2.0
// CALL: @cmp_lte_f64_o 1.0 nan
// CALL: @cmp_lte_f64_u 1.0 2.0
// CALL: @cmp_lte_f64_u 2.0 2.0
// CALL: @cmp_lte_f64_u 1.0 nan
// CALL: @cmp_gt_f64_o 1.0 2.0
// CALL: @cmp_gt_f64_o 2.0 2.0
// CALL: @cmp_gt_f64_o 1.0 nan
// CALL: @cmp_gt_f64_u 1.0 2.0
// CALL: @cmp_gt_f64_u 2.0 2.0
// CALL: @cmp_gt_f64_u 1.0 nan
// CALL: @cmp_gte_f64_o 1.0 2.0
// CALL: @cmp_gte_f64_o 2.0 2.0
// CALL: @cmp_gte_f64_o 1.0 nan
// CALL: @cmp_gte_f64_u 1.0 2.0
// CALL: @cmp_gte_f64_u 2.0 2.0
// CALL: @cmp_gte_f64_u 1.0 nan
// CALL: @cmp_nz_f64_o 0.0
// CALL: @cmp_nz_f64_o -3.0
// CALL: @cmp_nz_f64_o nan
// CALL: @cmp_nz_f64_u 0.0
// CALL: @cmp_nz_f64_u nan
// CALL: @cmp_nan_f64 0.0
// CALL: @cmp_nan_f64 nan
// CALL: @const_f64
// CALL: @select_f64 1 10.5 20.5
// WANT: result[0]: f64=10.5
// CALL: @select_f64 0 10.5 20.5
// WANT: result[0]: f64=20.5
// CALL: @switch_f64 0 10.5 20.5 30.5
// WANT: result[0]: f64=10.5
// CALL: @switch_f64 1 10.5 20.5 30.5
// WANT: result[0]: f64=20.5
// CALL: @switch_f64 7 10.5 20.5 30.5
// WANT: result[0]: f64=30.5
vm.module @vm_f64 {
  vm.export @add_f64
  vm.func private @add_f64(%a: f64, %b: f64) -> f64 {
    %r = vm.add.f64 %a, %b : f64
    vm.return %r : f64
  }

  vm.export @sub_f64
  vm.func private @sub_f64(%a: f64, %b: f64) -> f64 {
    %r = vm.sub.f64 %a, %b : f64
    vm.return %r : f64
  }

  vm.export @mul_f64
  vm.func private @mul_f64(%a: f64, %b: f64) -> f64 {
    %r = vm.mul.f64 %a, %b : f64
    vm.return %r : f64
  }

  vm.export @div_f64
  vm.func private @div_f64(%a: f64, %b: f64) -> f64 {
    %r = vm.div.f64 %a, %b : f64
    vm.return %r : f64
  }

  vm.export @rem_f64
  vm.func private @rem_f64(%a: f64, %b: f64) -> f64 {
    %r = vm.rem.f64 %a, %b : f64
    vm.return %r : f64
  }

  vm.export @fma_f64
  vm.func private @fma_f64(%a: f64, %b: f64, %c: f64) -> f64 {
    %r = vm.fma.f64 %a, %b, %c : f64
    vm.return %r : f64
  }

  vm.export @min_f64
  vm.func private @min_f64(%a: f64, %b: f64) -> f64 {
    %r = vm.min.f64 %a, %b : f64
    vm.return %r : f64
  }

  vm.export @max_f64
  vm.func private @max_f64(%a: f64, %b: f64) -> f64 {
    %r = vm.max.f64 %a, %b : f64
    vm.return %r : f64
  }

  vm.export @atan2_f64
  vm.func private @atan2_f64(%a: f64, %b: f64) -> f64 {
    %r = vm.atan2.f64 %a, %b : f64
    vm.return %r : f64
  }

  vm.export @pow_f64
  vm.func private @pow_f64(%a: f64, %b: f64) -> f64 {
    %r = vm.pow.f64 %a, %b : f64
    vm.return %r : f64
  }

  vm.export @ceil_f64
  vm.func private @ceil_f64(%a: f64) -> f64 {
    %r = vm.ceil.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @floor_f64
  vm.func private @floor_f64(%a: f64) -> f64 {
    %r = vm.floor.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @round_f64
  vm.func private @round_f64(%a: f64) -> f64 {
    %r = vm.round.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @round_f64_even
  vm.func private @round_f64_even(%a: f64) -> f64 {
    %r = vm.round.f64.even %a : f64
    vm.return %r : f64
  }

  vm.export @abs_f64
  vm.func private @abs_f64(%a: f64) -> f64 {
    %r = vm.abs.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @neg_f64
  vm.func private @neg_f64(%a: f64) -> f64 {
    %r = vm.neg.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @atan_f64
  vm.func private @atan_f64(%a: f64) -> f64 {
    %r = vm.atan.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @cos_f64
  vm.func private @cos_f64(%a: f64) -> f64 {
    %r = vm.cos.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @sin_f64
  vm.func private @sin_f64(%a: f64) -> f64 {
    %r = vm.sin.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @exp_f64
  vm.func private @exp_f64(%a: f64) -> f64 {
    %r = vm.exp.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @exp2_f64
  vm.func private @exp2_f64(%a: f64) -> f64 {
    %r = vm.exp2.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @expm1_f64
  vm.func private @expm1_f64(%a: f64) -> f64 {
    %r = vm.expm1.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @log_f64
  vm.func private @log_f64(%a: f64) -> f64 {
    %r = vm.log.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @log10_f64
  vm.func private @log10_f64(%a: f64) -> f64 {
    %r = vm.log10.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @log1p_f64
  vm.func private @log1p_f64(%a: f64) -> f64 {
    %r = vm.log1p.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @log2_f64
  vm.func private @log2_f64(%a: f64) -> f64 {
    %r = vm.log2.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @rsqrt_f64
  vm.func private @rsqrt_f64(%a: f64) -> f64 {
    %r = vm.rsqrt.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @sqrt_f64
  vm.func private @sqrt_f64(%a: f64) -> f64 {
    %r = vm.sqrt.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @tanh_f64
  vm.func private @tanh_f64(%a: f64) -> f64 {
    %r = vm.tanh.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @erf_f64
  vm.func private @erf_f64(%a: f64) -> f64 {
    %r = vm.erf.f64 %a : f64
    vm.return %r : f64
  }

  vm.export @cmp_eq_f64_o
  vm.func private @cmp_eq_f64_o(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.eq.f64.o %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_eq_f64_u
  vm.func private @cmp_eq_f64_u(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.eq.f64.u %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_ne_f64_o
  vm.func private @cmp_ne_f64_o(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.ne.f64.o %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_ne_f64_u
  vm.func private @cmp_ne_f64_u(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.ne.f64.u %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_lt_f64_o
  vm.func private @cmp_lt_f64_o(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.lt.f64.o %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_lt_f64_u
  vm.func private @cmp_lt_f64_u(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.lt.f64.u %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_lte_f64_o
  vm.func private @cmp_lte_f64_o(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.lte.f64.o %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_lte_f64_u
  vm.func private @cmp_lte_f64_u(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.lte.f64.u %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_gt_f64_o
  vm.func private @cmp_gt_f64_o(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.gt.f64.o %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_gt_f64_u
  vm.func private @cmp_gt_f64_u(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.gt.f64.u %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_gte_f64_o
  vm.func private @cmp_gte_f64_o(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.gte.f64.o %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_gte_f64_u
  vm.func private @cmp_gte_f64_u(%a: f64, %b: f64) -> i32 {
    %r = vm.cmp.gte.f64.u %a, %b : f64
    vm.return %r : i32
  }

  vm.export @cmp_nz_f64_o
  vm.func private @cmp_nz_f64_o(%a: f64) -> i32 {
    %r = vm.cmp.nz.f64.o %a : f64
    vm.return %r : i32
  }

  vm.export @cmp_nz_f64_u
  vm.func private @cmp_nz_f64_u(%a: f64) -> i32 {
    %r = vm.cmp.nz.f64.u %a : f64
    vm.return %r : i32
  }

  vm.export @cmp_nan_f64
  vm.func private @cmp_nan_f64(%a: f64) -> i32 {
    %r = vm.cmp.nan.f64 %a : f64
    vm.return %r : i32
  }

  vm.export @const_f64
  vm.func private @const_f64() -> (f64, f64, f64) {
    %0 = vm.const.f64 -1.5
    %1 = vm.const.f64.zero
    %2 = vm.const.f64 1.0e-30
    vm.return %0, %1, %2 : f64, f64, f64
  }

  vm.export @select_f64
  vm.func private @select_f64(%a: i32, %b: f64, %c: f64) -> f64 {
    %r = vm.select.f64 %a, %b, %c : f64
    vm.return %r : f64
  }

  vm.export @switch_f64
  vm.func private @switch_f64(%a: i32, %b: f64, %c: f64, %d: f64) -> f64 {
    %r = vm.switch.f64 %a[%b, %c] else %d : f64
    vm.return %r : f64
  }
}
