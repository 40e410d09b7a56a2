// The layouts of arrays, which are row-major.
// Tested by hostile_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_MEMORY_LAYOUT_H_
#define EYRIE_PLUGINS_PJRT_MEMORY_LAYOUT_H_

#include <cstddef>
#include <string>

#include "plugins/pjrt/c_types.h"

namespace eyrie::pjrt {

// The layout of row-major arrays of a rank. Immutable.
class MemoryLayout {
 public:
  explicit MemoryLayout(size_t rank);

  // Returns the text of xla::Layout: the order of dimensions, the fastest one
  // first, as in "{1,0}".
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Returns the one layout of a rank, which is never freed. Thread-safe.
MemoryLayout* LayoutOfRank(size_t rank);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_MEMORY_LAYOUT_H_
