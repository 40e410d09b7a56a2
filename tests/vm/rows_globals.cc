// Globals: 64 bytes, initially zero, and 4 refs, initially null.
#include "tests/vm/rows.h"

namespace eyrie::tests {
namespace {

// Types: 0 i8, 1 i16, 2 i32, 3 i64, 4 f32, 5 f64, 6 any, 7 vm.buffer, 8
// vm.list, 9 an unknown one, 10 any ref.
constexpr Row kGlobalRows[] = {
    {"global.load.i32", "60", "0"},
    {"global.load.i64", "56", "0"},
    {"global.load.f32", "60", "0"},
    {"global.load.f64", "56", "0"},
    {"global.store.i32", "60 -1", ""},
    {"global.store.i64", "56 -1", ""},
    {"global.store.f32", "60 nan", ""},
    {"global.store.f64", "56 nan", ""},
    {"global.load.indirect.i32", "60", "0"},
    {"global.load.indirect.i64", "56", "0"},
    {"global.load.indirect.f32", "60", "0"},
    {"global.load.indirect.f64", "56", "0"},

    // Loads return the stored bits.
    {"global.store.i32", "-5", "-5 0", "0i_ii",
     "entry: global.store.i32 8 i0 global.load.i32 8 i1 "
     "global.load.i32 12 i2 return [i1 i2]"},
    {"global.store.i64", "-5000000000", "-5000000000 0", "0I_Ii",
     "entry: global.store.i64 8 i0 global.load.i64 8 i2 "
     "global.load.i32 16 i4 return [i2 i4]"},
    {"global.store.f32", "0x7f812345", "0x7f812345 0", "0f_fi",
     "entry: global.store.f32 8 i0 global.load.f32 8 i1 "
     "global.load.i32 12 i2 return [i1 i2]"},
    {"global.store.f64", "0x7ff0123456789abc", "0x7ff0123456789abc 0", "0F_Fi",
     "entry: global.store.f64 8 i0 global.load.f64 8 i2 "
     "global.load.i32 16 i4 return [i2 i4]"},
    {"global.store.indirect.i32", "60 -5", "-5", "0ii_i",
     "entry: global.store.indirect.i32 i0 i1 "
     "global.load.indirect.i32 i0 i2 return [i2]"},
    {"global.store.indirect.i64", "56 -5000000000", "-5000000000", "0iI_I",
     "entry: global.store.indirect.i64 i0 i2 "
     "global.load.indirect.i64 i0 i4 return [i4]"},
    {"global.store.indirect.f32", "60 0xff812345", "0xff812345", "0if_f",
     "entry: global.store.indirect.f32 i0 i1 "
     "global.load.indirect.f32 i0 i2 return [i2]"},
    {"global.store.indirect.f64", "56 -0", "-0", "0iF_F",
     "entry: global.store.indirect.f64 i0 i2 "
     "global.load.indirect.f64 i0 i4 return [i4]"},
    // Bytes are in the machine's order, at any offset.
    {"global.load.i32", "0x0807060504030201", "84148994", "0I_i",
     "entry: global.store.i64 0 i0 global.load.i32 1 i2 return [i2]"},
    {"global.load.i64", "-1", "72057594037927680", "0i_I",
     "entry: global.store.i32 3 i0 global.load.i64 2 i2 "
     "const.i32 -1 i4 global.store.i32 5 i4 global.load.i64 2 i2 "
     "return [i2]"},
    {"global.load.f32", "1065353216", "1", "0i_f",
     "entry: global.store.i32 7 i0 global.load.f32 7 i1 return [i1]"},
    {"global.load.f64", "4607182418800017408", "1", "0I_F",
     "entry: global.store.i64 9 i0 global.load.f64 9 i2 return [i2]"},
    {"global.load.indirect.i32", "-1", "65535", "0i_i",
     "entry: global.store.i32 58 i0 const.i32 60 i1 "
     "global.load.indirect.i32 i1 i2 return [i2]"},

    // Offsets past the end.
    {"global.load.indirect.i32", "61",
     "OUT_OF_RANGE: A global of 4 bytes at offset 61 exceeds the module's "
     "globals (64 bytes)"},
    {"global.load.indirect.i32", "-1",
     "OUT_OF_RANGE: A global of 4 bytes at offset -1 exceeds the "
     "module's globals (64 bytes)"},
    {"global.load.indirect.i64", "57",
     "OUT_OF_RANGE: A global of 8 bytes at offset 57 exceeds the module's "
     "globals (64 bytes)"},
    {"global.load.indirect.f32", "64",
     "OUT_OF_RANGE: A global of 4 bytes at offset 64 exceeds the module's "
     "globals (64 bytes)"},
    {"global.load.indirect.f64", "-2147483648",
     "OUT_OF_RANGE: A global of 8 bytes at offset -2147483648 exceeds the "
     "module's globals (64 bytes)"},
    {"global.store.indirect.i32", "61 1",
     "OUT_OF_RANGE: A global of 4 bytes at offset 61 exceeds the module's "
     "globals (64 bytes)"},
    {"global.store.indirect.i64", "-4 1",
     "OUT_OF_RANGE: A global of 8 bytes at offset -4 exceeds the "
     "module's globals (64 bytes)"},
    {"global.store.indirect.f32", "65 1",
     "OUT_OF_RANGE: A global of 4 bytes at offset 65 exceeds the module's "
     "globals (64 bytes)"},
    {"global.store.indirect.f64", "57 1",
     "OUT_OF_RANGE: A global of 8 bytes at offset 57 exceeds the module's "
     "globals (64 bytes)"},

    // Refs. Null has every type.
    {"global.load.ref", "3 7", "null"},
    {"global.load.ref", "3 9", "null"},
    {"global.load.indirect.ref", "3 7", "null"},
    {"global.store.ref", "0 7 buf:01", "buf:01"},
    {"global.store.ref", "0 9 null", "null"},
    {"global.store.ref", "0 10 list:1", "list:1"},
    {"global.store.indirect.ref", "0 7 buf:01", "buf:01"},
    {"global.store.ref", "0 7 buf:01!", "null", nullptr, nullptr,
     Majors::kFrom16},
    {"global.store.ref", "0 7 buf:01!", "buf:01", nullptr, nullptr,
     Majors::kOnly15},
    {"global.store.indirect.ref", "0 7 buf:01!", "null", nullptr, nullptr,
     Majors::kFrom16},
    {"global.store.indirect.ref", "0 7 buf:01!", "buf:01", nullptr, nullptr,
     Majors::kOnly15},
    {"global.load.ref", "buf:01", "buf:01 buf:01 1", "0r_rri",
     "entry: global.store.ref 3 7 r0 global.load.ref 3 7 r1 "
     "cmp.eq.ref r0 r1 i0 return [r0 r1 i0]"},
    {"global.load.indirect.ref", "2 buf:05", "buf:05", "0ir_r",
     "entry: global.store.indirect.ref i0 7 r0 "
     "global.load.indirect.ref i0 7 r1 return [r1]"},
    // The move bit of the result clears the global.
    {"global.load.ref", "buf:01", "buf:01 null", "0r_rr",
     "entry: global.store.ref 0 7 r0 global.load.ref 0 7 r1! "
     "global.load.ref 0 7 r2 return [r1 r2]",
     Majors::kFrom16},
    {"global.load.ref", "buf:01", "buf:01 buf:01", "0r_rr",
     "entry: global.store.ref 0 7 r0 global.load.ref 0 7 r1! "
     "global.load.ref 0 7 r2 return [r1 r2]",
     Majors::kOnly15},
    {"global.load.indirect.ref", "buf:01", "buf:01 null", "0r_rr",
     "entry: global.store.ref 0 7 r0 global.load.indirect.ref i0 7 r1! "
     "global.load.ref 0 7 r2 return [r1 r2]",
     Majors::kFrom16},
    {"global.store.ref", "buf:01 list:2", "list:2", "0rr_r",
     "entry: global.store.ref 0 7 r0 global.store.ref 0 8 r1 "
     "global.load.ref 0 8 r2 return [r2]"},
    {"global.load.ref", "buf:01",
     "INVALID_ARGUMENT: A vm.buffer is not of type vm.list", "0r_r",
     "entry: global.store.ref 0 7 r0 global.load.ref 0 8 r1 return [r1]"},
    {"global.load.indirect.ref", "list",
     "INVALID_ARGUMENT: A vm.list is not of type vm.buffer", "0r_r",
     "entry: global.store.ref 0 8 r0 global.load.indirect.ref i0 7 r1 "
     "return [r1]"},
    {"global.load.indirect.ref", "4 7",
     "OUT_OF_RANGE: Global ref 4 exceeds the module's global refs (4)"},
    {"global.load.indirect.ref", "-1 7",
     "OUT_OF_RANGE: Global ref -1 exceeds the module's global refs "
     "(4)"},
    {"global.store.indirect.ref", "4 7 buf:01",
     "OUT_OF_RANGE: Global ref 4 exceeds the module's global refs (4)"},
    {"global.store.indirect.ref", "0 8 buf:01",
     "INVALID_ARGUMENT: A vm.buffer is not of type vm.list"},
    {"global.store.ref", "0 8 buf:01",
     "INVALID_ARGUMENT: A vm.buffer is not of type vm.list"},
    {"global.store.ref", "0 9 buf:01",
     "INVALID_ARGUMENT: A vm.buffer is not of type test.unknown"},
    {"global.store.ref", "0 2 buf:01",
     "INVALID_ARGUMENT: A vm.buffer is not of type i32"},
};

}  // namespace

std::span<const Row> GlobalRows() { return kGlobalRows; }

}  // namespace eyrie::tests
