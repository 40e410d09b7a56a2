// The `check` module that tests import: their expectations.
//
// A failed expectation does not end the function; it is told and the next one
// is looked at. What fails a call are values that cannot be compared at all.
// Immutable; contexts on any thread share it, if the sink allows that.
// Tested by check_module_test.cc, check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_CHECK_MODULE_H_
#define EYRIE_TOOLS_CHECK_CHECK_MODULE_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "vm/native_module.h"

namespace eyrie::tools {

inline constexpr char kCheckModuleName[] = "check";

struct FailedExpectation {
  // "model.mlir:12:3" or, without debug information, "module.f+0x1c"; empty if
  // no program asked.
  std::string place;
  std::string text;  // what was expected, and what is; several lines
};
// `describe` makes the text: who has seen enough does not call it.
using ExpectationSink =
    std::function<void(absl::FunctionRef<FailedExpectation()> describe)>;

// What 3.1 to 3.13 import. `failed` is called on the context's thread.
absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateCheckModule(
    ExpectationSink failed);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_CHECK_MODULE_H_
