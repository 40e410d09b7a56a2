// Places the nodes and edges of a call graph for drawing.
//
// Layers are columns. An edge that passes a column has a lane of its own
// there, so that no box hides it; edges to one node share their lanes. Edges to
// the same or an earlier column run below all boxes.
// Tested by graph_layout_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_GRAPH_LAYOUT_H_
#define EYRIE_TOOLS_INSPECT_GRAPH_LAYOUT_H_

#include <string>
#include <vector>

#include "tools/inspect/call_graph.h"

namespace eyrie::tools {

// In pixels.
struct GraphBox {
  int x;
  int y;
  int width;
};

inline constexpr int kBoxHeight = 22;
inline constexpr int kBoxPadding = 8;

struct GraphLayout {
  std::vector<GraphBox> boxes;     // of nodes
  std::vector<std::string> paths;  // of edges, as SVG's attribute "d"
  int width = 0;
  int height = 0;
};

// Returns the text of a node's box.
std::string BoxLabel(const GraphNode& node);

GraphLayout LayOut(const CallGraph& graph);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_GRAPH_LAYOUT_H_
