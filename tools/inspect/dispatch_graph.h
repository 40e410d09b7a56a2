// Draws the dispatches of a module for an HTML page.
//
// A function's dispatches are boxes in the order of its code, with the sizes of
// their bindings. A line joins two dispatches if the second is the next one in
// the code that uses a buffer of the first.
// Tested by dispatch_graph_test.cc; looked at in a browser.
#ifndef EYRIE_TOOLS_INSPECT_DISPATCH_GRAPH_H_
#define EYRIE_TOOLS_INSPECT_DISPATCH_GRAPH_H_

#include <cstddef>
#include <string>

#include "tools/inspect/report.h"

namespace eyrie::tools {

struct DispatchGraph {
  std::string svg;            // an element, or "" without dispatches
  size_t left_out = 0;        // number of omitted dispatches
  size_t left_out_lines = 0;  // number of omitted lines
};

// Returns the picture of the first `most` dispatches. Functions link to "#f"
// followed by their ordinal. If the report has times, boxes have times and
// bars.
DispatchGraph DrawDispatches(const Report& report, size_t most);

// Returns "16 bytes, 1.2 KiB, ?": the sizes of the bindings, or their number if
// the module does not tell any. Shows at most `most` of them.
std::string BindingsText(const DispatchUse& dispatch, size_t most);

// Returns the time of a dispatch's kernel, or null.
const KernelTime* TimeOf(const Report& report, const DispatchUse& dispatch);

// Returns "1.2 us", the mean of a kernel, or "" for null.
std::string MeanText(const KernelTime* time);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_DISPATCH_GRAPH_H_
