// Refs in registers: constants, moves, casts, selection and comparison.
#include "tests/vm/rows.h"

namespace eyrie::tests {
namespace {

// Types as in rows_globals.cc. The constant has the bytes 0 to 7.
constexpr Row kRefRows[] = {
    {"const.ref.zero", "", "null"},
    {"const.ref.zero", "buf:01", "null", "0r_r",
     "entry: const.ref.zero r0 return [r0]"},
    {"const.ref.rodata", "0", "buf:0001020304050607"},
    {"const.ref.rodata", "1", "buf:"},
    // Loading one constant twice returns the same object.
    {"const.ref.rodata", "", "1 0", "0v_ii",
     "entry: const.ref.rodata 0 r0 const.ref.rodata 0 r1 "
     "const.ref.rodata 1 r2 cmp.eq.ref r0 r1 i0 cmp.eq.ref r0 r2 i1 "
     "return [i0 i1]"},

    {"assign.ref", "buf:01", "buf:01 buf:01 1", "0r_rri",
     "entry: assign.ref r0 r1 cmp.eq.ref r0 r1 i0 return [r0 r1 i0]"},
    {"assign.ref", "buf:01", "null buf:01", "0r_rr",
     "entry: assign.ref r0! r1 return [r0 r1]"},
    {"assign.ref", "buf:01", "buf:01", "0r_r",
     "entry: assign.ref r0! r0 return [r0]"},
    {"assign.ref", "buf:01", "buf:01", "0r_r",
     "entry: assign.ref r0 r0 return [r0]"},
    {"assign.ref", "null", "null"},
    {"discard.refs", "buf:01 buf:02", "null buf:02", "0rr_rr",
     "entry: discard.refs [r0] return [r0 r1]"},
    {"discard.refs", "buf:01 list", "null null", "0rr_rr",
     "entry: discard.refs [r1! r0 r1] return [r0 r1]"},
    {"discard.refs", "buf:01", "buf:01", "0r_r",
     "entry: discard.refs [] return [r0]"},

    {"cast.any.ref", "buf:01 7", "buf:01"},
    {"cast.any.ref", "list:1 8", "list:1"},
    {"cast.any.ref", "buf:01 6", "buf:01"},
    {"cast.any.ref", "buf:01 10", "buf:01"},
    {"cast.any.ref", "null 9", "null"},
    {"cast.any.ref", "null 2", "null"},
    {"cast.any.ref", "buf:01", "null buf:01", "0r_rr",
     "entry: cast.any.ref r0! 7 r1 return [r0 r1]", Majors::kFrom16},
    {"cast.any.ref", "buf:01", "buf:01 buf:01", "0r_rr",
     "entry: cast.any.ref r0! 7 r1 return [r0 r1]", Majors::kOnly15},
    {"cast.any.ref", "buf:01", "buf:01", "0r_r",
     "entry: cast.any.ref r0! 7 r0 return [r0]"},
    {"cast.any.ref", "buf:01 8",
     "INVALID_ARGUMENT: A vm.buffer is not of type vm.list"},
    {"cast.any.ref", "list 7",
     "INVALID_ARGUMENT: A vm.list is not of type vm.buffer"},
    {"cast.any.ref", "list 9",
     "INVALID_ARGUMENT: A vm.list is not of type test.unknown"},
    {"cast.any.ref", "list 3",
     "INVALID_ARGUMENT: A vm.list is not of type i64"},

    {"select.ref", "1 7 buf:01 buf:02", "buf:01"},
    {"select.ref", "0 7 buf:01 buf:02", "buf:02"},
    {"select.ref", "-1 7 buf:01 buf:02", "buf:01"},
    {"select.ref", "0 10 buf:01 list:1", "list:1"},
    {"select.ref", "1 7 null list", "null"},
    // Only the selected ref must have the type.
    {"select.ref", "0 8 buf:01 list:1", "list:1"},
    {"select.ref", "1 8 buf:01 list",
     "INVALID_ARGUMENT: A vm.buffer is not of type vm.list"},
    {"select.ref", "0 9 null list",
     "INVALID_ARGUMENT: A vm.list is not of type test.unknown"},
    // A ref that is moved but not selected is released, too.
    {"select.ref", "1 buf:01 buf:02", "buf:01 null null", "0irr_rrr",
     "entry: select.ref i0 7 r0! r1! r2 return [r2 r0 r1]", Majors::kFrom16},
    {"select.ref", "1 buf:01 buf:02", "buf:01 buf:01 buf:02", "0irr_rrr",
     "entry: select.ref i0 7 r0! r1! r2 return [r2 r0 r1]", Majors::kOnly15},
    {"select.ref", "0 buf:01 buf:02", "buf:01 buf:02", "0irr_rr",
     "entry: select.ref i0 7 r0 r1! r1 return [r0 r1]"},
    {"select.ref", "1 buf:01 buf:02", "buf:01 buf:01", "0irr_rr",
     "entry: select.ref i0 7 r0 r1! r1 return [r0 r1]"},

    {"switch.ref", "0 7 buf:01 [buf:02 buf:03]", "buf:02"},
    {"switch.ref", "1 7 buf:01 [buf:02 buf:03]", "buf:03"},
    {"switch.ref", "2 7 buf:01 [buf:02 buf:03]", "buf:01"},
    {"switch.ref", "-1 7 buf:01 []", "buf:01"},
    {"switch.ref", "0 7 list [null]", "null"},
    {"switch.ref", "0 8 list [buf:01]",
     "INVALID_ARGUMENT: A vm.buffer is not of type vm.list"},
    {"switch.ref", "1 7 list [buf:01]",
     "INVALID_ARGUMENT: A vm.list is not of type vm.buffer"},
    // Move bits in the list apply in every major. Refs that are not selected
    // stay in their registers.
    {"switch.ref", "0 buf:01 buf:02", "buf:02 buf:01 null", "0irr_rrr",
     "entry: switch.ref i0 7 r0 [r1! r0!] r2 return [r2 r0 r1]"},
    {"switch.ref", "5 buf:01 buf:02", "buf:01 null buf:02", "0irr_rrr",
     "entry: switch.ref i0 7 r0! [r1!] r2 return [r2 r0 r1]", Majors::kFrom16},
    {"switch.ref", "5 buf:01 buf:02", "buf:01 buf:01 buf:02", "0irr_rrr",
     "entry: switch.ref i0 7 r0! [r1!] r2 return [r2 r0 r1]", Majors::kOnly15},

    // Compares identity, not contents.
    {"cmp.eq.ref", "null null", "1"},
    {"cmp.eq.ref", "buf:01 buf:01", "0"},
    {"cmp.eq.ref", "buf:01 null", "0"},
    {"cmp.eq.ref", "list", "1", "0r_i",
     "entry: cmp.eq.ref r0 r0 i0 return [i0]"},
    {"cmp.ne.ref", "null null", "0"},
    {"cmp.ne.ref", "buf:01 buf:01", "1"},
    {"cmp.ne.ref", "buf:01 null", "1"},
    {"cmp.ne.ref", "buf:01", "0", "0r_i",
     "entry: assign.ref r0 r1 cmp.ne.ref r0 r1 i0 return [i0]"},
    {"cmp.nz.ref", "null", "0"},
    {"cmp.nz.ref", "list", "1"},
    {"cmp.nz.ref", "buf:", "1"},
};

}  // namespace

std::span<const Row> RefRows() { return kRefRows; }

}  // namespace eyrie::tests
