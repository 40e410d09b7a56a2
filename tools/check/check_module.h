// The `check` module, from which tests import expectations.
//
// A failed expectation is reported and does not end the function. A call fails
// only if its values cannot be compared. Immutable, and thread-safe if the sink
// is.
// Tested by check_module_test.cc, check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_CHECK_MODULE_H_
#define EYRIE_TOOLS_CHECK_CHECK_MODULE_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "vm/native/native_module.h"

namespace eyrie::tools {

inline constexpr char kCheckModuleName[] = "check";

struct FailedExpectation {
  // "model.mlir:12:3" or, without debug information, "module.f+0x1c". Empty if
  // no program made the call.
  std::string place;
  std::string text;  // the expected and actual values; several lines
};
// `describe` creates the text. A sink that has enough failures need not call
// it.
using ExpectationSink =
    std::function<void(absl::FunctionRef<FailedExpectation()> describe)>;

// Creates the module, with the functions that 3.1 to 3.13 import. `failed` is
// called on the context's thread.
absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateCheckModule(
    ExpectationSink failed);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_CHECK_MODULE_H_
