// The parts of a kernel's name, as compilers form it.
//
// Tested by alignment_test.cc.
#ifndef EYRIE_TOOLS_BISECT_KERNEL_NAME_H_
#define EYRIE_TOOLS_BISECT_KERNEL_NAME_H_

#include "absl/strings/string_view.h"

namespace eyrie::tools {

// Reports whether a kernel has no name, as in a stripped module: "#3".
inline bool IsUnnamed(absl::string_view kernel) {
  return !kernel.empty() && kernel[0] == '#';
}

// Returns the operation in a kernel's name: "matmul_4x8x16_f32" of
// "main$async_dispatch_3_matmul_4x8x16_f32".
absl::string_view OperationOf(absl::string_view kernel);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_KERNEL_NAME_H_
