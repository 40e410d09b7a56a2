// Draws the dispatches of a module as a map for an HTML page.
//
// A dispatch is a cell with its operation and its time; the longer it takes,
// the stronger its colour. Cells are in the order of the code. If a block of
// operations repeats, each repetition is a row, so that a network's layers are
// below each other.
// Tested by dispatch_map_test.cc; looked at in a browser.
#ifndef EYRIE_TOOLS_INSPECT_DISPATCH_MAP_H_
#define EYRIE_TOOLS_INSPECT_DISPATCH_MAP_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tools/inspect/report.h"

namespace eyrie::tools {

// A stretch of dispatches: `rows` times the same `columns` operations.
struct DispatchBlock {
  size_t columns;
  size_t rows;
};

// Splits a sequence of operations into blocks, in their order. A block that
// repeats has at least two operations; one that does not has a single row.
std::vector<DispatchBlock> FindBlocks(std::span<const std::string> operations);

// Returns the beginning that the names of all dispatched kernels share, such as
// "predict$async_dispatch_"; "" if there are fewer than two.
std::string SharedPrefix(const Report& report);

// Returns the map of the first `most` dispatches, as HTML. Cells link to "#d"
// followed by the number of the dispatch. `classes`, if given, are those of the
// cells: a word for each dispatch, or "".
std::string DrawDispatchMap(const Report& report, size_t most,
                            std::span<const std::string> classes = {});

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_DISPATCH_MAP_H_
