// Reads custom calls.
#include "plugins/pjrt/compiler/custom_call_text.h"

#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "plugins/pjrt/compiler/plain_mlir.h"

namespace eyrie::pjrt {
namespace {

// Takes a text that ends with a NUL, and returns it as StableHLO.
absl::StatusOr<std::string> TakeText(absl::string_view& rest) {
  const size_t end = rest.find('\0');
  if (end == absl::string_view::npos) {
    return absl::InternalError("The compiler's custom calls are cut off.");
  }
  const absl::string_view text = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return PlainMlir(text);
}

// Returns the number of types in a list, whose brackets match.
size_t CountTypes(absl::string_view list) {
  if (list.empty()) return 0;
  size_t count = 1, depth = 0;
  for (const char character : list) {
    if (character == '<') ++depth;
    if (character == '>') --depth;
    if (character == ',' && depth == 0) ++count;
  }
  return count;
}

}  // namespace

absl::StatusOr<std::vector<CustomCall>> ReadCustomCalls(
    absl::string_view text) {
  std::vector<CustomCall> calls;
  while (!text.empty()) {
    CustomCall call;
    ASSIGN_OR_RETURN(call.target, TakeText(text));
    ASSIGN_OR_RETURN(call.operands, TakeText(text));
    ASSIGN_OR_RETURN(call.results, TakeText(text));
    ASSIGN_OR_RETURN(call.attributes, TakeText(text));
    call.operand_count = CountTypes(call.operands);
    call.result_count = CountTypes(call.results);
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace eyrie::pjrt
