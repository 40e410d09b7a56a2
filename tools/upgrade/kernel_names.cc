#include "tools/upgrade/kernel_names.h"

#include <set>

#include "abi/call/describe_executable.h"
#include "abi/needs/module_facts.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"

namespace eyrie::tools {

KernelNames KernelNames::Read(const vm::VerifiedModule& module) {
  KernelNames names;
  std::set<uint32_t> seen;
  for (const abi::ExecutableUse& use :
       abi::ReadModuleFacts(module).executables) {
    if (!use.rodata.has_value() || !seen.insert(*use.rodata).second) continue;
    const auto facts = abi::DescribeExecutable(
        use.format, module.def().rodata[*use.rodata].bytes);
    if (!facts.ok()) continue;
    for (uint32_t i = 0; i < facts->kernels.size(); ++i) {
      const auto [known, is_new] =
          names.ordinals_.try_emplace(facts->kernels[i].name, i);
      if (!is_new && known->second != i) known->second = std::nullopt;
    }
  }
  return names;
}

absl::StatusOr<uint32_t> KernelNames::Find(absl::string_view name) const {
  const auto known = ordinals_.find(std::string(name));
  if (known != ordinals_.end() && known->second.has_value()) {
    return *known->second;
  }
  return absl::UnimplementedError(absl::StrCat(
      "the kernel '", PlainName(name),
      known == ordinals_.end() ? "' is in no executable that can be read."
                               : "' has several ordinals."));
}

}  // namespace eyrie::tools
