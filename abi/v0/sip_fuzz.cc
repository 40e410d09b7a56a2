// Any text may be refused as a structure; one that is read is written in one
// form, which reads as the same.
//
// Run it with: tests/fuzz/BUILD says how.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "abi/v0/sip_signature.h"
#include "absl/strings/string_view.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using eyrie::abi::v0::SipSignature;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto signature = SipSignature::Parse(text);
  if (!signature.ok()) return 0;
  eyrie::abi::v0::SipText(signature->inputs);
  eyrie::abi::v0::SipText(signature->results);
  const auto again = SipSignature::Parse(signature->Mangle());
  if (!again.ok() || !(*again == *signature)) std::abort();
  return 0;
}
