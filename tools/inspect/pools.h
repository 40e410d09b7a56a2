// Names the buffers of dispatches for people.
//
// The compiler packs constants, and tensors between dispatches, into pools, and
// binds a pool whole. The part that a dispatch uses is known only to the
// machine code of its kernel, so a pool's size says nothing about a dispatch.
// Tested by pools_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_POOLS_H_
#define EYRIE_TOOLS_INSPECT_POOLS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "tools/inspect/report.h"

namespace eyrie::tools {

class Pools {
 public:
  explicit Pools(const Report& report);

  // Returns "constants, 1.2 KiB, ?": the pool or the size of each binding; or
  // the number of bindings, if the module does not tell any. Shows at most
  // `most` of them.
  std::string BindingsText(const DispatchUse& dispatch, size_t most) const;

  // Returns "constants (1.2 MiB)" for each pool, joined by commas; "" if there
  // are none.
  std::string ToString() const;

 private:
  // A function, its name of a buffer, and the number of bytes that are bound.
  using Key = std::tuple<uint32_t, std::string, int64_t>;

  std::map<Key, const char*> pools_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_POOLS_H_
