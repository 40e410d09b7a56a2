// A changed module can be unpacked, but may be invalid.
#include "tests/fuzz/module_mutator.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/files.h"
#include "vm/module/archive.h"
#include "vm/module/module_def.h"
#include "vm/module/module_object_generated.h"
#include "vm/module/verifier.h"

namespace eyrie::tests {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes Seed() { return FileBytes("tests/modules/3.13/vm_control.bare.vmfb"); }

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

TEST(ModuleMutatorTest, TakesLocationsOfUnknownKinds) {
  namespace fbs = vm::fbs_object;
  fbs::ModuleT module;
  module.name = "m";
  module.debug = std::make_unique<fbs::DebugDatabaseT>();
  module.debug->locations.resize(1);
  module.debug->locations[0].Set(fbs::NamedLocationT());
  flatbuffers::FlatBufferBuilder builder;
  builder.FinishSizePrefixed(fbs::Module::Pack(builder, &module), "IREE");
  Bytes file(builder.GetBufferPointer(),
             builder.GetBufferPointer() + builder.GetSize());
  const auto* root = fbs::GetSizePrefixedModule(file.data());
  const auto* kinds = root->debug()->locations_type();
  const_cast<uint8_t*>(kinds->Data())[0] = 0x77;
  EXPECT_FALSE(MutateModule(file, 1).empty());
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
