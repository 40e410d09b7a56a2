// How each instruction is written: a pattern that the printer fills in and the
// parser follows, so that what one writes the other reads.
//
// A pattern is literal text with places for operands, counted as they are
// encoded, operands before results:
//   $2        operand 2, as its kind is written
//   $$        the results; where a pattern has none, "results = " comes first
//   {, $1}    left out where list 1 is empty
//   a blank   printed as one, and any number of them accepted
// Tested by assembler_test.cc.
#ifndef EYRIE_VM_ASM_SYNTAX_H_
#define EYRIE_VM_ASM_SYNTAX_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "vm/isa/opcode.h"

namespace eyrie::vm {

// The patterns for what follows the mnemonic: the first is printed, any is
// read. `op` is a row of kOps.
const std::vector<std::string>& PatternsOf(const OpInfo& op);

// True if the pattern places the results itself.
inline bool PlacesResults(absl::string_view pattern) {
  return pattern.find("$$") != absl::string_view::npos;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_SYNTAX_H_
