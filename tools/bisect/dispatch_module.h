// Writes a module that runs one dispatch of another module: its function takes
// a tensor of bytes for each binding, and returns one of them after the
// dispatch.
//
// The module has the kernels of the other one, and calls the HAL of its
// release. Tested by bisect_test.txt.
#ifndef EYRIE_TOOLS_BISECT_DISPATCH_MODULE_H_
#define EYRIE_TOOLS_BISECT_DISPATCH_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hal/element_type.h"
#include "tools/inspect/report.h"

namespace eyrie::tools {

// The name of the function.
inline constexpr char kDispatchFunction[] = "dispatch";

struct DispatchToWrite {
  std::string kernel;
  uint32_t ordinal = 0;
  uint32_t workgroups[3] = {};
  std::vector<uint32_t> constants;
  // For each binding: which argument it is, and its bytes.
  std::vector<size_t> arguments;
  std::vector<uint64_t> sizes;
  // The result: elements in a range of an argument.
  size_t returned = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  hal::ElementType type = hal::ElementType::kNone;
};

// Returns the contents of the file. UNIMPLEMENTED: the module is of a release
// whose dispatches have descriptor sets (before 3.1), or its kernels are not
// found.
absl::StatusOr<std::vector<uint8_t>> WriteDispatchModule(
    const Report& report, const DispatchToWrite& dispatch);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_DISPATCH_MODULE_H_
