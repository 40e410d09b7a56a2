// Each export is looked at twice: for what it names, then for its own name.
#include "abi/user_exports.h"

#include "abi/v0/attributes.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/hash_map.h"
#include "vm/lifecycle.h"

namespace eyrie::abi {

std::vector<uint32_t> UserExports(const vm::ModuleDef& def) {
  HashSet<absl::string_view> names;
  HashSet<absl::string_view> allocators;
  for (const vm::ExportDef& exported : def.exports) {
    names.insert(exported.name);
    const vm::FunctionDef& function = def.functions[exported.function];
    const auto allocator =
        vm::FindAttribute(function.attributes, v0::kResultAllocatorKey);
    if (allocator && *allocator != exported.name) allocators.insert(*allocator);
  }
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < def.exports.size(); ++i) {
    const absl::string_view name = def.exports[i].name;
    absl::string_view synchronous = name;
    const bool is_variant = absl::ConsumeSuffix(&synchronous, "$async") &&
                            names.contains(synchronous);
    if (vm::IsLifecycleExport(name) || is_variant || allocators.contains(name))
      continue;
    found.push_back(i);
  }
  return found;
}

}  // namespace eyrie::abi
