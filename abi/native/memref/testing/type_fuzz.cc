// Fuzzes function types: a parsed type must print as text that parses to the
// same type.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "abi/native/memref/type.h"
#include "absl/strings/string_view.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using eyrie::native::ParseMemrefFunctionType;
  const auto type = ParseMemrefFunctionType(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!type.ok()) {
    if (type.status().message().empty()) std::abort();
    return 0;
  }
  const auto again = ParseMemrefFunctionType(type->ToString());
  if (!again.ok() || again->arguments != type->arguments ||
      again->results != type->results) {
    std::abort();
  }
  return 0;
}
