// Instructions on f32: values, edges of rounding, signed zeros and NaNs.
#include "tests/vm/rows.h"

namespace eyrie::tests {
namespace {

constexpr Row kF32Rows[] = {
#define TYPE "f32"
#include "tests/vm/rows_float.def"
#undef TYPE

    {"add.f32", "0x7f7fffff 0x7f7fffff", "inf"},
    {"add.f32", "0x00000001 0x00000001", "2.8026e-45"},
    {"add.f32", "1 5.9604645e-08", "1"},
    {"add.f32", "16777216 1", "16777216"},
    {"add.f32", "16777216 3", "16777220"},
    {"sub.f32", "-1 5.9604645e-08", "-1"},
    {"sub.f32", "0x00000001 0x00000001", "0"},
    {"mul.f32", "0x7f7fffff 2", "inf"},
    {"mul.f32", "0x00000001 0.5", "0"},
    {"mul.f32", "0x00000001 0.75", "1.4013e-45"},
    {"mul.f32", "0.1 3", "0.3"},
    {"div.f32", "1 3", "0.333333343"},
    {"div.f32", "0x00000001 2", "0"},
    {"div.f32", "0x7f7fffff 0.5", "inf"},

    {"rem.f32", "0x7f7fffff 3", "0"},
    {"rem.f32", "3 0x7f7fffff", "3"},
    {"rem.f32", "0x00000001 2", "1.4013e-45"},
    {"rem.f32", "0.5 0.2", "0.099999994"},

    {"fma.f32", "0x3f800001 0x3f800001 -1", "0x34800000"},
    {"fma.f32", "0x3f7fffff 0x3f800001 -1", "0"},
    {"fma.f32", "0x7f7fffff 2 -3.40282347e38", "inf"},
    {"fma.f32", "0x00000001 0.5 0x00000001", "1.4013e-45"},

    {"abs.f32", "0x00000001", "1.4013e-45"},
    {"neg.f32", "0x00000001", "-1.4013e-45"},
    {"abs.f32", "0xffc12345", "0x7fc12345"},
    {"neg.f32", "0xffc12345", "0x7fc12345"},
    {"abs.f32", "0x7fc12345", "0x7fc12345"},
    {"neg.f32", "0x7fc12345", "0xffc12345"},
    {"abs.f32", "0x7f812345", "0x7f812345"},
    {"neg.f32", "0x7f812345", "0xff812345"},
    {"abs.f32", "0xff812345", "0x7f812345"},
    {"neg.f32", "0xff812345", "0x7f812345"},

    {"ceil.f32", "0x3effffff", "1"},
    {"ceil.f32", "0x00000001", "1"},
    {"ceil.f32", "-1e-45", "-0"},
    {"ceil.f32", "8388609", "8388609"},
    {"ceil.f32", "4194304.5", "4194305"},
    {"ceil.f32", "0x7f7fffff", "0x7f7fffff"},
    {"floor.f32", "0x3effffff", "0"},
    {"floor.f32", "0x00000001", "0"},
    {"floor.f32", "-1e-45", "-1"},
    {"floor.f32", "8388609", "8388609"},
    {"floor.f32", "4194304.5", "4194304"},
    {"floor.f32", "0x7f7fffff", "0x7f7fffff"},
    {"round.f32", "0x3effffff", "0"},
    {"round.f32", "0x00000001", "0"},
    {"round.f32", "-1e-45", "-0"},
    {"round.f32", "8388609", "8388609"},
    {"round.f32", "4194304.5", "4194305"},
    {"round.f32", "0x7f7fffff", "0x7f7fffff"},
    {"round.f32.even", "0x3effffff", "0"},
    {"round.f32.even", "0x00000001", "0"},
    {"round.f32.even", "-1e-45", "-0"},
    {"round.f32.even", "8388609", "8388609"},
    {"round.f32.even", "4194304.5", "4194304"},
    {"round.f32.even", "0x7f7fffff", "0x7f7fffff"},

    {"min.f32", "0xffc12345 2", "0xffc12345"},
    {"min.f32", "0x7f812345 2", "0x7f812345"},
    {"min.f32", "0x00000001 0", "0"},
    {"max.f32", "0xffc12345 2", "0xffc12345"},
    {"max.f32", "0x7f812345 2", "0x7f812345"},
    {"max.f32", "0x00000001 0", "0x00000001"},

    {"cmp.eq.f32.o", "0x00000001 0", "0"},
    {"cmp.eq.f32.o", "0x7f812345 0", "0"},
    {"cmp.eq.f32.u", "0x00000001 0", "0"},
    {"cmp.eq.f32.u", "0x7f812345 0", "1"},
    {"cmp.ne.f32.o", "0x00000001 0", "1"},
    {"cmp.ne.f32.o", "0x7f812345 0", "1"},
    {"cmp.ne.f32.u", "0x00000001 0", "1"},
    {"cmp.ne.f32.u", "0x7f812345 0", "1"},
    {"cmp.lt.f32.o", "0x00000001 0", "0"},
    {"cmp.lt.f32.o", "0x7f812345 0", "0"},
    {"cmp.lt.f32.u", "0x00000001 0", "0"},
    {"cmp.lt.f32.u", "0x7f812345 0", "1"},
    {"cmp.lte.f32.o", "0x00000001 0", "0"},
    {"cmp.lte.f32.o", "0x7f812345 0", "0"},
    {"cmp.lte.f32.u", "0x00000001 0", "0"},
    {"cmp.lte.f32.u", "0x7f812345 0", "1"},
    {"cmp.nan.f32", "0xffc12345", "1"},
    {"cmp.nan.f32", "0x7f812345", "1"},
    {"cmp.nan.f32", "0xff812345", "1"},
    {"cmp.nan.f32", "0x7f7fffff", "0"},
    {"select.f32", "1 2 0x7f812345", "2"},
    {"select.f32", "0 2 0x7f812345", "0x7f812345"},
    {"select.f32", "-1 2 0x7f812345", "2"},
    {"select.f32", "-2147483648 2 0x7f812345", "2"},
    {"select.f32", "1 0xffc12345 0", "0xffc12345"},
};

}  // namespace

std::span<const Row> F32Rows() { return kF32Rows; }

}  // namespace eyrie::tests
