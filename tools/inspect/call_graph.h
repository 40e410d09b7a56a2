// The call graph as nodes in layers, for drawing.
//
// Tested by call_graph_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_CALL_GRAPH_H_
#define EYRIE_TOOLS_INSPECT_CALL_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/inspect/report.h"

namespace eyrie::tools {

struct GraphNode {
  enum class Kind : uint8_t { kExport, kFunction, kKernel, kModule };
  Kind kind;
  std::string name;       // safe to print on a line
  uint32_t function = 0;  // ordinal of an export or a function
  size_t layer = 0;       // callers come first
  size_t place = 0;       // in its layer
};

struct GraphEdge {
  size_t from;
  size_t to;
  uint64_t count;  // of call instructions
};

// One node per function, per dispatched kernel and per imported module.
struct CallGraph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  size_t left_out = 0;  // number of omitted nodes
};

// Creates the graph with at most `most` nodes, those nearest to exports first,
// with or without kernels.
CallGraph CreateCallGraph(const Report& report, size_t most,
                          bool kernels = true);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_CALL_GRAPH_H_
