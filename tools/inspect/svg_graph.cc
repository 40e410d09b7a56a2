#include "tools/inspect/svg_graph.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tools/inspect/graph_layout.h"
#include "tools/inspect/html_text.h"

namespace eyrie::tools {
namespace {

const char* ClassOf(GraphNode::Kind kind) {
  switch (kind) {
    case GraphNode::Kind::kExport:
      return "export";
    case GraphNode::Kind::kFunction:
      return "function";
    case GraphNode::Kind::kKernel:  // pages have none
      return "";
    case GraphNode::Kind::kModule:
      return "module";
  }
  return "";
}

std::string Edge(const std::string& path, uint64_t count) {
  return absl::StrCat("<path d=\"", path, "\"><title>", count,
                      count == 1 ? " call" : " calls", "</title></path>\n");
}

std::string Node(const GraphNode& node, const GraphBox& box) {
  const bool links = node.kind == GraphNode::Kind::kExport ||
                     node.kind == GraphNode::Kind::kFunction;
  return absl::StrCat(
      links ? absl::StrCat("<a href=\"#f", node.function, "\">") : "",
      "<g class=\"", ClassOf(node.kind), "\"><title>", HtmlText(node.name),
      "</title><rect x=\"", box.x, "\" y=\"", box.y, "\" width=\"", box.width,
      "\" height=\"", kBoxHeight, "\" rx=\"3\"/><text x=\"",
      box.x + kBoxPadding, "\" y=\"", box.y + 15, "\">",
      HtmlText(BoxLabel(node)), "</text></g>", links ? "</a>" : "", "\n");
}

}  // namespace

std::string SvgGraph(const CallGraph& graph) {
  const GraphLayout layout = LayOut(graph);
  std::string text =
      absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
                   layout.width, "\" height=\"", layout.height,
                   "\" role=\"img\"><title>Call graph</title>\n");
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    absl::StrAppend(&text, Edge(layout.paths[i], graph.edges[i].count));
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    absl::StrAppend(&text, Node(graph.nodes[i], layout.boxes[i]));
  }
  return text + "</svg>\n";
}

}  // namespace eyrie::tools
