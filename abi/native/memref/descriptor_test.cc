// Tests shapes and copies of strided elements.
#include "abi/native/memref/descriptor.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace eyrie::native {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

MemrefShape Shape(std::initializer_list<int64_t> sizes,
                  std::initializer_list<int64_t> strides) {
  MemrefShape shape;
  for (const int64_t size : sizes) shape.sizes[shape.rank++] = size;
  size_t i = 0;
  for (const int64_t stride : strides) shape.strides[i++] = stride;
  return shape;
}

TEST(Strided, Counts) {
  const struct {
    MemrefShape shape;
    bool dense;
    std::optional<int64_t> count;
  } kRows[] = {
      {Shape({}, {}), true, 1},
      {Shape({4}, {1}), true, 4},
      {Shape({4}, {2}), false, 4},
      {Shape({4}, {0}), false, 4},
      {Shape({2, 3}, {3, 1}), true, 6},
      {Shape({2, 3}, {1, 2}), false, 6},
      {Shape({1, 3}, {77, 1}), true, 3},
      {Shape({2, 1}, {1, 77}), true, 2},
      {Shape({0, 3}, {9, 9}), true, 0},
      {Shape({0, kMax, kMax}, {1, 1, 1}), true, 0},
      {Shape({kMax, 2}, {2, 1}), true, std::nullopt},
      {Shape({-1, 2}, {2, 1}), true, std::nullopt},
      {Shape({3}, {kMax}), false, 3},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(&row - kRows);
    EXPECT_EQ(IsDense(row.shape), row.dense);
    EXPECT_EQ(CountElements(row.shape), row.count);
  }
}

template <typename T>
void CopiesColumns() {
  const MemrefShape dense = Shape({2, 3}, {3, 1});
  const MemrefShape columns = Shape({2, 3}, {1, 2});
  const std::vector<T> rows = {1, 2, 3, 4, 5, 6};
  std::vector<T> turned(6);
  std::vector<T> back(6);
  const auto* from = reinterpret_cast<const uint8_t*>(rows.data());
  auto* to = reinterpret_cast<uint8_t*>(turned.data());
  CopyStrided(dense, sizeof(T), from, dense.strides, to, columns.strides);
  EXPECT_EQ(turned, (std::vector<T>{1, 4, 2, 5, 3, 6}));
  CopyStrided(dense, sizeof(T), to, columns.strides,
              reinterpret_cast<uint8_t*>(back.data()), dense.strides);
  EXPECT_EQ(back, rows);
}

TEST(Strided, CopiesElementsOfEverySize) {
  CopiesColumns<uint8_t>();
  CopiesColumns<uint16_t>();
  CopiesColumns<uint32_t>();
  CopiesColumns<uint64_t>();
  CopiesColumns<unsigned __int128>();
}

TEST(Strided, CopiesOneElementAndNone) {
  const uint8_t from[2] = {7, 8};
  uint8_t to[2] = {0, 0};
  CopyStrided(Shape({}, {}), 2, from, {}, to, {});
  EXPECT_EQ(to[1], 8);
  CopyStrided(Shape({0, 5}, {5, 1}), 2, nullptr, {}, nullptr, {});
}

}  // namespace
}  // namespace eyrie::native
