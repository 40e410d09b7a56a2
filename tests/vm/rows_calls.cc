// Calls of functions and imports. row_module.cc adds these to each module.
#include "tests/vm/rows.h"

namespace eyrie::tests {
namespace {

// Functions: 1 twice, 2 mixed, 3 swap, 4 forever, 5 fails, 6 counts, yielding.
// Imports: 0 add, 1 many, 2 sum of spans, 3 fails, 4 first returns Pending, 5
// missing.
constexpr Row kCallRows[] = {
    {"call", "21", "42", "0i_i", "entry: call 1 [i0] [i2] return [i2]"},
    {"call", "21", "84", "0i_i",
     "entry: call 1 [i0] [i0] call 1 [i0] [i0] return [i0]"},
    {"call", "1 5000000000 buf:01 2.5 buf:02", "2.5 buf:02 5000000000 null",
     "0iIrFr_FrIr",
     "entry: call 2 [i0 i2 r0 i4 r1!] [i8 r2 i10] return [i8 r2 i10 r1]"},
    {"call", "buf:01 buf:02", "buf:02 buf:01", "0rr_rr",
     "entry: call 3 [r0! r1!] [r0 r1] return [r0! r1!]"},
    {"call", "buf:01 buf:02", "buf:01 buf:02", "0rr_rr",
     "entry: call 3 [r0 r1] [r1 r0] return [r0 r1]"},
    {"call", "buf:01", "buf:01 null null", "0r_rrr",  // moved once
     "entry: call 3 [r0! r0!] [r2 r1] return [r1 r2 r0]"},
    {"call", "",
     "RESOURCE_EXHAUSTED: The call exceeds the stack (4194304 "
     "bytes)",
     "0v_v", "entry: call 4 [] [] return []"},
    {"call", "", "ABORTED: inner", "0v_v", "entry: call 5 [] [] return []"},
    {"call", "3 4", "7", "0ii_i", "entry: call #0 [i0 i1] [i2] return [i2]"},
    {"call", "5000000000 buf:01 1.5", "10000000000 buf:01 3 null", "0Irf_Irfr",
     "entry: call #1 [i0 r0! i2] [i4 r1 i6] return [i4 r1 i6 r0]"},
    {"call", "", "DATA_LOSS: The native function gives up", "0v_v",
     "entry: call #3 [] [] return []"},
    {"call", "",
     "NOT_FOUND: The optional import native.none is called, but "
     "no loaded module has it",
     "0v_v", "entry: call #5 [] [] return []"},
    {"call", "1", "UNAVAILABLE: The result of the call is not ready", "0i_i",
     "entry: call #4 [i0] [i1] return [i1]"},
    {"call.variadic", "10 2 5000000000 3 4", "100000000120", "0iiIiI_I",
     "entry: call.variadic #2 [1 2] [i0 i1 i2 i4 i6] [i8] return [i8]"},
    {"call.variadic", "10", "0", "0i_I",
     "entry: call.variadic #2 [1 0] [i0] [i2] return [i2]"},
    {"call.variadic", "3 4", "7", "0ii_i",
     "entry: call.variadic #0 [1 1] [i0 i1] [i2] return [i2]"},
    {"call.variadic", "", "DATA_LOSS: The native function gives up", "0v_v",
     "entry: call.variadic #3 [] [] [] return []"},
    {"call.yieldable", "1", "101", "0i_i",
     "entry: call.yieldable #4 [i0] ^next [i1] next: return [i1]"},
    {"call.yieldable", "4", "4", "0i_i",
     "entry: call.yieldable 6 [i0] ^next [i1] next: return [i1]"},
    {"call.yieldable", "5 buf:01", "105 buf:01", "0ir_ir",
     "entry: call.yieldable #4 [i0] ^next [i0] next: return [i0 r0]"},
    {"call.yieldable", "", "ABORTED: inner", "0v_v",
     "entry: call.yieldable 5 [] ^next [] next: return []"},
    {"call.yieldable", "", "DATA_LOSS: The native function gives up", "0v_v",
     "entry: call.yieldable #3 [] ^next [] next: return []"},
    {"call.variadic.yieldable", "2 3 4", "24", "0iiI_I",
     "entry: call.variadic.yieldable #2 [1 1] [i0 i1 i2] ^next [i4] "
     "next: return [i4]"},
    {"call.variadic.yieldable", "1", "101", "0i_i",
     "entry: call.variadic.yieldable #4 [1] [i0] ^next [i1] "
     "next: return [i1]"},
    {"call.variadic.yieldable", "", "DATA_LOSS: The native function gives up",
     "0v_v",
     "entry: call.variadic.yieldable #3 [] [] ^next [] next: return []"},
    {"import.resolved", "#0", "1"},
    {"import.resolved", "#5", "0"},
};

}  // namespace

std::span<const Row> CallRows() { return kCallRows; }

}  // namespace eyrie::tests
