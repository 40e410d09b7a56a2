// The syntax of each instruction, as a pattern that both the printer and the
// parser follow: the column `syntax` of opcodes.def.
//
// A pattern is literal text with places for operands, which are numbered in
// order of encoding, operands before results:
//   $2        operand 2, in the syntax of its kind
//   $$        the results; if a pattern has none, "results = " comes first
//   {, $1}    omitted if list 1 is empty
//   a blank   printed as one blank; when parsed, any number of them
// Tested by assembler_test.cc.
#ifndef EYRIE_VM_ASM_SYNTAX_H_
#define EYRIE_VM_ASM_SYNTAX_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "vm/isa/opcode.h"

namespace eyrie::vm {

// Returns the patterns for the text after the mnemonic. The first is printed;
// all are parsed. `op` must be a row of kOps.
const std::vector<std::string>& PatternsOf(const OpInfo& op);

// Reports whether the pattern contains the results.
inline bool PlacesResults(absl::string_view pattern) {
  return pattern.find("$$") != absl::string_view::npos;
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_SYNTAX_H_
