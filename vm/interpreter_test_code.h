// Tables of interpreter_test.cc: the code of a function, which
// tests/support/module_builder.h says how to write.
#ifndef EYRIE_VM_INTERPRETER_TEST_CODE_H_
#define EYRIE_VM_INTERPRETER_TEST_CODE_H_

namespace eyrie::vm {

struct CodeRow {
  const char* convention;
  const char* code;
  const char* args;
  const char* want;
};

inline constexpr char kReadOnly[] =
    "PERMISSION_DENIED: The buffer of 4 bytes is read-only and cannot be "
    "written";

// Types: 0 i8, 1 i16, 2 i32, 3 i64, 4 f32, 5 f64, 6 ?, 7 !vm.buffer,
// 8 !vm.list, 9 one that nobody knows, 10 any ref.
inline constexpr CodeRow kCodeRows[] = {
    // Constants and choice.
    {"0v_iIfF",
     "entry: const.i32 -5 i0 const.i64 0x123456789A i2 const.f32 1.5 i4 "
     "const.f64 -2.5 i6 return [i0 i2 i4 i6]",
     "", "-5 78187493530 1.5 -2.5"},
    {"0i_i",
     "entry: const.i32 10 i1 const.i32 20 i2 const.i32 99 i3 "
     "switch.i32 i0 i3 [i1 i2] i4 return [i4]",
     "1", "20"},
    {"0i_i", "entry: const.i32 99 i3 switch.i32 i0 i3 [i1 i2] i4 return [i4]",
     "-1", "99"},
    {"0iII_I", "entry: switch.i64 i0 i2 [i2 i4] i6 return [i6]",
     "1 3 -5000000000", "-5000000000"},
    {"0iff_f", "entry: switch.f32 i0 i1 [i1 i2] i3 return [i3]", "1 3 4.5",
     "4.5"},
    {"0iFF_F", "entry: switch.f64 i0 i2 [i2 i4] i6 return [i6]", "2 3 4.5",
     "3"},
    {"0irr_r", "entry: switch.ref i0 7 r0 [r1 r0] r2 return [r2]",
     "0 buf:01 buf:02", "buf:02"},
    {"0irr_r", "entry: switch.ref i0 7 r0 [r1] r2 return [r2]",
     "7 buf:01 buf:02", "buf:01"},
    {"0irr_rr", "entry: switch.ref i0 7 r0 [r1!] r2 return [r2 r1]",
     "0 buf:01 buf:02", "buf:02 null"},
    {"0irr_r", "entry: switch.ref i0 8 r0 [r1] r2 return [r2]", "0 list buf:02",
     "INVALID_ARGUMENT: A vm.buffer is not of type vm.list"},
    {"0irr_rrr", "entry: select.ref i0 7 r0! r1! r2 return [r2 r0 r1]",
     "1 buf:01 buf:02", "buf:01 null null"},
    {"0irr_rr", "entry: select.ref i0 7 r0 r1! r1 return [r0 r1]",
     "0 buf:01 buf:02", "buf:01 buf:02"},
    {"0irr_r", "entry: select.ref i0 10 r0 r1 r2 return [r2]",
     "0 buf:01 list:1", "list:1"},

    // Globals; 64 bytes and 4 refs.
    {"0iIfF_iIfF",
     "entry: global.store.i32 0 i0 global.store.i64 8 i2 "
     "global.store.f32 16 i4 global.store.f64 24 i6 global.load.i32 0 i10 "
     "global.load.i64 8 i12 global.load.f32 16 i14 global.load.f64 24 i16 "
     "return [i10 i12 i14 i16]",
     "-1 5000000000 1.5 2.5", "-1 5000000000 1.5 2.5"},
    {"0i_iIfF",
     "entry: const.i32 7 i1 const.i64 8 i2 const.f32 1 i4 const.f64 2 i6 "
     "const.i32 24 i20 const.i32 32 i21 const.i32 40 i22 "
     "global.store.indirect.i32 i0 i1 global.store.indirect.i64 i20 i2 "
     "global.store.indirect.f32 i21 i4 global.store.indirect.f64 i22 i6 "
     "global.load.indirect.i32 i0 i8 global.load.indirect.i64 i20 i10 "
     "global.load.indirect.f32 i21 i12 global.load.indirect.f64 i22 i14 "
     "return [i8 i10 i12 i14]",
     "60", "7 8 1 2"},
    {"0i_i", "entry: global.load.indirect.i32 i0 i1 return [i1]", "61",
     "OUT_OF_RANGE: A global of 4 bytes at offset 61 exceeds the module's "
     "globals (64 bytes)"},
    {"0i_i", "entry: global.load.indirect.i32 i0 i1 return [i1]", "-1",
     "OUT_OF_RANGE: A global of 4 bytes at offset 4294967295 exceeds the "
     "module's globals (64 bytes)"},
    {"0i_v", "entry: global.store.indirect.f64 i0 i2 return []", "57",
     "OUT_OF_RANGE: A global of 8 bytes at offset 57 exceeds the module's "
     "globals (64 bytes)"},
    {"0r_rr",
     "entry: global.store.ref 3 7 r0! global.load.ref 3 7 r1 return [r0 r1]",
     "buf:01", "null buf:01"},
    {"0r_rr",
     "entry: global.store.ref 0 7 r0 global.load.ref 0 7 r1! "
     "global.load.ref 0 7 r2 return [r1 r2]",
     "buf:01", "buf:01 null"},
    {"0r_v", "entry: global.store.ref 0 8 r0 return []", "buf:01",
     "INVALID_ARGUMENT: A vm.buffer is not of type vm.list"},
    {"0r_v", "entry: global.store.ref 0 9 r0 return []", "buf:01",
     "INVALID_ARGUMENT: A vm.buffer is not of type test.unknown"},
    {"0v_r", "entry: global.load.ref 0 9 r0 return [r0]", "", "null"},
    {"0ir_r",
     "entry: global.store.indirect.ref i0 7 r0 "
     "global.load.indirect.ref i0 7 r1 return [r1]",
     "2 buf:05", "buf:05"},
    {"0i_r", "entry: global.load.indirect.ref i0 7 r0 return [r0]", "4",
     "OUT_OF_RANGE: Global ref 4 exceeds the module's global refs (4)"},

    // Refs.
    {"0v_rr",
     "entry: const.ref.rodata 0 r0 const.ref.rodata 0 r1 cmp.eq.ref r0 r1 i0 "
     "const.ref.zero r1 return [r0! r1!]",
     "", "buf:0001020304050607 null"},
    {"0r_rr", "entry: assign.ref r0! r1 return [r0 r1]", "buf:01",
     "null buf:01"},
    {"0r_rr", "entry: assign.ref r0 r1 return [r0 r1]", "buf:01",
     "buf:01 buf:01"},
    {"0r_r", "entry: assign.ref r0! r0 return [r0]", "buf:01", "buf:01"},
    {"0rr_rr", "entry: discard.refs [r0] return [r0 r1]", "buf:01 buf:02",
     "null buf:02"},
    {"0r_r", "entry: cast.any.ref r0! 7 r1 return [r1]", "buf:01", "buf:01"},
    {"0r_r", "entry: cast.any.ref r0 8 r1 return [r1]", "buf:01",
     "INVALID_ARGUMENT: A vm.buffer is not of type vm.list"},

    // Lists.
    {"0v_ir",
     "entry: const.i32 4 i0 list.alloc 2 i0 r0 list.reserve r0 i0 "
     "list.size r0 i1 const.i32 2 i2 list.resize r0 i2 const.i32 1 i3 "
     "const.i32 77 i4 list.set.i32 r0 i3 i4 return [i1 r0]",
     "", "0 list:0,77"},
    {"0v_r",
     "entry: const.i32 6 i0 list.alloc 6 i0 r0 list.resize r0 i0 "
     "const.i32 1 i1 const.i32 2 i2 const.i32 3 i3 const.i32 4 i4 "
     "const.i64 5000000000 i6 const.f32 1.5 i8 const.f64 2.5 i10 "
     "list.set.i32 r0 i5 i1 list.set.i64 r0 i1 i6 list.set.f32 r0 i2 i8 "
     "list.set.f64 r0 i3 i10 const.ref.rodata 0 r1 list.set.ref r0 i4 r1! "
     "return [r0]",
     "", "list:1,5000000000,1.5,2.5,buf:0001020304050607,null"},
    {"0v_iI",  // of i8: values wrap
     "entry: const.i32 1 i0 list.alloc 0 i0 r0 list.resize r0 i0 "
     "const.i32 511 i1 list.set.i32 r0 i2 i1 list.get.i32 r0 i2 i3 "
     "list.get.i64 r0 i2 i4 return [i3 i4]",
     "", "-1 -1"},
    {"0v_fF",  // of f64: floats convert, integers do not
     "entry: const.i32 2 i0 list.alloc 5 i0 r0 list.resize r0 i0 "
     "const.f32 1.5 i1 list.set.f32 r0 i2 i1 list.get.f32 r0 i2 i3 "
     "const.i32 1 i5 const.i32 9 i6 list.set.i32 r0 i5 i6 "
     "list.get.f64 r0 i5 i8 return [i3 i8]",
     "", "1.5 0"},
    {"0rr_rrr",
     "entry: const.i32 1 i0 list.alloc 7 i0 r2 list.resize r2 i0 "
     "list.set.ref r2 i1 r0 list.get.ref r2 i1 7 r3 "
     "list.get.ref r2 i1 8 r4 list.get.ref r2 i1 7 r5! return [r3 r4 r2]",
     "buf:01 list", "buf:01 null list:null"},
    {"0r_v",
     "entry: const.i32 1 i0 list.alloc 7 i0 r1 list.resize r1 i0 "
     "list.set.ref r1 i1 r0 return []",
     "list",
     "INVALID_ARGUMENT: A vm.list cannot be an element of a list of "
     "vm.buffer"},
    {"0rr_v", "entry: list.set.ref r0 i0 r1 return []", "list:1 buf:01",
     "FAILED_PRECONDITION: A list of i32 cannot hold a ref"},
    {"0r_r", "entry: list.get.ref r0 i0 7 r1 return [r1]", "list:1",
     "FAILED_PRECONDITION: Element 0 of a list of i32 is a number, not a ref"},
    {"0v_v",
     "entry: const.i32 1 i0 list.alloc 7 i0 r0 list.resize r0 i0 "
     "list.set.i32 r0 i1 i0 return []",
     "", "FAILED_PRECONDITION: A list of vm.buffer refs cannot hold a number"},
    {"0v_v",
     "entry: const.i32 1 i0 list.alloc 6 i0 r0 list.resize r0 i0 "
     "list.get.f64 r0 i1 i2 return []",
     "", "FAILED_PRECONDITION: Element 0 of a list of any is not a number"},
    {"0i_v", "entry: list.alloc 6 i0 r0 return []", "-1",
     "RESOURCE_EXHAUSTED: A list of 4294967295 elements exceeds the limit "
     "(268435456) or the memory there is"},
    {"0ri_r", "entry: list.resize r0 i0 return [r0]", "list:1,2,3 1", "list:1"},

    // Buffers: r0 is the target.
    {"0rIi_r", "entry: buffer.store.i8 r0 i0 i2 return [r0]",
     "buf:00000000 1 511", "buf:00ff0000"},
    {"0rIi_r", "entry: buffer.store.i16 r0 i0 i2 return [r0]",
     "buf:00000000 1 65539", "buf:00000300"},
    {"0rIi_r", "entry: buffer.store.i32 r0 i0 i2 return [r0]",
     "buf:00000000 0 67305985", "buf:01020304"},
    {"0rII_r", "entry: buffer.store.i64 r0 i0 i2 return [r0]",
     "buf:0000000000000000 0 -2", "buf:feffffffffffffff"},
    {"0rIf_r", "entry: buffer.store.f32 r0 i0 i2 return [r0]",
     "buf:00000000 0 1", "buf:0000803f"},
    {"0rIF_r", "entry: buffer.store.f64 r0 i0 i2 return [r0]",
     "buf:0000000000000000 0 1", "buf:000000000000f03f"},
    {"0rIi_v", "entry: buffer.store.i32 r0 i0 i2 return []", "buf:00000000 1 1",
     "OUT_OF_RANGE: The range of 1 elements of 4 bytes at index 1 exceeds the "
     "buffer's size (4 bytes)"},
    {"0rIi_v", "entry: buffer.store.i8 r0 i0 i2 return []", "ro:00000000 0 1",
     kReadOnly},
    {"0rIIi_r", "entry: buffer.fill.i8 r0 i0 i2 i4 return [r0]",
     "buf:00000000 1 2 7", "buf:00070700"},
    {"0rIIi_r", "entry: buffer.fill.i16 r0 i0 i2 i4 return [r0]",
     "buf:00000000 1 1 7", "buf:00000700"},
    {"0rIIi_r", "entry: buffer.fill.i32 r0 i0 i2 i4 return [r0]",
     "buf:00000000 0 1 7", "buf:07000000"},
    {"0rIII_r", "entry: buffer.fill.i64 r0 i0 i2 i4 return [r0]",
     "buf:0000000000000000 0 1 7", "buf:0700000000000000"},
    {"0rIIf_r", "entry: buffer.fill.f32 r0 i0 i2 i4 return [r0]",
     "buf:00000000 0 1 1", "buf:0000803f"},
    {"0rIIF_r", "entry: buffer.fill.f64 r0 i0 i2 i4 return [r0]",
     "buf:0000000000000000 0 1 1", "buf:000000000000f03f"},
    {"0rIIi_v", "entry: buffer.fill.i16 r0 i0 i2 i4 return []",
     "buf:00000000 1 9223372036854775807 1",
     "OUT_OF_RANGE: The range of 9223372036854775807 elements of 2 bytes at "
     "index 1 exceeds the buffer's size (4 bytes)"},
    {"0rIIi_v", "entry: buffer.fill.i8 r0 i0 i2 i4 return []",
     "ro:00000000 0 1 7", kReadOnly},
    {"0rIrII_r", "entry: buffer.copy r0 i0 r1 i2 i4 return [r1]",
     "buf:01020304 1 buf:00000000 2 2", "buf:00000203"},
    {"0r_r",  // overlapping
     "entry: const.i64 1 i0 const.i64 3 i2 const.i64 0 i4 "
     "buffer.copy r0 i4 r0 i0 i2 return [r0]",
     "buf:01020304", "buf:01010203"},
    {"0rIrII_v", "entry: buffer.copy r0 i0 r1 i2 i4 return []",
     "buf:01020304 1 ro:00000000 2 2", kReadOnly},
    {"0rIrII_v", "entry: buffer.copy r0 i0 r1 i2 i4 return []",
     "buf:01020304 -1 buf:00000000 2 2",
     "OUT_OF_RANGE: The range of 2 bytes at offset 18446744073709551615 "
     "exceeds the buffer's size (4 bytes)"},
    {"0Ii_r", "entry: buffer.alloc i0 i2 r0 return [r0]", "3 16", "buf:000000"},
    {"0Ii_r", "entry: buffer.alloc i0 i2 r0 return [r0]", "3 3",
     "INVALID_ARGUMENT: Alignment 3 is not a power of two up to 1048576"},
    {"0Ii_r", "entry: buffer.alloc i0 i2 r0 return [r0]", "-1 16",
     "RESOURCE_EXHAUSTED: A buffer of 18446744073709551615 bytes cannot be "
     "allocated"},
    {"0rIIi_rr",
     "entry: buffer.clone r0 i0 i2 i4 r1 const.i32 9 i6 const.i64 0 i8 "
     "buffer.store.i8 r1 i8 i6 return [r0 r1]",
     "ro:01020304 1 2 0", "buf:01020304 buf:0903"},
    {"0rIIi_r", "entry: buffer.clone r0 i0 i2 i4 r1 return [r1]",
     "ro:01020304 3 2 0",
     "OUT_OF_RANGE: The range of 2 bytes at offset 3 exceeds the buffer's size "
     "(4 bytes)"},

    // Control flow.
    {"0i_i",  // sum of 0 .. n-1
     "entry: const.i32 1 i5 br ^loop [i3>i1] "
     "loop: add.i32 i2 i1 i2 add.i32 i1 i5 i3 cmp.lt.i32.s i3 i0 i4 "
     "cond_br i4 ^loop [i3>i1] ^done [i2>i6] done: return [i6]",
     "10", "45"},
    {"0Ir_Ir",  // an i64 moves as two halves
     "entry: br ^next [i0>i4 i1>i5 r0!>r2] next: return [i4 r2!]",
     "5000000000 buf:01", "5000000000 buf:01"},
    {"0i_i",
     "entry: const.i32 10 i1 const.i32 20 i2 const.i32 30 i3 "
     "br_table i0 ^d [] {^a [i1>i4] ^b [i2>i4]} "
     "a: return [i4] b: return [i4] d: return [i3]",
     "1", "20"},
    {"0i_i",
     "entry: const.i32 30 i3 br_table i0 ^d [i3>i4] {^a [] ^a []} "
     "a: return [i1] d: return [i4]",
     "2", "30"},
    {"0i_i",
     "entry: cond_break i0 ^next [i0>i1] next: break ^last [i1>i2] "
     "last: return [i2]",
     "5", "5"},
    {"0i_v", "entry: fail i0 \"assert\"", "9", "FAILED_PRECONDITION: assert"},
    {"0i_v", "entry: fail i0 \"\"", "3",
     "INVALID_ARGUMENT: The module fails without a message"},
    {"0i_v", "entry: fail i0 \"odd\"", "99", "UNKNOWN: odd (status code 99)"},
    {"0ir_i",
     "entry: print \"values\" [i0 r0] trace \"moved\" [r0!] cmp.nz.ref r0 i1 "
     "return [i1]",
     "5 buf:01", "0 | values(5, vm.buffer) | trace moved(vm.buffer)"},

    // Calls.
    {"0i_i", "entry: call 1 [i0] [i2] return [i2]", "21", "42"},
    {"0iIrFr_FrIr",
     "entry: call 2 [i0 i2 r0 i4 r1!] [i8 r2 i10] return [i8 r2 i10 r1]",
     "1 5000000000 buf:01 2.5 buf:02", "2.5 buf:02 5000000000 null"},
    {"0rr_rr", "entry: call 3 [r0! r1!] [r0 r1] return [r0! r1!]",
     "buf:01 buf:02", "buf:02 buf:01"},
    {"0rr_rr", "entry: call 3 [r0 r1] [r1 r0] return [r0 r1]", "buf:01 buf:02",
     "buf:01 buf:02"},
    {"0v_v", "entry: call 4 [] [] return []", "",
     "RESOURCE_EXHAUSTED: The call exceeds the stack (4194304 bytes)"},
    {"0ii_i", "entry: call #0 [i0 i1] [i2] return [i2]", "3 4", "7"},
    {"0Irf_Irfr", "entry: call #1 [i0 r0! i2] [i4 r1 i6] return [i4 r1 i6 r0]",
     "5000000000 buf:01 1.5", "10000000000 buf:01 3 null"},
    {"0iiIiI_I",
     "entry: call.variadic #2 [1 2] [i0 i1 i2 i4 i6] [i8] return [i8]",
     "10 2 5000000000 3 4", "100000000120"},
    {"0i_I", "entry: call.variadic #2 [1 0] [i0] [i2] return [i2]", "10", "0"},
    {"0v_v", "entry: call #3 [] [] return []", "",
     "DATA_LOSS: The native function gives up"},
    {"0v_ii",
     "entry: import.resolved #0 i0 import.resolved #5 i1 return [i0 i1]", "",
     "1 0"},
    {"0v_v", "entry: call #5 [] [] return []", "",
     "NOT_FOUND: The optional import native.none is called, but no loaded "
     "module has it"},
    {"0i_i", "entry: call #4 [i0] [i1] return [i1]", "1",
     "UNAVAILABLE: The result of the call is not ready"},
    {"0i_i", "entry: call.yieldable #4 [i0] ^next [i1] next: return [i1]", "1",
     "101"},
    {"0i_i", "entry: call.yieldable 5 [i0] ^next [i1] next: return [i1]", "4",
     "4"},
    {"0iiI_I",
     "entry: call.variadic.yieldable #2 [1 1] [i0 i1 i2] ^next [i4] "
     "next: return [i4]",
     "2 3 4", "24"},
    {"0i_i", "entry: yield ^next [i0>i1] next: return [i1]", "6", "6"},
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_INTERPRETER_TEST_CODE_H_
