// Splits operations into blocks, and draws reports made by hand.
#include "tools/inspect/dispatch_map.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tools/inspect/kernel_words.h"

namespace eyrie::tools {
namespace {

TEST(KernelWords, OfNames) {
  const struct {
    const char* name;
    const char* want;  // prefix|operation|shape
  } kCases[] = {
      {"f$async_dispatch_12_conv_8x64x3_f32",
       "f$async_dispatch_|conv|8x64x3_f32"},
      {"f_dispatch_0_matmul_like_DxD_f32", "f_dispatch_|matmul_like|DxD_f32"},
      {"f_dispatch_0_elementwise_D_f32", "f_dispatch_|elementwise|D_f32"},
      {"f_dispatch_0_slow_memcpy", "f_dispatch_|slow_memcpy|"},
      {"f_dispatch_0_Data_4_f32", "f_dispatch_|Data|4_f32"},
      {"my_dispatch_of_dispatch_3_softmax_4x2xf32",
       "my_dispatch_of_dispatch_|softmax|4x2xf32"},
      {"add_dispatch_0", "|add_dispatch_0|"},
      {"add_dispatch_0_", "|add_dispatch_0_|"},
      {"kernel 3", "|kernel 3|"},
      {"", "||"},
  };
  for (const auto& c : kCases) {
    const KernelWords words = WordsOf(c.name);
    EXPECT_EQ(
        absl::StrCat(words.prefix, "|", words.operation, "|", words.shape),
        c.want);
  }
}

TEST(FindBlocks, OfOperations) {
  const struct {
    const char* operations;  // a letter each
    const char* want;        // rows x columns
  } kCases[] = {
      {"", ""},
      {"a", "1x1"},
      {"abc", "1x3"},
      {"abab", "2x2"},
      {"aaaa", "1x4"},
      {"xaaabc", "1x6"},
      {"xabcabcabcyz", "1x1 3x3 1x2"},
      // The longest cover wins, though "aa" repeats before.
      {"aabaab", "2x3"},
      {"ababcabababc", "2x2 1x1 3x2 1x1"},
      {"ababcdcd", "2x2 2x2"},
  };
  for (const auto& c : kCases) {
    const std::vector<std::string> operations =
        absl::StrSplit(c.operations, absl::ByLength(1), absl::SkipEmpty());
    std::string list;
    for (const DispatchBlock& block : FindBlocks(operations)) {
      absl::StrAppend(&list, list.empty() ? "" : " ", block.rows, "x",
                      block.columns);
    }
    EXPECT_EQ(list, c.want) << c.operations;
  }
}

Report ReportOf(const std::vector<std::string>& kernels) {
  Report report;
  report.names = {"f", "g"};
  for (const std::string& kernel : kernels) {
    report.facts.dispatches.emplace_back().kernel = kernel;
  }
  return report;
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++count;
  return count;
}

TEST(DispatchMap, SharedPrefix) {
  EXPECT_EQ(SharedPrefix(ReportOf({})), "");
  EXPECT_EQ(SharedPrefix(ReportOf({"f_dispatch_0_a"})), "");
  EXPECT_EQ(SharedPrefix(ReportOf({"f_dispatch_0_a", "f_dispatch_1_b"})),
            "f_dispatch_");
  EXPECT_EQ(SharedPrefix(ReportOf({"f_dispatch_0_a", "g_dispatch_0_b"})), "");
  EXPECT_EQ(SharedPrefix(ReportOf({"a", "b"})), "");
}

TEST(DispatchMap, ShowsTimesAndRepetitions) {
  Report report = ReportOf({"f_dispatch_0_conv_4_f32", "f_dispatch_1_add_4_f32",
                            "f_dispatch_2_conv_8_f32", "f_dispatch_3_add_8_f32",
                            "f_dispatch_0_conv_4_f32"});
  report.facts.dispatches[4].place.function = 1;
  report.dispatch_ns = {4000, std::nullopt, 1000, 1000, 250};
  const std::string map = DrawDispatchMap(report, 10);
  EXPECT_EQ(Count(map, "<b>2 times</b>"), 1u);
  EXPECT_EQ(Count(map, "<h3>"), 2u);  // functions
  EXPECT_EQ(Count(map, "<a href=\"#d"), 5u);
  EXPECT_TRUE(absl::StrContains(
      map,
      "<a href=\"#d0\" style=\"--t:1.00\" title=\"f_dispatch_0_conv_4_f32, 4 "
      "us\"><b>conv</b><i>4 us</i><s>4_f32</s></a>"))
      << map;
  EXPECT_TRUE(absl::StrContains(map, "--t:0.50\" title=\"f_dispatch_2"));
  EXPECT_TRUE(absl::StrContains(map, "--t:0.00\" title=\"f_dispatch_1_add"));
  EXPECT_EQ(Count(DrawDispatchMap(report, 3), "<a href=\"#d"), 3u);
  EXPECT_EQ(DrawDispatchMap(ReportOf({}), 10), "");
}

// Names are escaped and cut.
TEST(DispatchMap, OfHostileModules) {
  const Report report = ReportOf(std::vector<std::string>(
      300, absl::StrCat("<script>\"'&\x1b", std::string(100000, 'x'))));
  const std::string map = DrawDispatchMap(report, 200);
  EXPECT_EQ(Count(map, "<a href=\"#d"), 200u);
  EXPECT_LT(map.size(), 300000u);
  EXPECT_FALSE(absl::StrContains(map, "<script"));
  EXPECT_FALSE(absl::StrContains(map, "\x1b"));
}

}  // namespace
}  // namespace eyrie::tools
