// Lists. Elements convert between widths. Sizes and indices are unsigned.
#include "tests/vm/rows.h"

namespace eyrie::tests {
namespace {

// Creates a list of a type in r0, with one element.
#define LIST_OF(type) \
  "entry: const.i32 1 i20 list.alloc " type " i20 r0 list.resize r0 i20 "

// Types as in rows_globals.cc.
constexpr Row kListRows[] = {
    {"list.alloc", "2 4", "list:"},
    {"list.alloc", "2 0", "list:"},
    {"list.alloc", "8 1", "list:"},
    {"list.alloc", "6 -1",
     "RESOURCE_EXHAUSTED: A list of -1 elements exceeds the limit (268435456) "
     "or the available memory"},
    {"list.alloc", "0 268435457",
     "RESOURCE_EXHAUSTED: A list of 268435457 elements exceeds the limit "
     "(268435456) or the available memory"},
    {"list.reserve", "list:1,2 100", "list:1,2"},
    {"list.reserve", "list:1,2 0", "list:1,2"},
    {"list.reserve", "list -1",
     "RESOURCE_EXHAUSTED: A list of -1 elements exceeds the limit (268435456) "
     "or the available memory"},
    {"list.reserve", "null 1", kNullList},
    {"list.reserve", "buf:01 1", kNoList},
    {"list.size", "list:1,2,3", "3"},
    {"list.size", "list", "0"},
    {"list.size", "null", kNullList},
    {"list.size", "buf:01", kNoList},
    {"list.resize", "list:1,2,3 1", "list:1"},
    {"list.resize", "list:1 3", "list:1,0,0"},
    {"list.resize", "list:1 0", "list:"},
    {"list.resize", "list:1 -1",
     "RESOURCE_EXHAUSTED: A list of -1 elements exceeds the limit (268435456) "
     "or the available memory"},
    {"list.resize", "null 1", kNullList},
    {"list.resize", "buf:01 1", kNoList},
    // Elements that were cut off are not restored.
    {"list.resize", "list:1,2,3 1 3", "list:1,0,0", "0rii_r",
     "entry: list.resize r0 i0 list.resize r0 i1 return [r0]"},

    {"list.get.i32", "list:7,8 1", "8"},
    {"list.get.i32", "list:7,8 2",
     "OUT_OF_RANGE: List index 2 exceeds the list's size (2)"},
    {"list.get.i32", "list:7,8 -1",
     "OUT_OF_RANGE: List index -1 exceeds the list's size (2)"},
    {"list.get.i32", "null 0", kNullList},
    {"list.get.i32", "buf:01 0", kNoList},
    {"list.get.i64", "list:-7 0", "-7"},
    {"list.get.i64", "list 0",
     "OUT_OF_RANGE: List index 0 exceeds the list's size (0)"},
    {"list.get.i64", "null 0", kNullList},
    {"list.get.i64", "buf:01 0", kNoList},
    // Conversions between integers and floats give 0.
    {"list.get.f32", "list:7 0", "0"},
    {"list.get.f32", "list 0",
     "OUT_OF_RANGE: List index 0 exceeds the list's size (0)"},
    {"list.get.f32", "null 0", kNullList},
    {"list.get.f32", "buf:01 0", kNoList},
    {"list.get.f64", "list:7 0", "0"},
    {"list.get.f64", "list 0",
     "OUT_OF_RANGE: List index 0 exceeds the list's size (0)"},
    {"list.get.f64", "null 0", kNullList},
    {"list.get.f64", "buf:01 0", kNoList},
    {"list.set.i32", "list:1,2 1 -5", "list:1,-5"},
    {"list.set.i32", "list:1,2 2 -5",
     "OUT_OF_RANGE: List index 2 exceeds the list's size (2)"},
    {"list.set.i32", "null 0 1", kNullList},
    {"list.set.i32", "buf:01 0 1", kNoList},
    {"list.set.i64", "list:1,2 0 4294967299", "list:3,2"},
    {"list.set.i64", "list 0 1",
     "OUT_OF_RANGE: List index 0 exceeds the list's size (0)"},
    {"list.set.i64", "null 0 1", kNullList},
    {"list.set.i64", "buf:01 0 1", kNoList},
    {"list.set.f32", "list:1,2 0 1.5", "list:0,2"},
    {"list.set.f32", "list 0 1",
     "OUT_OF_RANGE: List index 0 exceeds the list's size (0)"},
    {"list.set.f32", "null 0 1", kNullList},
    {"list.set.f32", "buf:01 0 1", kNoList},
    {"list.set.f64", "list:1,2 1 1.5", "list:1,0"},
    {"list.set.f64", "list -1 1",
     "OUT_OF_RANGE: List index -1 exceeds the list's size (0)"},
    {"list.set.f64", "null 0 1", kNullList},
    {"list.set.f64", "buf:01 0 1", kNoList},

    // Elements of other types: narrow integers wrap and are sign-extended.
    {"list.set.i32", "511", "-1 -1", "0i_iI",
     LIST_OF("0") "list.set.i32 r0 i2 i0 list.get.i32 r0 i2 i3 "
                  "list.get.i64 r0 i2 i4 return [i3 i4]"},
    {"list.set.i64", "98304", "-32768 -32768", "0I_iI",
     LIST_OF("1") "list.set.i64 r0 i2 i0 list.get.i32 r0 i2 i3 "
                  "list.get.i64 r0 i2 i4 return [i3 i4]"},
    {"list.set.i32", "-5", "-5 -5", "0i_iI",
     LIST_OF("3") "list.set.i32 r0 i2 i0 list.get.i32 r0 i2 i3 "
                  "list.get.i64 r0 i2 i4 return [i3 i4]"},
    {"list.get.i32", "4294967299", "3 4294967299", "0I_iI",
     LIST_OF("3") "list.set.i64 r0 i2 i0 list.get.i32 r0 i2 i3 "
                  "list.get.i64 r0 i2 i4 return [i3 i4]"},
    {"list.set.f32", "0.1", "0.1 0x3fb99999a0000000 0", "0f_fFi",
     LIST_OF(
         "4") "list.set.f32 r0 i2 i0 list.get.f32 r0 i2 i3 "
              "list.get.f64 r0 i2 i4 list.get.i32 r0 i2 i6 return [i3 i4 i6]"},
    {"list.set.f64", "0.1", "0x3dcccccd 0x3fb999999999999a 0", "0F_fFI",
     LIST_OF(
         "5") "list.set.f64 r0 i2 i0 list.get.f32 r0 i2 i3 "
              "list.get.f64 r0 i2 i4 list.get.i64 r0 i2 i6 return [i3 i4 i6]"},
    {"list.set.f64", "1e300", "inf", "0F_f",
     LIST_OF("4") "list.set.f64 r0 i2 i0 list.get.f32 r0 i2 i3 return [i3]"},
    {"list.set.f32", "0x7f812345", "0x7f812345", "0f_f",
     LIST_OF("4") "list.set.f32 r0 i2 i0 list.get.f32 r0 i2 i3 return [i3]"},
    {"list.set.i32", "9", "0", "0i_F",
     LIST_OF("5") "list.set.i32 r0 i2 i0 list.get.f64 r0 i2 i4 return [i4]"},
    // A variant keeps the type of its last write.
    {"list.set.i64", "5000000000", "705032704 5000000000 0 0", "0I_iIfF",
     LIST_OF("6") "list.set.i64 r0 i2 i0 list.get.i32 r0 i2 i3 "
                  "list.get.i64 r0 i2 i4 list.get.f32 r0 i2 i6 list.get.f64 r0 "
                  "i2 i8 "
                  "return [i3 i4 i6 i8]"},
    {"list.get.f32", "2.5", "2.5 2.5 0", "0F_fFi",
     LIST_OF(
         "6") "list.set.f64 r0 i2 i0 list.get.f32 r0 i2 i3 "
              "list.get.f64 r0 i2 i4 list.get.i32 r0 i2 i6 return [i3 i4 i6]"},
    {"list.get.f64", "",
     "FAILED_PRECONDITION: Element 0 of a list of any is "
     "not a number",
     "0v_v", LIST_OF("6") "list.get.f64 r0 i1 i2 return []"},
    {"list.get.i32", "buf:01",
     "FAILED_PRECONDITION: Element 0 of a list of "
     "any is not a number",
     "0r_v",
     "entry: assign.ref r0 r1 const.i32 1 i20 list.alloc 6 i20 r0 "
     "list.resize r0 i20 list.set.ref r0 i0 r1 list.get.i32 r0 i0 i2 "
     "return []"},
    {"list.set.i32", "",
     "FAILED_PRECONDITION: A list of vm.buffer refs "
     "cannot hold a number",
     "0v_v", LIST_OF("7") "list.set.i32 r0 i1 i20 return []"},
    {"list.set.f64", "",
     "FAILED_PRECONDITION: A list of any refs cannot hold "
     "a number",
     "0v_v", LIST_OF("10") "list.set.f64 r0 i1 i2 return []"},
    {"list.set.i32", "5 buf:01", "list:5", "0ir_r",
     "entry: assign.ref r0 r1 const.i32 1 i20 list.alloc 6 i20 r0 "
     "list.resize r0 i20 list.set.ref r0 i2 r1 list.set.i32 r0 i2 i0 "
     "return [r0]"},

    // Refs. A stored ref must have the list's type. A load returns null if the
    // ref does not have the requested type.
    {"list.set.ref", "buf:01", "list:buf:01 buf:01", "0r_rr",
     "entry: const.i32 1 i20 list.alloc 7 i20 r1 list.resize r1 i20 "
     "list.set.ref r1 i1 r0 return [r1 r0]"},
    {"list.set.ref", "buf:01", "list:buf:01 null", "0r_rr",
     "entry: const.i32 1 i20 list.alloc 7 i20 r1 list.resize r1 i20 "
     "list.set.ref r1 i1 r0! return [r1 r0]",
     Majors::kFrom16},
    {"list.set.ref", "buf:01", "list:buf:01 buf:01", "0r_rr",
     "entry: const.i32 1 i20 list.alloc 7 i20 r1 list.resize r1 i20 "
     "list.set.ref r1 i1 r0! return [r1 r0]",
     Majors::kOnly15},
    {"list.set.ref", "list:1", "list:list:1", "0r_r",
     "entry: const.i32 1 i20 list.alloc 10 i20 r1 list.resize r1 i20 "
     "list.set.ref r1 i1 r0 return [r1]"},
    {"list.set.ref", "list",
     "INVALID_ARGUMENT: A vm.list cannot be an element of a list of "
     "vm.buffer",
     "0r_v",
     "entry: const.i32 1 i20 list.alloc 7 i20 r1 list.resize r1 i20 "
     "list.set.ref r1 i1 r0 return []"},
    {"list.set.ref", "list:1 0 buf:01",
     "FAILED_PRECONDITION: A list of i32 cannot hold a ref"},
    {"list.set.ref", "list:1 1 buf:01",
     "OUT_OF_RANGE: List index 1 exceeds the list's size (1)"},
    {"list.set.ref", "null 0 buf:01", kNullList},
    {"list.set.ref", "buf:01 0 buf:01", kNoList},
    {"list.get.ref", "buf:01", "buf:01 null buf:01", "0r_rrr",
     "entry: const.i32 1 i20 list.alloc 7 i20 r2 list.resize r2 i20 "
     "list.set.ref r2 i1 r0 list.get.ref r2 i1 7 r3 "
     "list.get.ref r2 i1 8 r4 list.get.ref r2 i1 10 r5 return [r3 r4 r5]"},
    // The move bit of the result removes the ref, whatever its type.
    {"list.get.ref", "buf:01", "buf:01 list:null", "0r_rr",
     "entry: const.i32 1 i20 list.alloc 7 i20 r2 list.resize r2 i20 "
     "list.set.ref r2 i1 r0 list.get.ref r2 i1 7 r3! return [r3 r2]",
     Majors::kFrom16},
    {"list.get.ref", "buf:01", "null list:null", "0r_rr",
     "entry: const.i32 1 i20 list.alloc 6 i20 r2 list.resize r2 i20 "
     "list.set.ref r2 i1 r0 list.get.ref r2 i1 8 r3! return [r3 r2]",
     Majors::kFrom16},
    {"list.get.ref", "buf:01", "buf:01 list:buf:01", "0r_rr",
     "entry: const.i32 1 i20 list.alloc 7 i20 r2 list.resize r2 i20 "
     "list.set.ref r2 i1 r0 list.get.ref r2 i1 7 r3! return [r3 r2]",
     Majors::kOnly15},
    // The result may replace the register that holds the list.
    {"list.get.ref", "buf:01", "buf:01", "0r_r",
     "entry: const.i32 1 i20 list.alloc 7 i20 r2 list.resize r2 i20 "
     "list.set.ref r2 i1 r0 list.get.ref r2 i1 7 r2 return [r2]"},
    {"list.get.ref", "", "null", "0v_r",
     LIST_OF("6") "list.get.ref r0 i2 7 r1 return [r1]"},
    {"list.get.ref", "list:1 0 7",
     "FAILED_PRECONDITION: Element 0 of a list of i32 is a number, not a ref"},
    {"list.get.ref", "list:1 1 7",
     "OUT_OF_RANGE: List index 1 exceeds the list's size (1)"},
    {"list.get.ref", "null 0 7", kNullList},
    {"list.get.ref", "buf:01 0 7", kNoList},
};

}  // namespace

std::span<const Row> ListRows() { return kListRows; }

}  // namespace eyrie::tests
