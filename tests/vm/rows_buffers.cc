// Buffers: loads, stores and fills of every width, and operations on bytes.
#include "tests/vm/rows.h"

namespace eyrie::tests {
namespace {

constexpr Row kBufferRows[] = {
    // Loads. Indices count elements.
    {"buffer.load.i8.u", "buf:00ff80 1", "255"},
    {"buffer.load.i8.u", "ro:007f 1", "127"},
    {"buffer.load.i8.u", "buf:000000 3",
     "OUT_OF_RANGE: The range of 1 elements of 1 bytes at index 3 exceeds the "
     "buffer's size (3 bytes)"},
    {"buffer.load.i8.u", "buf:0000000000000000 -1",
     "OUT_OF_RANGE: The range of 1 elements of 1 bytes at index "
     "-1 exceeds the buffer's size (8 bytes)"},
    {"buffer.load.i8.u", "null 0", kNullBuffer},
    {"buffer.load.i8.u", "list 0", kNoBuffer},
    {"buffer.load.i8.s", "buf:00ff80 2", "-128"},
    {"buffer.load.i8.s", "buf:007f 1", "127"},
    {"buffer.load.i8.s", "buf:000000 3",
     "OUT_OF_RANGE: The range of 1 elements of 1 bytes at index 3 exceeds the "
     "buffer's size (3 bytes)"},
    {"buffer.load.i8.s", "buf:0000000000000000 -1",
     "OUT_OF_RANGE: The range of 1 elements of 1 bytes at index "
     "-1 exceeds the buffer's size (8 bytes)"},
    {"buffer.load.i8.s", "null 0", kNullBuffer},
    {"buffer.load.i8.s", "list 0", kNoBuffer},
    {"buffer.load.i16.u", "buf:0000feff 1", "65534"},
    {"buffer.load.i16.u", "ro:feff00 0", "65534"},
    {"buffer.load.i16.u", "buf:00000000000000 3",
     "OUT_OF_RANGE: The range of 1 elements of 2 bytes at index 3 exceeds the "
     "buffer's size (7 bytes)"},
    {"buffer.load.i16.u", "buf:0000000000000000 -1",
     "OUT_OF_RANGE: The range of 1 elements of 2 bytes at index "
     "-1 exceeds the buffer's size (8 bytes)"},
    {"buffer.load.i16.u", "null 0", kNullBuffer},
    {"buffer.load.i16.u", "list 0", kNoBuffer},
    {"buffer.load.i16.s", "buf:0000feff 1", "-2"},
    {"buffer.load.i16.s", "buf:ff7f 0", "32767"},
    {"buffer.load.i16.s", "buf:00000000000000 3",
     "OUT_OF_RANGE: The range of 1 elements of 2 bytes at index 3 exceeds the "
     "buffer's size (7 bytes)"},
    {"buffer.load.i16.s", "buf:0000000000000000 -1",
     "OUT_OF_RANGE: The range of 1 elements of 2 bytes at index "
     "-1 exceeds the buffer's size (8 bytes)"},
    {"buffer.load.i16.s", "null 0", kNullBuffer},
    {"buffer.load.i16.s", "list 0", kNoBuffer},
    {"buffer.load.i32", "buf:0000000001020304 1", "67305985"},
    {"buffer.load.i32", "buf:ffffffff 0", "-1"},
    {"buffer.load.i32", "buf:000000000000000000000000000000 3",
     "OUT_OF_RANGE: The range of 1 elements of 4 bytes at index 3 exceeds the "
     "buffer's size (15 bytes)"},
    {"buffer.load.i32", "buf:0000000000000000 -1",
     "OUT_OF_RANGE: The range of 1 elements of 4 bytes at index "
     "-1 exceeds the buffer's size (8 bytes)"},
    {"buffer.load.i32", "null 0", kNullBuffer},
    {"buffer.load.i32", "list 0", kNoBuffer},
    {"buffer.load.i64", "buf:0102030405060708 0", "578437695752307201"},
    {"buffer.load.i64", "buf:0000000000000000feffffffffffffff 1", "-2"},
    {"buffer.load.i64",
     "buf:00000000000000000000000000000000000000000000000000000000000000 3",
     "OUT_OF_RANGE: The range of 1 elements of 8 bytes at index 3 exceeds the "
     "buffer's size (31 bytes)"},
    {"buffer.load.i64", "buf:0000000000000000 -1",
     "OUT_OF_RANGE: The range of 1 elements of 8 bytes at index -1 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.load.i64", "null 0", kNullBuffer},
    {"buffer.load.i64", "list 0", kNoBuffer},
    {"buffer.load.f32", "buf:0000803f 0", "1"},
    {"buffer.load.f32", "buf:000000004523817f 1", "0x7f812345"},
    {"buffer.load.f32", "buf:000000000000000000000000000000 3",
     "OUT_OF_RANGE: The range of 1 elements of 4 bytes at index 3 exceeds the "
     "buffer's size (15 bytes)"},
    {"buffer.load.f32", "buf:0000000000000000 -1",
     "OUT_OF_RANGE: The range of 1 elements of 4 bytes at index "
     "-1 exceeds the buffer's size (8 bytes)"},
    {"buffer.load.f32", "null 0", kNullBuffer},
    {"buffer.load.f32", "list 0", kNoBuffer},
    {"buffer.load.f64", "buf:000000000000f03f 0", "1"},
    {"buffer.load.f64", "buf:bc9a78563412f07f 0", "0x7ff0123456789abc"},
    {"buffer.load.f64",
     "buf:00000000000000000000000000000000000000000000000000000000000000 3",
     "OUT_OF_RANGE: The range of 1 elements of 8 bytes at index 3 exceeds the "
     "buffer's size (31 bytes)"},
    {"buffer.load.f64", "buf:0000000000000000 -1",
     "OUT_OF_RANGE: The range of 1 elements of 8 bytes at index -1 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.load.f64", "null 0", kNullBuffer},
    {"buffer.load.f64", "list 0", kNoBuffer},

    // Stores write the low bits.
    {"buffer.store.i8", "buf:0000000000000000 1 511", "buf:00ff000000000000"},
    {"buffer.store.i8", "buf:0000000000000000 7 -128", "buf:0000000000000080"},
    {"buffer.store.i8", "buf:0000000000000000 8 1",
     "OUT_OF_RANGE: The range of 1 elements of 1 bytes at index 8 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.store.i8", "ro:0000000000000000 0 1", kReadOnly},
    {"buffer.store.i8", "ro:0000000000000000 9 1", kReadOnly},
    {"buffer.store.i8", "null 0 1", kNullBuffer},
    {"buffer.store.i8", "list 0 1", kNoBuffer},
    {"buffer.store.i16", "buf:0000000000000000 1 65539",
     "buf:0000030000000000"},
    {"buffer.store.i16", "buf:0000000000000000 3 -2", "buf:000000000000feff"},
    {"buffer.store.i16", "buf:0000000000000000 4 1",
     "OUT_OF_RANGE: The range of 1 elements of 2 bytes at index 4 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.store.i16", "ro:0000000000000000 0 1", kReadOnly},
    {"buffer.store.i16", "ro:0000000000000000 9 1", kReadOnly},
    {"buffer.store.i16", "null 0 1", kNullBuffer},
    {"buffer.store.i16", "list 0 1", kNoBuffer},
    {"buffer.store.i32", "buf:0000000000000000 1 67305985",
     "buf:0000000001020304"},
    {"buffer.store.i32", "buf:0000000000000000 0 -1", "buf:ffffffff00000000"},
    {"buffer.store.i32", "buf:0000000000000000 2 1",
     "OUT_OF_RANGE: The range of 1 elements of 4 bytes at index 2 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.store.i32", "ro:0000000000000000 0 1", kReadOnly},
    {"buffer.store.i32", "ro:0000000000000000 9 1", kReadOnly},
    {"buffer.store.i32", "null 0 1", kNullBuffer},
    {"buffer.store.i32", "list 0 1", kNoBuffer},
    {"buffer.store.i64", "buf:0000000000000000 0 -2", "buf:feffffffffffffff"},
    {"buffer.store.i64", "buf:0000000000000000 1 1",
     "OUT_OF_RANGE: The range of 1 elements of 8 bytes at index 1 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.store.i64", "ro:0000000000000000 0 1", kReadOnly},
    {"buffer.store.i64", "ro:0000000000000000 9 1", kReadOnly},
    {"buffer.store.i64", "null 0 1", kNullBuffer},
    {"buffer.store.i64", "list 0 1", kNoBuffer},
    {"buffer.store.f32", "buf:0000000000000000 1 1", "buf:000000000000803f"},
    {"buffer.store.f32", "buf:0000000000000000 0 0x7f812345",
     "buf:4523817f00000000"},
    {"buffer.store.f32", "buf:0000000000000000 2 1",
     "OUT_OF_RANGE: The range of 1 elements of 4 bytes at index 2 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.store.f32", "ro:0000000000000000 0 1", kReadOnly},
    {"buffer.store.f32", "ro:0000000000000000 9 1", kReadOnly},
    {"buffer.store.f32", "null 0 1", kNullBuffer},
    {"buffer.store.f32", "list 0 1", kNoBuffer},
    {"buffer.store.f64", "buf:0000000000000000 0 1", "buf:000000000000f03f"},
    {"buffer.store.f64", "buf:0000000000000000 0 0xfff0123456789abc",
     "buf:bc9a78563412f0ff"},
    {"buffer.store.f64", "buf:0000000000000000 1 1",
     "OUT_OF_RANGE: The range of 1 elements of 8 bytes at index 1 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.store.f64", "ro:0000000000000000 0 1", kReadOnly},
    {"buffer.store.f64", "ro:0000000000000000 9 1", kReadOnly},
    {"buffer.store.f64", "null 0 1", kNullBuffer},
    {"buffer.store.f64", "list 0 1", kNoBuffer},

    // Fills. Index and length count elements.
    {"buffer.fill.i8", "buf:0000000000000000 1 2 263", "buf:0007070000000000"},
    {"buffer.fill.i8", "buf:0000000000000000 0 8 -1", "buf:ffffffffffffffff"},
    {"buffer.fill.i8", "buf:0000000000000000 8 0 1", "buf:0000000000000000"},
    {"buffer.fill.i8", "buf:0000000000000000 0 9 1",
     "OUT_OF_RANGE: The range of 9 elements of 1 bytes at index 0 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.fill.i8", "buf:0000000000000000 1 9223372036854775807 1",
     "OUT_OF_RANGE: The range of 9223372036854775807 elements of 1 bytes at "
     "index 1 exceeds the buffer's size (8 bytes)"},
    {"buffer.fill.i8", "ro:0000000000000000 0 1 1", kReadOnly},
    {"buffer.fill.i8", "null 0 1 1", kNullBuffer},
    {"buffer.fill.i8", "list 0 1 1", kNoBuffer},
    {"buffer.fill.i16", "buf:0000000000000000 1 2 65539",
     "buf:0000030003000000"},
    {"buffer.fill.i16", "buf:0000000000000000 4 0 1", "buf:0000000000000000"},
    {"buffer.fill.i16", "buf:0000000000000000 0 5 1",
     "OUT_OF_RANGE: The range of 5 elements of 2 bytes at index 0 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.fill.i16", "buf:0000000000000000 1 9223372036854775807 1",
     "OUT_OF_RANGE: The range of 9223372036854775807 elements of 2 bytes at "
     "index 1 exceeds the buffer's size (8 bytes)"},
    {"buffer.fill.i16", "ro:0000000000000000 0 1 1", kReadOnly},
    {"buffer.fill.i16", "null 0 1 1", kNullBuffer},
    {"buffer.fill.i16", "list 0 1 1", kNoBuffer},
    {"buffer.fill.i32", "buf:0000000000000000 0 2 7", "buf:0700000007000000"},
    {"buffer.fill.i32", "buf:0000000000000000 1 1 -2", "buf:00000000feffffff"},
    {"buffer.fill.i32", "buf:0000000000000000 2 0 1", "buf:0000000000000000"},
    {"buffer.fill.i32", "buf:0000000000000000 0 3 1",
     "OUT_OF_RANGE: The range of 3 elements of 4 bytes at index 0 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.fill.i32", "buf:0000000000000000 1 9223372036854775807 1",
     "OUT_OF_RANGE: The range of 9223372036854775807 elements of 4 bytes at "
     "index 1 exceeds the buffer's size (8 bytes)"},
    {"buffer.fill.i32", "ro:0000000000000000 0 1 1", kReadOnly},
    {"buffer.fill.i32", "null 0 1 1", kNullBuffer},
    {"buffer.fill.i32", "list 0 1 1", kNoBuffer},
    {"buffer.fill.i64", "buf:0000000000000000 0 1 -2", "buf:feffffffffffffff"},
    {"buffer.fill.i64", "buf:0000000000000000 1 0 1", "buf:0000000000000000"},
    {"buffer.fill.i64", "buf:0000000000000000 0 2 1",
     "OUT_OF_RANGE: The range of 2 elements of 8 bytes at index 0 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.fill.i64", "buf:0000000000000000 1 9223372036854775807 1",
     "OUT_OF_RANGE: The range of 9223372036854775807 elements of 8 bytes at "
     "index 1 exceeds the buffer's size (8 bytes)"},
    {"buffer.fill.i64", "ro:0000000000000000 0 1 1", kReadOnly},
    {"buffer.fill.i64", "null 0 1 1", kNullBuffer},
    {"buffer.fill.i64", "list 0 1 1", kNoBuffer},
    {"buffer.fill.f32", "buf:0000000000000000 0 2 1", "buf:0000803f0000803f"},
    {"buffer.fill.f32", "buf:0000000000000000 1 1 0x7f812345",
     "buf:000000004523817f"},
    {"buffer.fill.f32", "buf:0000000000000000 2 0 1", "buf:0000000000000000"},
    {"buffer.fill.f32", "buf:0000000000000000 0 3 1",
     "OUT_OF_RANGE: The range of 3 elements of 4 bytes at index 0 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.fill.f32", "buf:0000000000000000 1 9223372036854775807 1",
     "OUT_OF_RANGE: The range of 9223372036854775807 elements of 4 bytes at "
     "index 1 exceeds the buffer's size (8 bytes)"},
    {"buffer.fill.f32", "ro:0000000000000000 0 1 1", kReadOnly},
    {"buffer.fill.f32", "null 0 1 1", kNullBuffer},
    {"buffer.fill.f32", "list 0 1 1", kNoBuffer},
    {"buffer.fill.f64", "buf:0000000000000000 0 1 1", "buf:000000000000f03f"},
    {"buffer.fill.f64", "buf:0000000000000000 1 0 1", "buf:0000000000000000"},
    {"buffer.fill.f64", "buf:0000000000000000 0 2 1",
     "OUT_OF_RANGE: The range of 2 elements of 8 bytes at index 0 exceeds the "
     "buffer's size (8 bytes)"},
    {"buffer.fill.f64", "buf:0000000000000000 1 9223372036854775807 1",
     "OUT_OF_RANGE: The range of 9223372036854775807 elements of 8 bytes at "
     "index 1 exceeds the buffer's size (8 bytes)"},
    {"buffer.fill.f64", "ro:0000000000000000 0 1 1", kReadOnly},
    {"buffer.fill.f64", "null 0 1 1", kNullBuffer},
    {"buffer.fill.f64", "list 0 1 1", kNoBuffer},
    // Copies of bytes. They may overlap.
    {"buffer.copy", "buf:01020304 1 buf:00000000 2 2",
     "buf:01020304 buf:00000203"},
    {"buffer.copy", "ro:01020304 4 buf:00 1 0", "buf:01020304 buf:00"},
    {"buffer.copy", "buf:01020304", "buf:01010203", "0r_r",
     "entry: const.i64 1 i0 const.i64 3 i2 const.i64 0 i4 "
     "buffer.copy r0 i4 r0 i0 i2 return [r0]"},
    {"buffer.copy", "buf:01020304", "buf:02030404", "0r_r",
     "entry: const.i64 1 i0 const.i64 3 i2 const.i64 0 i4 "
     "buffer.copy r0 i0 r0 i4 i2 return [r0]"},
    {"buffer.copy", "buf:01020304 1 ro:0000000000000000 2 2", kReadOnly},
    {"buffer.copy", "buf:01020304 -1 buf:00000000 2 2",
     "OUT_OF_RANGE: The range of 2 bytes at offset -1 "
     "exceeds the buffer's size (4 bytes)"},
    {"buffer.copy", "buf:01020304 0 buf:00000000 3 2",
     "OUT_OF_RANGE: The range of 2 bytes at offset 3 exceeds the buffer's size "
     "(4 bytes)"},
    {"buffer.copy", "buf:01020304 2 buf:00000000 0 -1",
     "OUT_OF_RANGE: The range of -1 bytes at offset 2 "
     "exceeds the buffer's size (4 bytes)"},
    {"buffer.copy", "null 0 buf:00 0 0", kNullBuffer},
    {"buffer.copy", "buf:00 0 list 0 0", kNoBuffer},
    {"buffer.compare", "buf:010203 1 buf:0203 0 2", "1"},
    {"buffer.compare", "buf:010203 1 ro:0204 0 2", "0"},
    {"buffer.compare", "buf:01 1 buf:02 0 0", "1"},
    {"buffer.compare", "buf:010203 1 buf:0204 0 3",
     "OUT_OF_RANGE: The range of 3 bytes at offset 1 exceeds the buffer's size "
     "(3 bytes)"},
    {"buffer.compare", "buf:010203 0 buf:0204 1 2",
     "OUT_OF_RANGE: The range of 2 bytes at offset 1 exceeds the buffer's size "
     "(2 bytes)"},
    {"buffer.compare", "buf:01 0 null 0 0", kNullBuffer},
    {"buffer.compare", "list 0 buf:01 0 0", kNoBuffer},
    // Test vectors by SipHash's authors.
    {"buffer.hash", "buf: 0 0", "8246050544436514353"},
    {"buffer.hash", "buf:000102030405060708090a0b0c0d0e 0 15",
     "-6833708440360172059"},
    {"buffer.hash", "ro:ffff000102030405060708090a0b0c0d0eff 2 15",
     "-6833708440360172059"},
    {"buffer.hash", "buf:00 1 1",
     "OUT_OF_RANGE: The range of 1 bytes at offset 1 exceeds the buffer's size "
     "(1 bytes)"},
    {"buffer.hash", "null 0 0", kNullBuffer},
    {"buffer.hash", "list 0 0", kNoBuffer},
    {"buffer.length", "buf:0102", "2"},
    {"buffer.length", "ro:", "0"},
    {"buffer.length", "null", kNullBuffer},
    {"buffer.length", "list", kNoBuffer},

    // A new buffer is zero and may be written.
    {"buffer.alloc", "3 16", "buf:000000"},
    {"buffer.alloc", "0 0", "buf:"},
    {"buffer.alloc", "2 1", "buf:0000"},
    {"buffer.alloc", "1 1048576", "buf:00"},
    {"buffer.alloc", "3 3",
     "INVALID_ARGUMENT: Alignment 3 is not a power of two up to 1048576"},
    {"buffer.alloc", "3 -1",
     "INVALID_ARGUMENT: Alignment -1 is not a power of two up to "
     "1048576"},
    {"buffer.alloc", "3 2097152",
     "INVALID_ARGUMENT: Alignment 2097152 is not a power of two up to 1048576"},
    {"buffer.alloc", "-1 16",
     "RESOURCE_EXHAUSTED: A buffer of -1 bytes cannot be "
     "allocated"},
    {"buffer.clone", "ro:01020304 1 2 0", "buf:0203"},
    {"buffer.clone", "buf:01020304 4 0 16", "buf:"},
    {"buffer.clone", "ro:01020304 1 2 0", "buf:01020304 buf:0903", "0rIIi_rr",
     "entry: buffer.clone r0 i0 i2 i4 r1 const.i32 9 i6 const.i64 0 i8 "
     "buffer.store.i8 r1 i8 i6 return [r0 r1]"},
    {"buffer.clone", "ro:01020304 3 2 0",
     "OUT_OF_RANGE: The range of 2 bytes at offset 3 exceeds the buffer's size "
     "(4 bytes)"},
    {"buffer.clone", "ro:01020304 1 -1 0",
     "OUT_OF_RANGE: The range of -1 bytes at offset 1 "
     "exceeds the buffer's size (4 bytes)"},
    {"buffer.clone", "buf:01020304 0 1 24",
     "INVALID_ARGUMENT: Alignment 24 is not a power of two up to 1048576"},
    {"buffer.clone", "null 0 0 0", kNullBuffer},
    {"buffer.clone", "list 0 0 0", kNoBuffer},
};

}  // namespace

std::span<const Row> BufferRows() { return kBufferRows; }

}  // namespace eyrie::tests
