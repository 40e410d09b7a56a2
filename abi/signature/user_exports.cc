// Checks each export twice: first for the allocator that it names, then its own
// name.
#include "abi/signature/user_exports.h"

#include <algorithm>

#include "abi/v0/attributes.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/allocate.h"
#include "base/status_macros.h"
#include "vm/module/lifecycle.h"

namespace eyrie::abi {

namespace {

constexpr absl::string_view kWhat = "the functions of a module";

// Names, sorted after all are added.
using Names = std::vector<absl::string_view>;

bool Contains(const Names& names, absl::string_view name) {
  return std::binary_search(names.begin(), names.end(), name);
}

}  // namespace

absl::StatusOr<std::vector<uint32_t>> UserExports(const vm::ModuleDef& def) {
  Names names;
  Names allocators;
  RETURN_IF_ERROR(Reserve(names, def.exports.size(), kWhat));
  for (const vm::ExportDef& exported : def.exports) {
    names.push_back(exported.name);
    const vm::FunctionDef& function = def.functions[exported.function];
    const auto allocator =
        vm::FindAttribute(function.attributes, v0::kResultAllocatorKey);
    if (!allocator || *allocator == exported.name) continue;
    RETURN_IF_ERROR(PushBack(allocators, *allocator, kWhat));
  }
  std::sort(names.begin(), names.end());
  std::sort(allocators.begin(), allocators.end());
  std::vector<uint32_t> found;
  RETURN_IF_ERROR(Reserve(found, def.exports.size(), kWhat));
  for (uint32_t i = 0; i < def.exports.size(); ++i) {
    const absl::string_view name = def.exports[i].name;
    absl::string_view synchronous = name;
    const bool is_variant = absl::ConsumeSuffix(&synchronous, "$async") &&
                            Contains(names, synchronous);
    if (vm::IsLifecycleExport(name) || is_variant ||
        Contains(allocators, name)) {
      continue;
    }
    found.push_back(i);
  }
  return found;
}

}  // namespace eyrie::abi
