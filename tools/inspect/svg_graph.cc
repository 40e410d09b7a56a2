// Layers are columns; edges are curves from the right of a caller to the left
// of its callee.
//
// Tested by inspect_test.txt.
#include "tools/inspect/svg_graph.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "tools/inspect/html_text.h"

namespace eyrie::tools {
namespace {

// In pixels.
constexpr int kCharacter = 8;
constexpr int kPadding = 8;
constexpr int kHeight = 22;
constexpr int kRow = 30;
constexpr int kGap = 60;  // between columns
constexpr int kMargin = 4;
constexpr size_t kMaxName = 48;  // bytes

struct Box {
  int x;
  int y;
  int width;
};

const char* ClassOf(GraphNode::Kind kind) {
  switch (kind) {
    case GraphNode::Kind::kExport:
      return "export";
    case GraphNode::Kind::kFunction:
      return "function";
    case GraphNode::Kind::kKernel:
      return "kernel";
    case GraphNode::Kind::kModule:
      return "module";
  }
  return "";
}

std::string Label(const GraphNode& node) {
  return PlainText(node.name, kMaxName);
}

std::vector<Box> PlaceBoxes(const CallGraph& graph) {
  std::map<size_t, int> widths;  // of layers
  for (const GraphNode& node : graph.nodes) {
    int& width = widths[node.layer];
    width = std::max(width, static_cast<int>(Label(node).size()) * kCharacter +
                                2 * kPadding);
  }
  std::map<size_t, int> left;
  int x = kMargin;
  for (const auto& [layer, width] : widths) {
    left[layer] = x;
    x += width + kGap;
  }
  std::vector<Box> boxes;
  for (const GraphNode& node : graph.nodes) {
    boxes.push_back({left[node.layer],
                     kMargin + static_cast<int>(node.place) * kRow,
                     widths[node.layer]});
  }
  return boxes;
}

std::string Edge(const Box& from, const Box& to, uint64_t count) {
  const int x1 = from.x + from.width;
  const int y1 = from.y + kHeight / 2;
  const int y2 = to.y + kHeight / 2;
  // Edges to an earlier or the same column go around the boxes.
  const int bend = to.x > x1 ? (to.x - x1) / 2 : kGap;
  return absl::StrCat("<path d=\"M", x1, " ", y1, " C", x1 + bend, " ", y1, " ",
                      to.x - bend, " ", y2, " ", to.x, " ", y2, "\"><title>",
                      count, count == 1 ? " call" : " calls",
                      "</title></path>\n");
}

std::string Node(const GraphNode& node, const Box& box) {
  const bool links = node.kind == GraphNode::Kind::kExport ||
                     node.kind == GraphNode::Kind::kFunction;
  return absl::StrCat(
      links ? absl::StrCat("<a href=\"#f", node.function, "\">") : "",
      "<g class=\"", ClassOf(node.kind), "\"><title>", HtmlText(node.name),
      "</title><rect x=\"", box.x, "\" y=\"", box.y, "\" width=\"", box.width,
      "\" height=\"", kHeight, "\" rx=\"",
      node.kind == GraphNode::Kind::kKernel ? kHeight / 2 : 3, "\"/><text x=\"",
      box.x + kPadding, "\" y=\"", box.y + 15, "\">", HtmlText(Label(node)),
      "</text></g>", links ? "</a>" : "", "\n");
}

}  // namespace

std::string SvgGraph(const CallGraph& graph) {
  const std::vector<Box> boxes = PlaceBoxes(graph);
  int width = 0;
  int height = 0;
  for (const Box& box : boxes) {
    width = std::max(width, box.x + box.width + kMargin);
    height = std::max(height, box.y + kHeight + kMargin);
  }
  std::string text = absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width,
      "\" height=\"", height, "\" role=\"img\"><title>Call graph</title>\n");
  for (const GraphEdge& edge : graph.edges) {
    absl::StrAppend(&text, Edge(boxes[edge.from], boxes[edge.to], edge.count));
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    absl::StrAppend(&text, Node(graph.nodes[i], boxes[i]));
  }
  return text + "</svg>\n";
}

}  // namespace eyrie::tools
