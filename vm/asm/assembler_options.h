// How assembly text is read.
//
// Tested by assembler_test.cc.
#ifndef EYRIE_VM_ASM_ASSEMBLER_OPTIONS_H_
#define EYRIE_VM_ASM_ASSEMBLER_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace eyrie::vm {

struct AssemblerOptions {
  // Refuses a module that would not be run, at the line that is to blame.
  bool verify = true;
  // Writes the lines of the text into the module's debug database, unless the
  // text has locations of its own, and the names of functions that have none.
  bool debug_lines = false;
  // Reads the files that constants name. Null: none may be named.
  std::function<absl::StatusOr<std::vector<uint8_t>>(const std::string& name)>
      read_file;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_ASSEMBLER_OPTIONS_H_
