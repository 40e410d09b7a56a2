// The VM's conversions between widths and kinds, one function each.
// MODE: vm
// VARIANTS: plain
// CALL: @trunc_i32_i8 300
// CALL: @trunc_i32_i8 -1
// CALL: @trunc_i32_i8 70000
// CALL: @trunc_i32_i16 300
// CALL: @trunc_i32_i16 -1
// CALL: @trunc_i32_i16 70000
// CALL: @trunc_i64_i8 300
// CALL: @trunc_i64_i8 -1
// CALL: @trunc_i64_i8 5000000000
// CALL: @trunc_i64_i16 300
// CALL: @trunc_i64_i16 -1
// CALL: @trunc_i64_i16 5000000000
// CALL: @trunc_i64_i32 300
// CALL: @trunc_i64_i32 -1
// CALL: @trunc_i64_i32 5000000000
// CALL: @ext_i8_i32_s 255
// CALL: @ext_i8_i32_s -1
// CALL: @ext_i8_i32_s 32768
// CALL: @ext_i8_i32_u 255
// CALL: @ext_i8_i32_u -1
// CALL: @ext_i8_i32_u 32768
// CALL: @ext_i16_i32_s 255
// CALL: @ext_i16_i32_s -1
// CALL: @ext_i16_i32_s 32768
// CALL: @ext_i16_i32_u 255
// CALL: @ext_i16_i32_u -1
// CALL: @ext_i16_i32_u 32768
// CALL: @ext_i8_i64_s 255
// CALL: @ext_i8_i64_s -1
// CALL: @ext_i8_i64_s 32768
// CALL: @ext_i8_i64_u 255
// CALL: @ext_i8_i64_u -1
// CALL: @ext_i8_i64_u 32768
// CALL: @ext_i16_i64_s 255
// CALL: @ext_i16_i64_s -1
// CALL: @ext_i16_i64_s 32768
// CALL: @ext_i16_i64_u 255
// CALL: @ext_i16_i64_u -1
// CALL: @ext_i16_i64_u 32768
// CALL: @ext_i32_i64_s 255
// CALL: @ext_i32_i64_s -1
// CALL: @ext_i32_i64_s 32768
// CALL: @ext_i32_i64_u 255
// CALL: @ext_i32_i64_u -1
// CALL: @ext_i32_i64_u 32768
// CALL: @cast_si32_f32 7
// CALL: @cast_si32_f32 -7
// CALL: @cast_f32_si32 7.9
// CALL: @cast_f32_si32 0.0
// CALL: @cast_f32_si32 -7.9
// CALL: @cast_f32_si32 1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_si32 nan
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_si32 -1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_si64_f32 7
// CALL: @cast_si64_f32 -7
// CALL: @cast_f32_si64 7.9
// CALL: @cast_f32_si64 0.0
// CALL: @cast_f32_si64 -7.9
// CALL: @cast_f32_si64 1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_si64 nan
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_si64 -1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_ui32_f32 7
// CALL: @cast_ui32_f32 -7
// CALL: @cast_f32_ui32 7.9
// CALL: @cast_f32_ui32 0.0
// CALL: @cast_f32_ui32 -7.9
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_ui32 1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_ui32 nan
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_ui32 -1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_ui64_f32 7
// CALL: @cast_ui64_f32 -7
// CALL: @cast_f32_ui64 7.9
// CALL: @cast_f32_ui64 0.0
// CALL: @cast_f32_ui64 -7.9
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_ui64 1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_ui64 nan
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f32_ui64 -1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_si64_f64 7
// CALL: @cast_si64_f64 -7
// CALL: @cast_f64_si64 7.9
// CALL: @cast_f64_si64 0.0
// CALL: @cast_f64_si64 -7.9
// CALL: @cast_f64_si64 1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f64_si64 nan
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f64_si64 -1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_ui64_f64 7
// CALL: @cast_ui64_f64 -7
// CALL: @cast_f64_ui64 7.9
// CALL: @cast_f64_ui64 0.0
// CALL: @cast_f64_ui64 -7.9
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f64_ui64 1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f64_ui64 nan
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @cast_f64_ui64 -1e30
// FAILS: ANY
// NOTE: upstream gives whatever the processor gives
// CALL: @bitcast_i32_f32 1065353216
// CALL: @bitcast_i32_f32 0
// CALL: @bitcast_f32_i32 1.0
// CALL: @bitcast_f32_i32 -0.0
// CALL: @bitcast_i64_f64 4607182418800017408
// CALL: @bitcast_f64_i64 1.0
// CALL: @trunc_f64_f32 0.1
// CALL: @trunc_f64_f32 1e300
// CALL: @ext_f32_f64 0.1
// CALL: @ext_f32_f64 inf
vm.module @vm_convert {
  vm.export @trunc_i32_i8
  vm.func private @trunc_i32_i8(%a: i32) -> i32 {
    %r = vm.trunc.i32.i8 %a : i32 -> i32
    vm.return %r : i32
  }

  vm.export @trunc_i32_i16
  vm.func private @trunc_i32_i16(%a: i32) -> i32 {
    %r = vm.trunc.i32.i16 %a : i32 -> i32
    vm.return %r : i32
  }

  vm.export @trunc_i64_i8
  vm.func private @trunc_i64_i8(%a: i64) -> i32 {
    %r = vm.trunc.i64.i8 %a : i64 -> i32
    vm.return %r : i32
  }

  vm.export @trunc_i64_i16
  vm.func private @trunc_i64_i16(%a: i64) -> i32 {
    %r = vm.trunc.i64.i16 %a : i64 -> i32
    vm.return %r : i32
  }

  vm.export @trunc_i64_i32
  vm.func private @trunc_i64_i32(%a: i64) -> i32 {
    %r = vm.trunc.i64.i32 %a : i64 -> i32
    vm.return %r : i32
  }

  vm.export @ext_i8_i32_s
  vm.func private @ext_i8_i32_s(%a: i32) -> i32 {
    %r = vm.ext.i8.i32.s %a : i32 -> i32
    vm.return %r : i32
  }

  vm.export @ext_i8_i32_u
  vm.func private @ext_i8_i32_u(%a: i32) -> i32 {
    %r = vm.ext.i8.i32.u %a : i32 -> i32
    vm.return %r : i32
  }

  vm.export @ext_i16_i32_s
  vm.func private @ext_i16_i32_s(%a: i32) -> i32 {
    %r = vm.ext.i16.i32.s %a : i32 -> i32
    vm.return %r : i32
  }

  vm.export @ext_i16_i32_u
  vm.func private @ext_i16_i32_u(%a: i32) -> i32 {
    %r = vm.ext.i16.i32.u %a : i32 -> i32
    vm.return %r : i32
  }

  vm.export @ext_i8_i64_s
  vm.func private @ext_i8_i64_s(%a: i32) -> i64 {
    %r = vm.ext.i8.i64.s %a : i32 -> i64
    vm.return %r : i64
  }

  vm.export @ext_i8_i64_u
  vm.func private @ext_i8_i64_u(%a: i32) -> i64 {
    %r = vm.ext.i8.i64.u %a : i32 -> i64
    vm.return %r : i64
  }

  vm.export @ext_i16_i64_s
  vm.func private @ext_i16_i64_s(%a: i32) -> i64 {
    %r = vm.ext.i16.i64.s %a : i32 -> i64
    vm.return %r : i64
  }

  vm.export @ext_i16_i64_u
  vm.func private @ext_i16_i64_u(%a: i32) -> i64 {
    %r = vm.ext.i16.i64.u %a : i32 -> i64
    vm.return %r : i64
  }

  vm.export @ext_i32_i64_s
  vm.func private @ext_i32_i64_s(%a: i32) -> i64 {
    %r = vm.ext.i32.i64.s %a : i32 -> i64
    vm.return %r : i64
  }

  vm.export @ext_i32_i64_u
  vm.func private @ext_i32_i64_u(%a: i32) -> i64 {
    %r = vm.ext.i32.i64.u %a : i32 -> i64
    vm.return %r : i64
  }

  vm.export @cast_si32_f32
  vm.func private @cast_si32_f32(%a: i32) -> f32 {
    %r = vm.cast.si32.f32 %a : i32 -> f32
    vm.return %r : f32
  }

  vm.export @cast_f32_si32
  vm.func private @cast_f32_si32(%a: f32) -> i32 {
    %r = vm.cast.f32.si32 %a : f32 -> i32
    vm.return %r : i32
  }

  vm.export @cast_si64_f32
  vm.func private @cast_si64_f32(%a: i64) -> f32 {
    %r = vm.cast.si64.f32 %a : i64 -> f32
    vm.return %r : f32
  }

  vm.export @cast_f32_si64
  vm.func private @cast_f32_si64(%a: f32) -> i64 {
    %r = vm.cast.f32.si64 %a : f32 -> i64
    vm.return %r : i64
  }

  vm.export @cast_ui32_f32
  vm.func private @cast_ui32_f32(%a: i32) -> f32 {
    %r = vm.cast.ui32.f32 %a : i32 -> f32
    vm.return %r : f32
  }

  vm.export @cast_f32_ui32
  vm.func private @cast_f32_ui32(%a: f32) -> i32 {
    %r = vm.cast.f32.ui32 %a : f32 -> i32
    vm.return %r : i32
  }

  vm.export @cast_ui64_f32
  vm.func private @cast_ui64_f32(%a: i64) -> f32 {
    %r = vm.cast.ui64.f32 %a : i64 -> f32
    vm.return %r : f32
  }

  vm.export @cast_f32_ui64
  vm.func private @cast_f32_ui64(%a: f32) -> i64 {
    %r = vm.cast.f32.ui64 %a : f32 -> i64
    vm.return %r : i64
  }

  vm.export @cast_si64_f64
  vm.func private @cast_si64_f64(%a: i64) -> f64 {
    %r = vm.cast.si64.f64 %a : i64 -> f64
    vm.return %r : f64
  }

  vm.export @cast_f64_si64
  vm.func private @cast_f64_si64(%a: f64) -> i64 {
    %r = vm.cast.f64.si64 %a : f64 -> i64
    vm.return %r : i64
  }

  vm.export @cast_ui64_f64
  vm.func private @cast_ui64_f64(%a: i64) -> f64 {
    %r = vm.cast.ui64.f64 %a : i64 -> f64
    vm.return %r : f64
  }

  vm.export @cast_f64_ui64
  vm.func private @cast_f64_ui64(%a: f64) -> i64 {
    %r = vm.cast.f64.ui64 %a : f64 -> i64
    vm.return %r : i64
  }

  vm.export @bitcast_i32_f32
  vm.func private @bitcast_i32_f32(%a: i32) -> f32 {
    %r = vm.bitcast.i32.f32 %a : i32 -> f32
    vm.return %r : f32
  }

  vm.export @bitcast_f32_i32
  vm.func private @bitcast_f32_i32(%a: f32) -> i32 {
    %r = vm.bitcast.f32.i32 %a : f32 -> i32
    vm.return %r : i32
  }

  vm.export @bitcast_i64_f64
  vm.func private @bitcast_i64_f64(%a: i64) -> f64 {
    %r = vm.bitcast.i64.f64 %a : i64 -> f64
    vm.return %r : f64
  }

  vm.export @bitcast_f64_i64
  vm.func private @bitcast_f64_i64(%a: f64) -> i64 {
    %r = vm.bitcast.f64.i64 %a : f64 -> i64
    vm.return %r : i64
  }

  vm.export @trunc_f64_f32
  vm.func private @trunc_f64_f32(%a: f64) -> f32 {
    %r = vm.trunc.f64.f32 %a : f64 -> f32
    vm.return %r : f32
  }

  vm.export @ext_f32_f64
  vm.func private @ext_f32_f64(%a: f32) -> f64 {
    %r = vm.ext.f32.f64 %a : f32 -> f64
    vm.return %r : f64
  }
}
