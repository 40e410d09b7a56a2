// Reads the custom calls that a compiler's process has replaced.
//
// The text comes from another process, which may be broken.
// Tested by custom_call_text_test.cc, testing/signature_fuzz.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_CUSTOM_CALL_TEXT_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_CUSTOM_CALL_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::pjrt {

// A custom call that is the import "xla.call" and its index, in StableHLO.
struct CustomCall {
  std::string target;      // "\"scale\"", with its quotes
  std::string operands;    // types, with commas between them
  std::string results;     // likewise
  std::string attributes;  // the others: "api_version = 4 : i32, ..."
  size_t operand_count = 0;
  size_t result_count = 0;
};

// Reads CustomCalls::imports(). UNIMPLEMENTED: an attribute or a type is not
// known. INTERNAL: the text cannot be read.
absl::StatusOr<std::vector<CustomCall>> ReadCustomCalls(absl::string_view text);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_CUSTOM_CALL_TEXT_H_
