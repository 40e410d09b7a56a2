// Branches, yields, failures, and printed output.
#include "tests/vm/rows.h"

namespace eyrie::tests {
namespace {

constexpr Row kControlRows[] = {
    {"block", "5", "5", "0i_i", "entry: br ^a [] a: br ^b [] b: return [i0]"},
    {"br", "10", "45", "0i_i",  // the sum of 0 to n - 1
     "entry: const.i32 1 i5 br ^loop [i3>i1] "
     "loop: add.i32 i2 i1 i2 add.i32 i1 i5 i3 cmp.lt.i32.s i3 i0 i4 "
     "cond_br i4 ^loop [i3>i1] ^done [i2>i6] done: return [i6]"},
    {"br", "3 4", "3 3", "0ii_ii",  // moves are applied in order
     "entry: br ^next [i0>i1 i1>i0] next: return [i0 i1]"},
    {"br", "3 4", "4 3", "0ii_ii",
     "entry: br ^next [i0>i2 i1>i0 i2>i1] next: return [i0 i1]"},
    {"br", "5000000000 buf:01", "5000000000 buf:01", "0Ir_Ir",
     "entry: br ^next [i0>i4 i1>i5 r0!>r2] next: return [i4 r2!]"},
    {"br", "buf:01 buf:02", "buf:02 null null", "0rr_rrr",
     "entry: br ^next [r1>r0 r1!>r1 r1!>r2 r2>r1 r2!>r3] "
     "next: return [r0 r2 r4]"},
    {"br", "buf:01", "null buf:01", "0r_rr",
     "entry: br ^next [r0!>r1] next: return [r0 r1]"},
    {"cond_br", "1", "10", "0i_i",
     "entry: const.i32 10 i1 const.i32 20 i2 "
     "cond_br i0 ^a [i1>i3] ^a [i2>i3] a: return [i3]"},
    {"cond_br", "0", "20", "0i_i",
     "entry: const.i32 10 i1 const.i32 20 i2 "
     "cond_br i0 ^a [i1>i3] ^a [i2>i3] a: return [i3]"},
    {"cond_br", "-2147483648", "10", "0i_i",
     "entry: const.i32 10 i1 const.i32 20 i2 "
     "cond_br i0 ^a [i1>i3] ^b [i2>i3] a: return [i3] b: return [i3]"},
    {"cond_br", "buf:01", "buf:01 null", "0r_rr",  // only one side moves
     "entry: cond_br i0 ^a [r0!>r2] ^a [r0!>r1] a: return [r1 r2]"},
    {"br_table", "0", "10", "0i_i",
     "entry: const.i32 10 i1 const.i32 20 i2 const.i32 30 i3 "
     "br_table i0 ^d [] {^a [i1>i4] ^b [i2>i4]} "
     "a: return [i4] b: return [i4] d: return [i3]"},
    {"br_table", "1", "20", "0i_i",
     "entry: const.i32 10 i1 const.i32 20 i2 const.i32 30 i3 "
     "br_table i0 ^d [] {^a [i1>i4] ^b [i2>i4]} "
     "a: return [i4] b: return [i4] d: return [i3]"},
    {"br_table", "2", "30", "0i_i",
     "entry: const.i32 30 i3 br_table i0 ^d [i3>i4] {^a [] ^a []} "
     "a: return [i1] d: return [i4]"},
    {"br_table", "-1", "30", "0i_i",
     "entry: const.i32 30 i3 br_table i0 ^d [i3>i4] {^a [] ^a []} "
     "a: return [i1] d: return [i4]"},
    {"br_table", "0", "30", "0i_i",
     "entry: const.i32 30 i3 br_table i0 ^d [i3>i4] {} d: return [i4]"},
    // Without a debugger, both continue, whatever the condition.
    {"cond_break", "5", "5", "0i_i",
     "entry: cond_break i0 ^next [i0>i1] next: return [i1]"},
    {"cond_break", "0", "0 1", "0i_ii",
     "entry: const.i32 1 i2 cond_break i0 ^next [i0>i1] next: "
     "return [i1 i2]"},
    {"break", "5", "5", "0i_i", "entry: break ^last [i0>i2] last: return [i2]"},
    {"yield", "6", "6", "0i_i", "entry: yield ^next [i0>i1] next: return [i1]"},
    {"yield", "3 buf:01", "3 buf:01 null", "0ir_irr",
     "entry: const.i32 -1 i1 const.i32 1 i4 br ^loop [] "
     "loop: add.i32 i0 i1 i0 add.i32 i2 i4 i2 "
     "cond_br i0 ^more [] ^done [] more: yield ^loop [r0!>r0] "
     "done: return [i2 r0! r0]"},

    {"return", "1 buf:01", "buf:01 1 null 1", "0ir_riri",
     "entry: return [r0! i0 r0 i0]"},
    {"return", "buf:01", "buf:01 buf:01", "0r_rr", "entry: return [r0 r0!]"},
    {"return", "", "", "0v_v", "entry: return []"},
    {"fail", "9", "FAILED_PRECONDITION: assert", "0i_v",
     "entry: fail i0 \"assert\""},
    {"fail", "1", "CANCELLED: one", "0i_v", "entry: fail i0 \"one\""},
    {"fail", "3", "INVALID_ARGUMENT: The module failed without a message",
     "0i_v", "entry: fail i0 \"\""},
    {"fail", "16", "UNAUTHENTICATED: x", "0i_v", "entry: fail i0 \"x\""},
    {"fail", "18", "UNIMPLEMENTED: x", "0i_v", "entry: fail i0 \"x\""},
    {"fail", "0", "UNKNOWN: odd (status code 0)", "0i_v",
     "entry: fail i0 \"odd\""},
    {"fail", "99", "UNKNOWN: odd (status code 99)", "0i_v",
     "entry: fail i0 \"odd\""},
    {"fail", "-1", "UNKNOWN: (status code -1)", "0i_v", "entry: fail i0 \"\""},

    {"print", "5 buf:01", "5 buf:01 | values(5, vm.buffer, null)", "0ir_ir",
     "entry: print \"values\" [i0 r0 r1] return [i0 r0]"},
    {"print", "buf:01", "null | moved(vm.buffer)", "0r_r",
     "entry: print \"moved\" [r0!] return [r0]"},
    {"print", "", " | nothing()", "0v_v",
     "entry: print \"nothing\" [] return []"},
    {"trace", "list", "null | trace moved(vm.list)", "0r_r",
     "entry: trace \"moved\" [r0!] return [r0]"},
    {"trace", "-7", "-7 | trace x(-7)", "0i_i",
     "entry: trace \"x\" [i0] return [i0]"},
};

}  // namespace

std::span<const Row> ControlRows() { return kControlRows; }

}  // namespace eyrie::tests
