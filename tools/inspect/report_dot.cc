// The call graph for Graphviz: `dot -Tsvg`.
//
// Tested by inspect_test.txt.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/plain_text.h"
#include "tools/inspect/call_graph.h"
#include "tools/inspect/report.h"

namespace eyrie::tools {
namespace {

std::string Quoted(absl::string_view text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

const char* ShapeOf(GraphNode::Kind kind) {
  switch (kind) {
    case GraphNode::Kind::kExport:
      return "shape=box, style=bold";
    case GraphNode::Kind::kFunction:
      return "shape=box";
    case GraphNode::Kind::kKernel:
      return "shape=ellipse";
    case GraphNode::Kind::kModule:
      return "shape=folder, style=dashed";
  }
  return "";
}

}  // namespace

std::string ReportDot(const Report& report) {
  const CallGraph graph = CreateCallGraph(report, SIZE_MAX);
  std::string text = absl::StrCat(
      "digraph ", Quoted(PlainName(report.def.name)), " {\n  rankdir=LR;\n");
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    absl::StrAppend(&text, "  n", i, " [label=", Quoted(node.name), ", ",
                    ShapeOf(node.kind), "];\n");
  }
  for (const GraphEdge& edge : graph.edges) {
    absl::StrAppend(
        &text, "  n", edge.from, " -> n", edge.to,
        edge.count > 1 ? absl::StrCat(" [label=\"", edge.count, "\"]") : "",
        ";\n");
  }
  return text + "}\n";
}

}  // namespace eyrie::tools
