// Takes the compiler's names of kernels apart.
//
// "predict$async_dispatch_12_conv_8x64x64x3x3_f32" is the 12th dispatch of
// predict, does "conv", and has the shape "8x64x64x3x3_f32".
// Tested by dispatch_map_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_KERNEL_WORDS_H_
#define EYRIE_TOOLS_INSPECT_KERNEL_WORDS_H_

#include "absl/strings/string_view.h"

namespace eyrie::tools {

// Views of a kernel's name.
struct KernelWords {
  absl::string_view prefix;     // "predict$async_dispatch_"; may be empty
  absl::string_view operation;  // "conv"; the whole name if it has another form
  absl::string_view shape;      // "8x64x64x3x3_f32"; may be empty
};

KernelWords WordsOf(absl::string_view name);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_KERNEL_WORDS_H_
