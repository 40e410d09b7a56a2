#include "tools/bisect/kernel_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace eyrie::tools {

absl::string_view OperationOf(absl::string_view kernel) {
  constexpr absl::string_view kWord = "_dispatch_";
  size_t at = kernel.find(kWord);
  // "softmax_dispatch_tensor_store" is an operation, too.
  while (at != absl::string_view::npos &&
         (at + kWord.size() == kernel.size() ||
          !absl::ascii_isdigit(kernel[at + kWord.size()]))) {
    at = kernel.find(kWord, at + 1);
  }
  if (at == absl::string_view::npos) return kernel;
  kernel.remove_prefix(at + kWord.size());
  size_t digits = 0;
  while (digits < kernel.size() && absl::ascii_isdigit(kernel[digits])) {
    ++digits;
  }
  kernel.remove_prefix(std::min(kernel.size(), digits + 1));
  return kernel;
}

}  // namespace eyrie::tools
