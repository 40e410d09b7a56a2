// Fuzzes raw signatures: an accepted text must be written in one canonical
// form, which reads back as the same signature.
//
// To run it, see tests/fuzz/BUILD.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "abi/v0/raw_signature.h"
#include "abi/v0/testing/writers.h"
#include "absl/strings/string_view.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using eyrie::abi::v0::RawSignature;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto signature = RawSignature::Parse(text);
  if (!signature.ok()) return 0;
  signature->ToString();
  const auto again = RawSignature::Parse(eyrie::abi::v0::Mangle(*signature));
  if (!again.ok() || !(*again == *signature)) std::abort();
  return 0;
}
