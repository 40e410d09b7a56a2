// The names of the kernels in a module's executables.
//
// Tested by upgrade_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_KERNEL_NAMES_H_
#define EYRIE_TOOLS_UPGRADE_KERNEL_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

class KernelNames {
 public:
  // Reads the names of all executables of known formats.
  static KernelNames Read(const vm::VerifiedModule& module);

  // Returns the ordinal that a kernel has in each executable that has it.
  // UNIMPLEMENTED: no executable has it, or the ordinals differ.
  absl::StatusOr<uint32_t> Find(absl::string_view name) const;

 private:
  // Nullopt if the ordinals differ.
  absl::flat_hash_map<std::string, std::optional<uint32_t>> ordinals_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_KERNEL_NAMES_H_
