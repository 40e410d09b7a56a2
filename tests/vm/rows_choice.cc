// Constants, and selection by an index.
#include "tests/vm/rows.h"

namespace eyrie::tests {
namespace {

constexpr Row kChoiceRows[] = {
    {"const.i32", "-5", "-5"},
    {"const.i32", "2147483647", "2147483647"},
    {"const.i32", "-2147483648", "-2147483648"},
    {"const.i64", "0x123456789A", "78187493530"},
    {"const.i64", "-1", "-1"},
    {"const.i64", "0x8000000000000000", "-9223372036854775808"},
    {"const.f32", "1.5", "1.5"},
    {"const.f32", "-0", "-0"},
    {"const.f32", "inf", "inf"},
    {"const.f32", "nan", "nan"},
    {"const.f32", "1e-45", "0x00000001"},
    {"const.f64", "-2.5", "-2.5"},
    {"const.f64", "-0", "-0"},
    {"const.f64", "-inf", "-inf"},
    {"const.f64", "nan", "nan"},
    {"const.f64", "0.1", "0x3fb999999999999a"},
    // A 64-bit constant writes its register pair and nothing else.
    {"const.i64", "", "1 -1 2", "0v_iIi",
     "entry: const.i32 1 i1 const.i32 2 i4 const.i64 -1 i2 return [i1 i2 i4]"},
    {"const.f64", "", "1 -2.5 2", "0v_iFi",
     "entry: const.i32 1 i1 const.i32 2 i4 const.f64 -2.5 i2 "
     "return [i1 i2 i4]"},
    {"const.i64.zero", "7", "0 0", "0I_ii",
     "entry: const.i64.zero i0 return [i0 i1]"},
    {"const.f64.zero", "7", "0 0", "0I_ii",
     "entry: const.f64.zero i0 return [i0 i1]"},
    {"const.i32.zero", "-1", "4294967295", "0I_I",
     "entry: const.i32.zero i1 return [i0]"},
    {"const.f32.zero", "-1", "4294967295", "0I_I",
     "entry: const.f32.zero i1 return [i0]"},

    // An index outside the list selects the default.
    {"switch.i32", "0 99 [10 20]", "10"},
    {"switch.i32", "1 99 [10 20]", "20"},
    {"switch.i32", "2 99 [10 20]", "99"},
    {"switch.i32", "-1 99 [10 20]", "99"},
    {"switch.i32", "-2147483648 99 [10 20]", "99"},
    {"switch.i32", "0 99 []", "99"},
    {"switch.i64", "0 99 [10 -5000000000]", "10"},
    {"switch.i64", "1 99 [10 -5000000000]", "-5000000000"},
    {"switch.i64", "2 5000000000 [10 20]", "5000000000"},
    {"switch.i64", "-1 5000000000 [10 20]", "5000000000"},
    {"switch.i64", "0 99 []", "99"},
    {"switch.f32", "0 1.5 [2.5 0x7f812345]", "2.5"},
    {"switch.f32", "1 1.5 [2.5 0x7f812345]", "0x7f812345"},
    {"switch.f32", "2 -0 [2.5]", "-0"},
    {"switch.f32", "-1 1.5 [2.5]", "1.5"},
    {"switch.f64", "0 1.5 [2.5 0x7ff0123456789abc]", "2.5"},
    {"switch.f64", "1 1.5 [2.5 0x7ff0123456789abc]", "0x7ff0123456789abc"},
    {"switch.f64", "2 -0 [2.5]", "-0"},
    {"switch.f64", "-1 1.5 []", "1.5"},
    // A register may occur several times, also as the result.
    {"switch.i32", "2 5", "5", "0ii_i",
     "entry: switch.i32 i0 i0 [i0 i0 i1] i1 return [i1]"},
    {"switch.i64", "1 7 8", "8", "0iII_I",
     "entry: switch.i64 i0 i2 [i2 i4] i4 return [i4]"},
    {"select.i64", "1 7 8", "7 8", "0iII_II",
     "entry: select.i64 i0 i2 i4 i2 return [i2 i4]"},
    {"select.i32", "0", "0", "0i_i",
     "entry: select.i32 i0 i1 i0 i0 return [i0]"},
};

}  // namespace

std::span<const Row> ChoiceRows() { return kChoiceRows; }

}  // namespace eyrie::tests
