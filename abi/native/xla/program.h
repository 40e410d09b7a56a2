// Turns the custom calls of a StableHLO program into imports, which compilers
// accept, and describes their handlers in a manifest.
//
//   %1 = stablehlo.custom_call @scale(%0) {…} : (tensor<f32>) -> tensor<f32>
//   %1 = func.call @"xla.scale"(%0) : (tensor<f32>) -> tensor<f32>
//
// Calls of one handler with other types, layouts, aliases or attributes are
// imports of their own, "scale.2". Tokens become tensor<i1>, and calls with
// tokens go through functions that do not pass them on. Other text stays.
// Tested by program_test.cc, tests/fuzz/native_fuzz.cc.
#ifndef EYRIE_ABI_NATIVE_XLA_PROGRAM_H_
#define EYRIE_ABI_NATIVE_XLA_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::native {

struct LinkedProgram {
  std::string text;
  std::string manifest;              // JSON, with a line for each function
  std::vector<std::string> targets;  // the handlers' names, in order
};

// Reports whether a program has custom calls, or a comment that names them.
bool HasCustomCalls(absl::string_view text);

// `module` is the name of the module that has the imports. INVALID_ARGUMENT:
// the text is malformed, or has no custom call. UNIMPLEMENTED: a call does not
// use XLA FFI, has a result whose shape only the call knows, or has operands or
// attributes that handlers cannot get. Messages have the line and the target.
absl::StatusOr<LinkedProgram> LinkProgram(absl::string_view text,
                                          absl::string_view module);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_PROGRAM_H_
