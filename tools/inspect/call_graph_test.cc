// Creates the nodes and layers of call graphs.
#include "tools/inspect/call_graph.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

// Returns a report of functions "a", "b", ... with calls, but without a module.
Report ReportOf(size_t functions, std::vector<CallEdge> calls,
                std::vector<uint32_t> exports) {
  Report report;
  for (size_t i = 0; i < functions; ++i) {
    report.names.push_back(std::string(1, static_cast<char>('a' + i)));
  }
  report.facts.calls = std::move(calls);
  for (const uint32_t function : exports) {
    report.def.exports.push_back({"x", function});
  }
  return report;
}

// Returns "a/0.0 b/1.0 | a>b*2": nodes with layer and place, then edges.
std::string Text(const CallGraph& graph) {
  std::string text = absl::StrJoin(
      graph.nodes, " ", [](std::string* out, const GraphNode& node) {
        absl::StrAppend(out, node.name, "/", node.layer, ".", node.place);
      });
  for (const GraphEdge& edge : graph.edges) {
    absl::StrAppend(&text, " | ", graph.nodes[edge.from].name, ">",
                    graph.nodes[edge.to].name, "*", edge.count);
  }
  if (graph.left_out > 0) absl::StrAppend(&text, " -", graph.left_out);
  return text;
}

TEST(CallGraph, HasLayers) {
  EXPECT_EQ(Text(CreateCallGraph(ReportOf(0, {}, {}), 10)), "");
  EXPECT_EQ(Text(CreateCallGraph(ReportOf(1, {}, {}), 10)), "a/0.0");
  EXPECT_EQ(Text(CreateCallGraph(
                ReportOf(3, {{0, 1, false, 2}, {1, 2, false, 1}}, {0}), 10)),
            "a/0.0 b/1.0 c/2.0 | a>b*2 | b>c*1");
  // Recursion, also through another function.
  EXPECT_EQ(
      Text(CreateCallGraph(
          ReportOf(2, {{0, 0, false, 1}, {0, 1, false, 1}, {1, 0, false, 1}},
                   {0}),
          10)),
      "a/0.0 b/1.0 | a>a*1 | a>b*1 | b>a*1");
  // Functions without callers.
  EXPECT_EQ(Text(CreateCallGraph(ReportOf(3, {{2, 1, false, 1}}, {0}), 10)),
            "a/0.0 b/1.0 c/0.1 | c>b*1");
  // A function comes after all of its callers, and after theirs.
  EXPECT_EQ(Text(CreateCallGraph(ReportOf(4,
                                          {{0, 1, false, 1},
                                           {0, 2, false, 1},
                                           {0, 3, false, 1},
                                           {1, 2, false, 1},
                                           {3, 1, false, 1}},
                                          {0}),
                                 10)),
            "a/0.0 b/2.0 c/3.0 d/1.0 | a>b*1 | a>c*1 | a>d*1 | b>c*1 | d>b*1");
  // Functions are placed near their callers.
  EXPECT_EQ(Text(CreateCallGraph(
                ReportOf(4, {{0, 3, false, 1}, {1, 2, false, 1}}, {0, 1}), 10)),
            "a/0.0 b/0.1 d/1.0 c/1.1 | a>d*1 | b>c*1");
}

TEST(CallGraph, LeavesOutWhatIsTooMuch) {
  EXPECT_EQ(
      Text(CreateCallGraph(
          ReportOf(4, {{0, 1, false, 1}, {0, 2, false, 1}, {2, 1, false, 1}},
                   {0}),
          2)),
      "a/0.0 b/1.0 | a>b*1 -2");
}

}  // namespace
}  // namespace eyrie::tools
