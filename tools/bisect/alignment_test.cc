// Tests which dispatches of two runs belong together.
#include "tools/bisect/alignment.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tools/bisect/kernel_name.h"

namespace eyrie::tools {
namespace {

// A dispatch that wrote one tensor. `hash` stands for its bytes, `sample` for
// its numbers.
RecordedDispatch Row(const char* kernel, uint64_t size, uint64_t hash,
                     double sample) {
  RecordedDispatch row;
  row.kernel = kernel;
  WrittenTensor tensor;
  tensor.range = {0, size};
  tensor.hash = hash;
  tensor.type = hal::ElementType::kFloat32;
  tensor.samples = {sample};
  row.writes.push_back(tensor);
  return row;
}

std::vector<std::pair<size_t, size_t>> Pairs(const Recording& good,
                                             const Recording& bad) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const AlignedPair& pair : Align(good, bad)) {
    pairs.emplace_back(pair.good, pair.bad);
  }
  return pairs;
}

using Expected = std::vector<std::pair<size_t, size_t>>;

TEST(Align, ByBytesNumbersAndOperations) {
  const Recording good = {Row("f_dispatch_0_matmul_2x2", 16, 1, 1),
                          Row("f_dispatch_1_exp_2x2", 16, 2, 5),
                          Row("f_dispatch_2_sum_2", 8, 3, 9)};
  EXPECT_EQ(Pairs(good, good), (Expected{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(Pairs(good, {}), Expected());
  // Another dispatch before, another one missing.
  EXPECT_EQ(Pairs(good, {Row("pack", 64, 7, 3), good[0], good[2]}),
            (Expected{{0, 1}, {2, 2}}));
  // Close numbers of another operation.
  EXPECT_EQ(Pairs(good, {Row("matmul_like", 16, 8, 1.001), good[2]}),
            (Expected{{0, 0}, {2, 1}}));
  // A fault changes the numbers, but not the operation.
  EXPECT_EQ(Pairs(good, {good[0], Row("g_dispatch_9_exp_2x2", 16, 8, 77),
                         Row("g_dispatch_10_sum_2", 8, 8, 99)}),
            (Expected{{0, 0}, {1, 1}, {2, 2}}));
  // Other operations of one size are not guessed to be the same.
  EXPECT_EQ(Pairs(good, {good[0], Row("g_dispatch_9_tanh_2x2", 16, 8, 77)}),
            (Expected{{0, 0}}));
  // Unless they have no names.
  EXPECT_EQ(Pairs(good, {good[0], Row("#1", 16, 8, 77)}),
            (Expected{{0, 0}, {1, 1}}));
}

TEST(Align, LongRuns) {
  Recording good;
  for (uint64_t i = 0; i < 20000; ++i) {
    good.push_back(Row("f_dispatch_0_step", 16, i, static_cast<double>(i)));
  }
  Recording bad = good;
  bad.erase(bad.begin() + 5);
  const auto pairs = Pairs(good, bad);
  ASSERT_EQ(pairs.size(), bad.size());
  EXPECT_EQ(pairs[10], std::make_pair(size_t{11}, size_t{10}));
  EXPECT_EQ(pairs.back(), std::make_pair(size_t{19999}, size_t{19998}));
}

TEST(OperationOf, WithoutTheNumber) {
  EXPECT_EQ(OperationOf("main$async_dispatch_12_matmul_4x8"), "matmul_4x8");
  EXPECT_EQ(OperationOf("main_dispatch_3"), "");
  EXPECT_EQ(OperationOf("encode_4x8"), "encode_4x8");
  EXPECT_EQ(OperationOf("f_dispatch_6_softmax_6xf32_dispatch_tensor_store"),
            "softmax_6xf32_dispatch_tensor_store");
}

TEST(Suspects, UntilAnEqualResultHasReadThem) {
  const int memory = 0;
  Recording run = {Row("pack", 64, 1, 1), Row("matmul", 16, 2, 1),
                   Row("exp", 16, 3, 1), Row("sum", 16, 4, 1)};
  for (size_t i = 0; i < run.size(); ++i) {
    run[i].writes[0].memory = &memory;
    run[i].writes[0].offset = 64 * (i + 1);
    run[i].reads = {{&memory, {0, 4096}}};
  }
  using Numbers = std::vector<size_t>;
  EXPECT_EQ(Suspects(run, {false, true, true, false}, 3), (Numbers{0}));
  run[1].constants = {64};  // the offset of what "pack" wrote
  EXPECT_EQ(Suspects(run, {false, true, true, false}, 3), Numbers());
  EXPECT_EQ(Suspects(run, {false, false, true, false}, 3), (Numbers{0, 1}));
}

}  // namespace
}  // namespace eyrie::tools
