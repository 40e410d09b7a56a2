// Instructions on f64: values, edges of rounding, signed zeros and NaNs.
#include "tests/vm/rows.h"

namespace eyrie::tests {
namespace {

constexpr Row kF64Rows[] = {
#define TYPE "f64"
#include "tests/vm/rows_float.def"
#undef TYPE

    {"add.f64", "0x7fefffffffffffff 0x7fefffffffffffff", "inf"},
    {"add.f64", "0x0000000000000001 0x0000000000000001", "9.88131e-324"},
    {"add.f64", "1 1.1102230246251565e-16", "1"},
    {"add.f64", "9007199254740992 1", "0x4340000000000000"},
    {"add.f64", "9007199254740992 3", "0x4340000000000002"},
    {"sub.f64", "-1 1.1102230246251565e-16", "-1"},
    {"sub.f64", "0x0000000000000001 0x0000000000000001", "0"},
    {"mul.f64", "0x7fefffffffffffff 2", "inf"},
    {"mul.f64", "0x0000000000000001 0.5", "0"},
    {"mul.f64", "0x0000000000000001 0.75", "4.94066e-324"},
    {"mul.f64", "0.1 3", "0x3fd3333333333334"},
    {"div.f64", "1 3", "0x3fd5555555555555"},
    {"div.f64", "0x0000000000000001 2", "0"},
    {"div.f64", "0x7fefffffffffffff 0.5", "inf"},

    {"rem.f64", "-1e-285 5e-324", "-0"},
    {"rem.f64", "0x7fefffffffffffff 3", "-1"},
    {"rem.f64", "3 0x7fefffffffffffff", "3"},
    {"rem.f64", "0x0000000000000001 2", "4.94066e-324"},
    {"rem.f64", "0.5 0.2", "0x3fb9999999999998"},

    {"fma.f64", "0x3ff0000000000001 0x3ff0000000000001 -1",
     "0x3cc0000000000000"},
    {"fma.f64", "0x3fefffffffffffff 0x3ff0000000000001 -1", "0"},
    {"fma.f64", "0x7fefffffffffffff 2 -1.7976931348623157e+308", "inf"},
    {"fma.f64", "0x0000000000000001 0.5 0x0000000000000001", "4.94066e-324"},

    {"abs.f64", "0x0000000000000001", "4.94066e-324"},
    {"neg.f64", "0x0000000000000001", "-4.94066e-324"},
    {"abs.f64", "0xfff8123456789abc", "0x7ff8123456789abc"},
    {"neg.f64", "0xfff8123456789abc", "0x7ff8123456789abc"},
    {"abs.f64", "0x7ff8123456789abc", "0x7ff8123456789abc"},
    {"neg.f64", "0x7ff8123456789abc", "0xfff8123456789abc"},
    {"abs.f64", "0x7ff0123456789abc", "0x7ff0123456789abc"},
    {"neg.f64", "0x7ff0123456789abc", "0xfff0123456789abc"},
    {"abs.f64", "0xfff0123456789abc", "0x7ff0123456789abc"},
    {"neg.f64", "0xfff0123456789abc", "0x7ff0123456789abc"},

    {"ceil.f64", "0x3fdfffffffffffff", "1"},
    {"ceil.f64", "0x0000000000000001", "1"},
    {"ceil.f64", "-5e-324", "-0"},
    {"ceil.f64", "4503599627370497", "0x4330000000000001"},
    {"ceil.f64", "4503599627370495.5", "0x4330000000000000"},
    {"ceil.f64", "0x7fefffffffffffff", "0x7fefffffffffffff"},
    {"floor.f64", "0x3fdfffffffffffff", "0"},
    {"floor.f64", "0x0000000000000001", "0"},
    {"floor.f64", "-5e-324", "-1"},
    {"floor.f64", "4503599627370497", "0x4330000000000001"},
    {"floor.f64", "4503599627370495.5", "0x432ffffffffffffe"},
    {"floor.f64", "0x7fefffffffffffff", "0x7fefffffffffffff"},
    {"round.f64", "0x3fdfffffffffffff", "0"},
    {"round.f64", "0x0000000000000001", "0"},
    {"round.f64", "-5e-324", "-0"},
    {"round.f64", "4503599627370497", "0x4330000000000001"},
    {"round.f64", "4503599627370495.5", "0x4330000000000000"},
    {"round.f64", "0x7fefffffffffffff", "0x7fefffffffffffff"},
    {"round.f64.even", "0x3fdfffffffffffff", "0"},
    {"round.f64.even", "0x0000000000000001", "0"},
    {"round.f64.even", "-5e-324", "-0"},
    {"round.f64.even", "4503599627370497", "0x4330000000000001"},
    {"round.f64.even", "4503599627370495.5", "0x4330000000000000"},
    {"round.f64.even", "0x7fefffffffffffff", "0x7fefffffffffffff"},

    {"min.f64", "0xfff8123456789abc 2", "0xfff8123456789abc"},
    {"min.f64", "0x7ff0123456789abc 2", "0x7ff0123456789abc"},
    {"min.f64", "0x0000000000000001 0", "0"},
    {"max.f64", "0xfff8123456789abc 2", "0xfff8123456789abc"},
    {"max.f64", "0x7ff0123456789abc 2", "0x7ff0123456789abc"},
    {"max.f64", "0x0000000000000001 0", "0x0000000000000001"},

    {"cmp.eq.f64.o", "0x0000000000000001 0", "0"},
    {"cmp.eq.f64.o", "0x7ff0123456789abc 0", "0"},
    {"cmp.eq.f64.u", "0x0000000000000001 0", "0"},
    {"cmp.eq.f64.u", "0x7ff0123456789abc 0", "1"},
    {"cmp.ne.f64.o", "0x0000000000000001 0", "1"},
    {"cmp.ne.f64.o", "0x7ff0123456789abc 0", "1"},
    {"cmp.ne.f64.u", "0x0000000000000001 0", "1"},
    {"cmp.ne.f64.u", "0x7ff0123456789abc 0", "1"},
    {"cmp.lt.f64.o", "0x0000000000000001 0", "0"},
    {"cmp.lt.f64.o", "0x7ff0123456789abc 0", "0"},
    {"cmp.lt.f64.u", "0x0000000000000001 0", "0"},
    {"cmp.lt.f64.u", "0x7ff0123456789abc 0", "1"},
    {"cmp.lte.f64.o", "0x0000000000000001 0", "0"},
    {"cmp.lte.f64.o", "0x7ff0123456789abc 0", "0"},
    {"cmp.lte.f64.u", "0x0000000000000001 0", "0"},
    {"cmp.lte.f64.u", "0x7ff0123456789abc 0", "1"},
    {"cmp.nan.f64", "0xfff8123456789abc", "1"},
    {"cmp.nan.f64", "0x7ff0123456789abc", "1"},
    {"cmp.nan.f64", "0xfff0123456789abc", "1"},
    {"cmp.nan.f64", "0x7fefffffffffffff", "0"},
    {"select.f64", "1 2 0x7ff0123456789abc", "2"},
    {"select.f64", "0 2 0x7ff0123456789abc", "0x7ff0123456789abc"},
    {"select.f64", "-1 2 0x7ff0123456789abc", "2"},
    {"select.f64", "-2147483648 2 0x7ff0123456789abc", "2"},
    {"select.f64", "1 0xfff8123456789abc 0", "0xfff8123456789abc"},
};

}  // namespace

std::span<const Row> F64Rows() { return kF64Rows; }

}  // namespace eyrie::tests
