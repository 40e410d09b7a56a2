// Tests layouts of tensors: reading them, their strides, and copies.
#include "abi/native/tensor_layout.h"

#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "hal/tensor_type.h"

namespace eyrie::native {
namespace {

using Dims = std::vector<int64_t>;

absl::StatusOr<TensorLayout> Read(const std::string& text, OperandRank rank) {
  return TensorLayout::Read(*ParseJson(text), "argument 0", rank);
}

TEST(TensorLayout, Strides) {
  const struct {
    const char* layout;
    Dims dims;
    const char* text;
    const char* strides;
    bool moves;
  } kRows[] = {
      {R"("row_major")", {2, 3}, "", "3 1", false},
      {"[1, 0]", {2, 3}, "", "3 1", false},
      {"[]", {}, "", "", false},
      {"[0]", {3}, "", "1", false},
      {R"("column_major")", {2, 3}, "column_major", "1 2", true},
      {"[0, 1]", {2, 3}, "[0,1]", "1 2", true},
      {R"("column_major")", {4, 2, 3}, "column_major", "6 1 2", true},
      {"[1, 2, 0]", {4, 2, 3}, "[1,2,0]", "6 1 2", true},
      {"[0, 1, 2]", {4, 2, 3}, "[0,1,2]", "1 4 8", true},
      {R"("column_major")", {5, 1}, "column_major", "1 5", false},
      {R"("column_major")", {1, 5}, "column_major", "1 1", false},
      {R"("column_major")", {0, 5}, "column_major", "1 0", false},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(&row - kRows);
    const auto layout = Read(row.layout, static_cast<int64_t>(row.dims.size()));
    ASSERT_TRUE(layout.ok()) << layout.status();
    EXPECT_EQ(layout->ToString(), row.text);
    EXPECT_EQ(absl::StrJoin(layout->StridesOf(row.dims), " "), row.strides);
    EXPECT_EQ(layout->Moves(row.dims), row.moves);
  }
}

// Strides of memref types; "?" is dynamic.
TEST(TensorLayout, OwnStrides) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kAny = hal::TensorType::kDynamic;
  const struct {
    Dims own;
    Dims dims;
    const char* strides;
    std::optional<int64_t> extent;
    bool moves;
  } kRows[] = {
      {{}, {}, "", 1, false},
      {{kAny, kAny}, {2, 3}, "3 1", 6, false},
      {{kAny, 1}, {2, 3}, "3 1", 6, false},
      {{3, kAny}, {2, 3}, "3 1", 6, false},
      {{2}, {4}, "2", 7, true},
      {{0}, {4}, "0", 1, true},
      {{1, 2}, {2, 3}, "1 2", 6, true},
      {{kAny, 2}, {2, 3}, "5 2", 10, true},
      {{4, kAny}, {2, 3}, "4 5", 15, true},
      {{77, 1}, {1, 3}, "3 1", 3, false},
      {{9, 9}, {0, 3}, "3 1", 0, false},
      {{kMax}, {3}, nullptr, std::nullopt, true},
      {{kMax, kAny}, {2, 2}, nullptr, std::nullopt, true},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(&row - kRows);
    const TensorLayout layout = TensorLayout::OfStrides(row.own);
    EXPECT_EQ(layout.ExtentOf(row.dims), row.extent);
    EXPECT_EQ(layout.Moves(row.dims), row.moves);
    if (row.strides == nullptr) continue;
    EXPECT_EQ(absl::StrJoin(layout.StridesOf(row.dims), " "), row.strides);
  }
}

TEST(TensorLayout, OthersAreRefused) {
  const struct {
    const char* layout;
    OperandRank rank;
    const char* want;
  } kRows[] = {
      {R"("columns")", 2,
       "In the manifest, the layout of argument 0 is 'columns'; \"row_major\", "
       "\"column_major\" or an array of dimensions is expected."},
      {"1", 2,
       "In the manifest, the layout of argument 0 is the number 1; "
       "\"row_major\", \"column_major\" or an array of dimensions is "
       "expected."},
      {"[0, 1]", kAnyRank,
       "In the manifest, argument 0 has the layout of an array, but its rank "
       "is not known: declare its dimensions, or use \"column_major\"."},
      {"[0, \"1\"]", 2,
       "In the manifest, argument 0 has the layout of an array that contains a "
       "string; numbers of dimensions are expected."},
      {"[0, 0]", 2,
       "In the manifest, argument 0 has the layout [0, 0], which is not a "
       "permutation of its 2 dimensions."},
      {"[0, 1]", 3,
       "In the manifest, argument 0 has the layout [0, 1], which is not a "
       "permutation of its 3 dimensions."},
      {"[0, 1, 2]", 2,
       "In the manifest, argument 0 has the layout [0, 1, 2], which is not a "
       "permutation of its 2 dimensions."},
      {"[-1, 0]", 2,
       "In the manifest, argument 0 has the layout [-1, 0], which is not a "
       "permutation of its 2 dimensions."},
      {R"("column_major")", 1,
       "In the manifest, argument 0 has the layout column_major, which needs 2 "
       "dimensions, but has rank 1."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Read(row.layout, row.rank).status().message(), row.want);
  }
  const auto any = Read(R"("column_major")", kAnyRank);
  ASSERT_TRUE(any.ok());
  EXPECT_TRUE(any->CheckRank("Argument 0", 2).ok());
  EXPECT_EQ(any->CheckRank("Argument 0", 1).message(),
            "Argument 0 has rank 1; its layout, column_major, needs 2 "
            "dimensions or more.");
}

// Copies numbers by strides, and compares with the same copy one by one.
template <typename T>
void Copies(const Dims& dims, const std::string& text) {
  const TensorLayout layout =
      *Read(text, static_cast<OperandRank>(dims.size()));
  const auto to = layout.StridesOf(dims);
  const auto from = TensorLayout().StridesOf(dims);
  const auto count = static_cast<size_t>(std::accumulate(
      dims.begin(), dims.end(), int64_t{1}, std::multiplies<>()));
  std::vector<T> in(count);
  std::iota(in.begin(), in.end(), T{1});
  std::vector<T> out(count + 1);
  std::vector<T> want(count + 1);
  for (size_t i = 0; i < count; ++i) {
    int64_t rest = static_cast<int64_t>(i);
    int64_t at = 0;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) {
      at += rest % dims[d] * to[d];
    }
    want[static_cast<size_t>(at)] = in[i];
  }
  CopyStrided(dims, sizeof(T), reinterpret_cast<const uint8_t*>(in.data()),
              from, reinterpret_cast<uint8_t*>(out.data()), to);
  EXPECT_EQ(out, want) << text << " of " << absl::StrJoin(dims, "x");
  std::vector<T> back(count);
  CopyStrided(dims, sizeof(T), reinterpret_cast<const uint8_t*>(out.data()), to,
              reinterpret_cast<uint8_t*>(back.data()), from);
  EXPECT_EQ(back, in) << text << " of " << absl::StrJoin(dims, "x");
}

TEST(StridedCopy, Layouts) {
  const struct {
    Dims dims;
    const char* layout;
  } kRows[] = {
      {{}, "[]"},
      {{7}, "[0]"},
      {{0, 3}, "[0, 1]"},
      {{2, 3}, "[1, 0]"},
      {{2, 3}, "[0, 1]"},
      {{40, 33}, "[0, 1]"},
      {{1, 5}, "[0, 1]"},
      {{3, 17, 19}, R"("column_major")"},
      {{3, 17, 19}, "[0, 1, 2]"},
      {{3, 4, 5}, "[2, 0, 1]"},
      {{3, 4, 5}, "[0, 2, 1]"},
      {{2, 3, 1, 4, 5}, "[2, 0, 4, 1, 3]"},
      {{2, 3, 4, 5}, "[3, 2, 0, 1]"},
  };
  for (const auto& row : kRows) {
    Copies<uint8_t>(row.dims, row.layout);
    Copies<uint16_t>(row.dims, row.layout);
    Copies<float>(row.dims, row.layout);
    Copies<double>(row.dims, row.layout);
  }
}

}  // namespace
}  // namespace eyrie::native
