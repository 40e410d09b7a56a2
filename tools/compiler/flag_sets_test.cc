// Tests of the table of flags, and of how flags are joined.
#include "tools/compiler/flag_sets.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

TEST(FlagSets, HaveNamesOfTheirOwnAndFlagsOnly) {
  std::set<std::string> names;
  std::set<std::string> flags;
  for (const FlagSet& set : FlagSets()) {
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_TRUE(flags.insert(set.flags).second) << set.name;
    for (const absl::string_view flag :
         absl::StrSplit(set.flags, ' ', absl::SkipEmpty())) {
      EXPECT_TRUE(absl::StartsWith(flag, "--iree-")) << set.name;
    }
  }
  EXPECT_STREQ(FlagSets()[0].name, "default");
  EXPECT_STREQ(FlagSets()[0].flags, "");
}

TEST(FlagSets, LaterFlagsReplaceEarlierOnesOfTheSameName) {
  struct Case {
    const char* set;
    std::vector<std::string> extra;
    const char* want;  // the last flags
  };
  const Case kCases[] = {
      {"", {}, "--iree-llvmcpu-target-cpu=host"},
      {"--iree-llvmcpu-target-cpu=generic",
       {},
       "--iree-hal-local-target-device-backends=llvm-cpu "
       "--iree-llvmcpu-target-cpu=generic"},
      {"--a=1 --b", {"--c", "--a=2"}, "host --b --c --a=2"},
      {"--iree-llvmcpu-target-cpu-features=+avx2",
       {},
       "host --iree-llvmcpu-"
       "target-cpu-features=+avx2"},
  };
  for (const Case& c : kCases) {
    const std::string flags =
        absl::StrJoin(CompilerFlagsOf(c.set, c.extra), " ");
    EXPECT_TRUE(absl::EndsWith(flags, c.want)) << flags;
  }
}

}  // namespace
}  // namespace eyrie::tools
