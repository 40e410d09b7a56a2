// Tests the releases of imports, and of modules from every release.
#include "abi/call/host_imports.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "vm/module/archive.h"

namespace eyrie::abi {
namespace {

TEST(HostImports, KnowReleases) {
  const struct {
    const char* name;
    const char* signature;
    const char* want;
  } kCases[] = {
      {"hal.fence.create", "0ri_r", "20230209 to 3.3"},
      {"hal.fence.create", "0rI_r", "3.4 to 3.13"},
      {"hal.fence.create", "0r_r", "?"},
      {"hal.allocator.select", "0iiICrID_rI", "3.5 to 3.13"},
      {"hal.executable.lookup.function", "0rr_I", "3.12 to 3.13"},
      {"hal_inline.buffer.wrap", "0rII_r", "20230209 to 3.13"},
      {"hal_loader.executable.lookup.function", "0rr_I", "3.12 to 3.13"},
      {"io_parameters.load", "0rIrrrIiirrr_r", "20231218 to 3.13"},
      {"other.fence.create", "0ri_r", "?"},
      {"hal", "0ri_r", "?"},
      {"", "", "?"},
  };
  for (const auto& c : kCases) {
    const auto range = ReleasesOf(c.name, c.signature);
    EXPECT_EQ(range.has_value() ? range->ToString() : "?", c.want)
        << c.name << c.signature;
  }
}

TEST(HostImports, KnowModules) {
  for (const char* name :
       {"hal", "hal_inline", "hal_loader", "io_parameters"}) {
    EXPECT_TRUE(IsHostModule(name)) << name;
  }
  for (const char* name : {"", "ha", "hal.", "check", "vmvx"}) {
    EXPECT_FALSE(IsHostModule(name)) << name;
  }
}

// The imports tell each module's release as narrowly as possible.
TEST(HostImports, FitEveryReleasesModules) {
  const struct {
    const char* release;
    const char* want;  // for a program with dispatches
  } kCases[] = {
      {"3.3", "20240828 to 3.3"}, {"3.9", "3.4 to 3.9"},    {"3.11", "3.11"},
      {"3.12", "3.12 to 3.13"},   {"3.13", "3.12 to 3.13"},
  };
  for (const auto& c : kCases) {
    const auto archive = vm::Archive::Open(
        absl::StrCat("tests/modules/", c.release, "/add.vmfb"));
    ASSERT_TRUE(archive.ok());
    EXPECT_EQ(ReleasesOf(*vm::ModuleDef::Decode(*archive)).ToString(), c.want);
  }
}

}  // namespace
}  // namespace eyrie::abi
