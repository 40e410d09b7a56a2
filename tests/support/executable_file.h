// The executables in hal/cpu/testdata, which has a folder for each machine.
#ifndef EYRIE_TESTS_SUPPORT_EXECUTABLE_FILE_H_
#define EYRIE_TESTS_SUPPORT_EXECUTABLE_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "hal/cpu/machine/instruction_set.h"
#include "tests/support/files.h"

namespace eyrie::hal::cpu {

// Returns "add_v6", for example, for a machine: this one if none is given.
inline std::vector<uint8_t> TestFile(
    const std::string& name, const InstructionSet& set = ThisInstructionSet()) {
  return FileBytes(
      absl::StrCat("hal/cpu/testdata/",
                   absl::StripPrefix(set.embedded_format, "embedded-elf-"), "/",
                   name, ".so"));
}

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_TESTS_SUPPORT_EXECUTABLE_FILE_H_
