// Tests what modules need, and whether this machine has it.
#include "eyrie/needs.h"

#include <string>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "eyrie/runtime.h"
#include "gtest/gtest.h"
#include "tests/support/forwarding_module.h"
#include "tests/support/module_builder.h"

namespace eyrie {
namespace {

std::string NeedsOf(const Module& module, const DeviceOptions& options = {}) {
  const auto needs = ReadNeeds(module, options);
  if (!needs) return Text(needs);
  std::string text = needs->runs_here ? "runs" : "no";
  const auto add = [&](const char* name, const std::vector<std::string>& list) {
    if (list.empty()) return;
    absl::StrAppend(&text, "; ", name, ": ", absl::StrJoin(list, ", "));
  };
  add("devices", needs->devices);
  add("reasons", needs->reasons);
  add("notes", needs->notes);
  add("patterns", needs->patterns);
  add("formats", needs->formats);
  add("modules", needs->modules);
  add("scopes", needs->scopes);
  return text;
}

std::string NeedsOf(const std::string& file,
                    const DeviceOptions& options = {}) {
  const auto module = Module::Load(file);
  return module ? NeedsOf(*module, options) : Text(module);
}

constexpr char kCpu[] = "patterns: local*; formats: embedded-elf-x86_64";

TEST(Needs, OfModulesThatRunHere) {
  EXPECT_EQ(NeedsOf("tests/modules/3.13/add.vmfb"),
            absl::StrCat("runs; devices: local-sync, local-task; ", kCpu));
  EXPECT_EQ(NeedsOf("tests/modules/3.13/add.bare.vmfb").substr(0, 4), "runs");
  const std::string parameters = NeedsOf("tests/modules/3.13/parameters.vmfb");
  EXPECT_EQ(parameters.substr(0, 4), "runs") << parameters;
  EXPECT_NE(parameters.find("; scopes: "), std::string::npos) << parameters;
}

TEST(Needs, OfModulesThatDoNot) {
  EXPECT_EQ(NeedsOf("tests/modules/3.13/add.vmfb", {.no_native_code = true})
                .substr(0, 13),
            "no; reasons: ");
  const std::string foreign =
      NeedsOf("tests/bad_input/testdata/add_aarch64.vmfb");
  EXPECT_EQ(foreign.substr(0, 13), "no; reasons: ") << foreign;
}

TEST(Needs, OfOtherModules) {
  tests::ModuleBuilder builder;
  AddForwarding(builder, "host.f", "0fi_r");
  const std::string text = NeedsOf(Loaded(builder));
  EXPECT_EQ(text.substr(0, 21), "runs; notes: It needs") << text;
  EXPECT_NE(text.find("; modules: host"), std::string::npos) << text;
}

TEST(Needs, OfWrongOptions) {
  const auto module = Module::Load("tests/modules/3.13/add.vmfb");
  ASSERT_TRUE(module);
  const eyrie_needs_t* needs = nullptr;
  eyrie_device_options_t options = {};
  options.struct_size = 1;
  eyrie_error_t* const error =
      eyrie_needs_create(module->get(), &options, &needs);
  EXPECT_EQ(eyrie_error_code(error), EYRIE_INVALID_ARGUMENT);
  eyrie_error_free(error);
  EXPECT_EQ(needs, nullptr);
  eyrie_needs_free(nullptr);
}

}  // namespace
}  // namespace eyrie
