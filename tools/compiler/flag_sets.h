// The sets of flags by which iree-compile is tried.
//
// Tested by flag_sets_test.cc.
#ifndef EYRIE_TOOLS_COMPILER_FLAG_SETS_H_
#define EYRIE_TOOLS_COMPILER_FLAG_SETS_H_

#include <span>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace eyrie::tools {

struct FlagSet {
  const char* name;
  const char* flags;  // separated by spaces
  const char* description;
};

// Returns the rows of flag_sets.def.
std::span<const FlagSet> FlagSets();

// Returns kHostFlags, the flags of the set and `extra`. A later flag replaces
// earlier ones of its name, because the compiler refuses a flag that is given
// twice.
std::vector<std::string> CompilerFlagsOf(absl::string_view set_flags,
                                         std::span<const std::string> extra);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_COMPILER_FLAG_SETS_H_
