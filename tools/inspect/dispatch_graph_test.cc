// Draws dispatches of reports made by hand.
#include "tools/inspect/dispatch_graph.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

DispatchUse Dispatch(uint32_t function, const std::string& kernel,
                     std::vector<BindingUse> buffers) {
  DispatchUse use;
  use.place.function = function;
  use.kernel = kernel;
  use.bindings = static_cast<uint32_t>(buffers.size());
  use.buffers = std::move(buffers);
  return use;
}

Report ReportOf(std::vector<DispatchUse> dispatches) {
  Report report;
  report.names = {"f", "g"};
  report.facts.dispatches = std::move(dispatches);
  return report;
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++count;
  return count;
}

TEST(BindingsText, OfBindings) {
  const struct {
    std::vector<BindingUse> buffers;
    const char* want;
  } kCases[] = {
      {{}, "0 bindings"},
      {{{"slot 0", {}}}, "1 binding"},
      {{{"slot 0", 16}, {"", {}}}, "16 bytes, ?"},
      {{{"", 1}, {"", 2048}, {"", 3}, {"", 4}}, "1 byte, 2.0 KiB and 2 more"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(BindingsText(Dispatch(0, "k", c.buffers), 2), c.want);
  }
}

TEST(DispatchGraph, JoinsUsersOfABuffer) {
  const struct {
    std::vector<DispatchUse> dispatches;
    size_t lines;
  } kCases[] = {
      {{Dispatch(0, "a", {{"slot 0", 4}})}, 0},
      {{Dispatch(0, "a", {{"slot 0", 4}}), Dispatch(0, "b", {{"slot 0", 4}})},
       1},
      // Buffers of another function, and unknown ones, are not joined.
      {{Dispatch(0, "a", {{"slot 0", 4}}), Dispatch(1, "b", {{"slot 0", 4}})},
       0},
      {{Dispatch(0, "a", {{"", 4}}), Dispatch(0, "b", {{"", 4}})}, 0},
      // Two buffers make one line; a third dispatch is joined with its last
      // user.
      {{Dispatch(0, "a", {{"slot 0", 4}, {"slot 1", 4}}),
        Dispatch(0, "b", {{"slot 0", 4}, {"slot 1", 4}}),
        Dispatch(0, "c", {{"slot 0", 4}})},
       2},
  };
  for (const auto& c : kCases) {
    const DispatchGraph graph = DrawDispatches(ReportOf(c.dispatches), 10);
    EXPECT_EQ(Count(graph.svg, "<path"), c.lines);
    EXPECT_EQ(Count(graph.svg, "<rect"), c.dispatches.size());
    EXPECT_EQ(graph.left_out, 0u);
  }
  EXPECT_EQ(DrawDispatches(ReportOf({}), 10).svg, "");
}

TEST(DispatchGraph, ShowsTimes) {
  Report report = ReportOf(
      {Dispatch(0, "a", {}), Dispatch(0, "b", {}), Dispatch(1, "c", {})});
  report.times["a"] = {2, 3000};
  report.times["b"] = {0, 1e6};  // cut off at its begin
  const std::string svg = DrawDispatches(report, 10).svg;
  EXPECT_TRUE(absl::StrContains(svg, ">1.5 us | ?x?x? | 0 bindings<")) << svg;
  EXPECT_TRUE(absl::StrContains(svg, ">1 ms | ?x?x? | 0 bindings<")) << svg;
  EXPECT_EQ(Count(svg, "class=\"time\""), 2u);
}

// Names are escaped and cut, and the picture has at most so many boxes and
// lines.
TEST(DispatchGraph, OfHostileModules) {
  std::vector<DispatchUse> dispatches;
  for (size_t i = 0; i < 300; ++i) {
    std::vector<BindingUse> buffers;
    // Each dispatch shares a buffer with every 40 later ones.
    for (size_t j = 0; j < 2000; ++j) {
      buffers.push_back({absl::StrCat("slot ", j % 40 == i % 40 ? j : i * j),
                         static_cast<int64_t>(j)});
    }
    dispatches.push_back(
        Dispatch(0, absl::StrCat("<script>\"'&\x1b", std::string(100000, 'x')),
                 buffers));
  }
  const DispatchGraph graph = DrawDispatches(ReportOf(dispatches), 200);
  EXPECT_EQ(graph.left_out, 100u);
  EXPECT_GT(graph.left_out_lines, 0u);
  EXPECT_EQ(Count(graph.svg, "<rect"), 200u);
  EXPECT_LT(graph.svg.size(), 800000u);
  EXPECT_FALSE(absl::StrContains(graph.svg, "<script"));
  EXPECT_FALSE(absl::StrContains(graph.svg, "\x1b"));
}

}  // namespace
}  // namespace eyrie::tools
