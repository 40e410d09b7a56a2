// Runs every case of tests/modules/manifest.json in this process, so that
// sanitizers check it. Also runs sequences of calls on one context, which the
// command line (run_manifest.py) cannot do.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/integration/manifest_cases.h"

namespace eyrie::tests {
namespace {

struct Tally {
  int passed = 0;
  int total = 0;
};

TEST(Manifest, EveryCallGivesWhatItsReleaseGives) {
  std::map<std::string, Tally> by_release;
  for (const Json& module : ManifestModules()) {
    const auto programs = LoadPrograms(module);
    Tally& tally = by_release[module["release"]];
    for (const Json& entry : module["cases"]) {
      ++tally.total;
      const std::string wrong = RunCase(module, entry, NewSession(programs));
      EXPECT_EQ(wrong, "");
      tally.passed += wrong.empty();
    }
  }
  EXPECT_FALSE(by_release.empty());
  for (const auto& [release, tally] : by_release) {
    std::printf("%s: %d of %d cases pass\n", release.c_str(), tally.passed,
                tally.total);
  }
}

// Programs write to their constants. Other sessions and the file must not
// change.
TEST(Manifest, SessionsOfOneModuleShareNothingThatIsWritten) {
  for (const Json& module : ManifestModules()) {
    const std::string source = module["source"];
    if (source != "sort.mlir" && source != "constants.mlir" &&
        source != "counter.mlir") {
      continue;
    }
    const auto programs = LoadPrograms(module);
    ASSERT_TRUE(programs.ok()) << programs.status();
    const auto bytes = programs->back()->def().archive().bytes();
    const std::vector<uint8_t> before(bytes.begin(), bytes.end());
    const bool has_state = source == "counter.mlir";
    for (const Json& entry : module["cases"]) {
      const SessionOr first = NewSession(programs);
      const SessionOr second = NewSession(programs);
      EXPECT_EQ(RunCase(module, entry, first), "");
      if (!has_state) {
        EXPECT_EQ(RunCase(module, entry, first), "");
      }
      EXPECT_EQ(RunCase(module, entry, second), "");
    }
    EXPECT_TRUE(std::equal(before.begin(), before.end(), bytes.begin()))
        << module["file"];
  }
}

}  // namespace
}  // namespace eyrie::tests
