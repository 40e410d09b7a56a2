// The code of functions as lines of assembly with offsets.
//
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_LISTING_H_
#define EYRIE_TOOLS_DEBUG_LISTING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vm/run/bytecode_module.h"

namespace eyrie::tools {

struct CodeLine {
  uint32_t offset;
  bool is_block;     // the marker of a block, not an instruction
  std::string text;  // safe for a terminal, without the offset
};

// Creates and caches listings of functions. Thread-compatible.
class Listing {
 public:
  // Returns the lines of a function, or nothing if it cannot be listed.
  const std::vector<CodeLine>& Of(const vm::BytecodeModule& module,
                                  uint32_t function);

  // Returns the index of the first instruction at or after `offset`.
  std::optional<size_t> FindAtOrBehind(const vm::BytecodeModule& module,
                                       uint32_t function, uint32_t offset);

 private:
  std::map<std::pair<const vm::BytecodeModule*, uint32_t>,
           std::vector<CodeLine>>
      functions_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_LISTING_H_
