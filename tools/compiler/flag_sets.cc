#include "tools/compiler/flag_sets.h"

#include <iterator>

#include "absl/strings/str_split.h"
#include "tools/other_files.h"

namespace eyrie::tools {
namespace {

constexpr FlagSet kFlagSets[] = {
#define FLAG_SET(name, flags, description) {name, flags, description},
#include "tools/compiler/flag_sets.def"
};

// Returns a flag without its value.
absl::string_view NameOfFlag(absl::string_view flag) {
  return flag.substr(0, flag.find('='));
}

void AddFlag(const std::string& flag, std::vector<std::string>& flags) {
  std::erase_if(flags, [&flag](const std::string& other) {
    return NameOfFlag(other) == NameOfFlag(flag);
  });
  flags.push_back(flag);
}

}  // namespace

std::span<const FlagSet> FlagSets() { return kFlagSets; }

std::vector<std::string> CompilerFlagsOf(absl::string_view set_flags,
                                         std::span<const std::string> extra) {
  std::vector<std::string> flags(std::begin(kHostFlags), std::end(kHostFlags));
  for (const absl::string_view flag :
       absl::StrSplit(set_flags, ' ', absl::SkipEmpty())) {
    AddFlag(std::string(flag), flags);
  }
  for (const std::string& flag : extra) AddFlag(flag, flags);
  return flags;
}

}  // namespace eyrie::tools
