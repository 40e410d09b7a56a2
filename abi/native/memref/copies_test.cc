// Tests arguments and results of memref functions that are copied: layouts of
// the manifest, and results that begin as copies of arguments.
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/memref_call.h"
#include "tests/support/memref_functions.h"

namespace eyrie::native {
namespace {

// Layouts of the manifest. The functions look at the memory, not at strides.
TEST_F(MemrefCallTest, Layouts) {
  constexpr char kRow[] = R"("row_major")";
  constexpr char kColumn[] = R"("column_major")";
  constexpr char kSix[] = "6xf32=1 2 3 4 5 6";
  constexpr char kMatrix[] = "2x3xf32=1 2 3 4 5 6";
  constexpr char kTransposed[] = "2x3xf32=[1 3 5][2 4 6]";
  const std::vector<const char*> six = {R"({"shape": [6]})"};
  EXPECT_EQ(Call("(memref<?x?xf32>, memref<?xf32>) -> ()", test::Raw, kMatrix,
                 {.rules = six, .layouts = {kColumn}}),
            "6xf32=1 4 2 5 3 6");
  EXPECT_EQ(Call("(memref<*xf32>, memref<?xf32>) -> ()", test::RawUnranked,
                 kMatrix, {.rules = six, .layouts = {kColumn}}),
            "6xf32=1 4 2 5 3 6");
  // The strides are passed.
  EXPECT_EQ(Call("(memref<?x?xf32>, index) -> f32", test::SumRows,
                 absl::StrCat(kMatrix, "; 1"), {.layouts = {kColumn}}),
            "15");
  // A type that accepts any strides needs no copy.
  EXPECT_EQ(Call("(memref<?x?xf32, strided<[?, ?]>>, memref<?xf32>) -> ()",
                 test::Raw, kMatrix, {.rules = six, .layouts = {kColumn}}),
            kSix);
  EXPECT_EQ(Call("(memref<?xf32>, memref<2x3xf32>) -> ()", test::RawInto, kSix,
                 {.outputs = 1, .layouts = {kRow, kColumn}}),
            kTransposed);
  EXPECT_EQ(Call("(memref<?xf32>) -> memref<?x?xf32>", test::RawResult, kSix,
                 {.layouts = {kRow, kColumn}}),
            kTransposed);
  EXPECT_EQ(Call("(memref<*xf32>) -> ()", test::Nothing, "2xf32=1 2",
                 {.layouts = {kColumn}}),
            "INVALID_ARGUMENT: Argument 0 of the function has rank 1; its "
            "layout, column_major, needs 2 dimensions or more.");
}

// Results that begin as copies of arguments.
TEST_F(MemrefCallTest, Inout) {
  const std::vector<const char*> second = {R"({"inout": 1})"};
  constexpr char kArguments[] = "3xf32=1 2 3; 3xf32=10 20 30";
  for (const char* type :
       {"(memref<?xf32>, memref<?xf32>) -> ()",
        "(memref<?xf32>, memref<?xf32, strided<[?], offset: ?>>) -> ()",
        "(memref<?xf32>, memref<?xf32, strided<[2], offset: 4>>) -> ()"}) {
    EXPECT_EQ(
        Call(type, test::AddInto, kArguments, {.rules = second, .inouts = 1}),
        "3xf32=11 22 33");
    const auto* argument = reinterpret_cast<const float*>(
        kept_[kept_.size() - 2]->buffer()->host_data());
    EXPECT_EQ(argument[0], 10);  // not written
  }
  // An argument that the caller gives away becomes the result.
  for (const uint64_t given : {0, 1, 2, 3}) {
    EXPECT_EQ(Call("(memref<?xf32>, memref<?xf32>) -> ()", test::AddInto,
                   kArguments, {.rules = second, .inouts = 1, .given = given}),
              "3xf32=11 22 33");
    const hal::BufferView* const argument = kept_[kept_.size() - 2].get();
    EXPECT_EQ(argument == kept_.back().get(), given >= 2);
  }
  EXPECT_EQ(Call("(memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()",
                 test::AddBoth, "2xf32=1 2; 2xf32=10 20",
                 {.rules = {R"({"like": 0})", R"({"inout": 1})"}, .inouts = 1}),
            "2xf32=11 22; 2xf32=12 24");
  EXPECT_EQ(Call("(memref<?xf32>, memref<?x?xf32>) -> ()", test::RawInto,
                 "6xf32=1 2 3 4 5 6; 2x3xf32=0",
                 {.rules = second,
                  .inouts = 1,
                  .layouts = {R"("row_major")", R"("column_major")"}}),
            "2x3xf32=[1 3 5][2 4 6]");
  EXPECT_EQ(Call("(memref<?xf32>, memref<?xf32>) -> ()", test::AddInto,
                 "3xf32=1; 2xf32=1",
                 {.rules = second, .inouts = 1, .equal = R"([["0.0","1.0"]])"}),
            "INVALID_ARGUMENT: The dimensions 0.0 and 1.0 of the arguments are "
            "3 and 2; the manifest declares that they are equal.");
}

}  // namespace
}  // namespace eyrie::native
