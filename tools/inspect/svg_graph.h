// The call graph as a picture within HTML.
//
// Looked at in a browser; tested by inspect_test.txt.
#ifndef EYRIE_TOOLS_INSPECT_SVG_GRAPH_H_
#define EYRIE_TOOLS_INSPECT_SVG_GRAPH_H_

#include <string>

#include "tools/inspect/call_graph.h"

namespace eyrie::tools {

// An <svg> element. Functions are links to "#f" and their ordinal.
std::string SvgGraph(const CallGraph& graph);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_SVG_GRAPH_H_
