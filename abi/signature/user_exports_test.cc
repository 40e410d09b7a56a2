// Tests which exports users call, by the module's contents and not by how names
// begin.
#include "abi/signature/user_exports.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"

namespace eyrie::abi {
namespace {

struct Export {
  const char* name;
  const char* result_allocator = nullptr;
};

// Returns the names that UserExports keeps of these.
std::string UserNames(const std::vector<Export>& exports) {
  tests::ModuleBuilder builder;
  for (const Export& each : exports) {
    auto& function = builder.AddFunction(each.name, "0v_v", "entry: return []");
    if (each.result_allocator == nullptr) continue;
    function.attributes = {{"fbr", each.result_allocator}};
  }
  const auto def =
      vm::ModuleDef::Decode(*vm::Archive::Copy(builder.Build(), "x.vmfb"));
  if (!def.ok()) return def.status().ToString();
  std::vector<absl::string_view> names;
  const auto indices = UserExports(*def);
  if (!indices.ok()) return indices.status().ToString();
  for (const uint32_t index : *indices) {
    names.push_back(def->exports[index].name);
  }
  return absl::StrJoin(names, " ");
}

TEST(UserExports, AreToldApartByWhatTheModuleSays) {
  const struct {
    std::vector<Export> exports;
    const char* want;
  } kCases[] = {
      {{}, ""},
      {{{"__init"}, {"f"}, {"__deinit"}}, "f"},
      {{{"__scale"}, {"__initial"}, {"__init_0"}, {"_"}, {"__"}},
       "__scale __initial __init_0 _ __"},
      {{{"a.__init"}, {"__init.b"}}, "a.__init __init.b"},
      {{{"f"}, {"f$async"}, {"g$async"}}, "f g$async"},
      {{{"$"}, {"a$b"}, {"$async"}}, "$ a$b $async"},
      {{{"f", "__allocate"}, {"__allocate"}, {"__other"}}, "f __other"},
      {{{"f", "allocate"}, {"allocate"}}, "f"},
      {{{"f", "f"}, {"g", "none"}}, "f g"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(UserNames(c.exports), c.want) << "row " << &c - kCases;
  }
}

}  // namespace
}  // namespace eyrie::abi
