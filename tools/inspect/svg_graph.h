// Draws the call graph for an HTML page.
//
// Checked in a browser; tested by inspect_test.txt.
#ifndef EYRIE_TOOLS_INSPECT_SVG_GRAPH_H_
#define EYRIE_TOOLS_INSPECT_SVG_GRAPH_H_

#include <string>

#include "tools/inspect/call_graph.h"

namespace eyrie::tools {

// Returns an <svg> element. Functions link to "#f" followed by their ordinal.
std::string SvgGraph(const CallGraph& graph);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_SVG_GRAPH_H_
