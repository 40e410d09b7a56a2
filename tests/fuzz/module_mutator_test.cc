// A changed module is a module still, if not always a sound one.
#include "tests/fuzz/module_mutator.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "vm/archive.h"
#include "vm/module_def.h"
#include "vm/verifier.h"

namespace eyrie::tests {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes Seed() {
  std::ifstream file("tests/modules/3.13/vm_control.bare.vmfb",
                     std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

TEST(ModuleMutatorTest, GivesModulesOfAllKinds) {
  const Bytes seed = Seed();
  ASSERT_FALSE(seed.empty());
  constexpr int kCount = 2000;
  int opened = 0;
  int verified = 0;
  for (int i = 0; i < kCount; ++i) {
    const Bytes changed = MutateModule(seed, static_cast<uint64_t>(i));
    ASSERT_FALSE(changed.empty());
    EXPECT_EQ(changed, MutateModule(seed, static_cast<uint64_t>(i)));
    opened += vm::Archive::Borrow(changed, "changed").ok();
    verified += vm::LoadModule(changed, "changed").ok();
  }
  EXPECT_EQ(opened, kCount);
  EXPECT_GT(verified, kCount / 20);
  EXPECT_LT(verified, kCount / 2);
}

TEST(ModuleMutatorTest, RefusesWhatIsNoModule) {
  EXPECT_TRUE(MutateModule({}, 1).empty());
  EXPECT_TRUE(MutateModule(Bytes(100, 7), 1).empty());
  Bytes cut = Seed();
  cut.resize(cut.size() / 2);
  EXPECT_TRUE(MutateModule(cut, 1).empty());
}

}  // namespace
}  // namespace eyrie::tests
