// Aligns the dispatches of two runs whose compilers cut the program
// differently.
//
// Two dispatches belong together if they wrote equal tensors: equal bytes, or
// close numbers. If a fault has changed the numbers, they may belong together
// if they wrote the same size by the same operation. Neither run is reordered.
// Tested by alignment_test.cc.
#ifndef EYRIE_TOOLS_BISECT_ALIGNMENT_H_
#define EYRIE_TOOLS_BISECT_ALIGNMENT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/bisect/recording.h"

namespace eyrie::tools {

// A dispatch of the good run and one of the bad run, which wrote as many
// tensors: those of one index belong together.
struct AlignedPair {
  size_t good = 0;
  size_t bad = 0;
};

// Returns the pairs, ascending on both sides.
std::vector<AlignedPair> Align(const Recording& good, const Recording& bad);

// Returns the dispatches before `bad` that may be why its results differ: those
// that are not `equal`, and whose results no later dispatch that is equal has
// certainly read.
std::vector<size_t> Suspects(const Recording& recording,
                             const std::vector<bool>& equal, size_t bad);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_ALIGNMENT_H_
