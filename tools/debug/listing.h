// The code of functions as lines of assembly, by their offsets.
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

#include "vm/bytecode_module.h"

namespace eyrie::tools {

struct CodeLine {
  uint32_t offset;
  bool is_block;     // the mark of a block, which is no instruction
  std::string text;  // fit for a terminal, without its offset
};

// Makes and keeps listings of functions that are asked for. One thread's.
class Listing {
 public:
  // Empty if the function has no text.
  const std::vector<CodeLine>& Of(const vm::BytecodeModule& module,
                                  uint32_t function);

  // The index of the first instruction at an offset or behind it.
  std::optional<size_t> FindAtOrBehind(const vm::BytecodeModule& module,
                                       uint32_t function, uint32_t offset);

 private:
  std::map<std::pair<const vm::BytecodeModule*, uint32_t>,
           std::vector<CodeLine>>
      functions_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_LISTING_H_
