// Options of the assembler.
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
  // Rejects a module that the verifier would reject, with the line of the
  // error.
  bool verify = true;
  // Records the lines of the text in the module's debug database, unless the
  // text has locations of its own, and the names of functions that have none
  // there.
  bool debug_lines = false;
  // Reads a file that a constant of the text names. If null, no constant may
  // name a file.
  std::function<absl::StatusOr<std::vector<uint8_t>>(const std::string& name)>
      read_file;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ASM_ASSEMBLER_OPTIONS_H_
