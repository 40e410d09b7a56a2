// Which V0 signatures an export has, by either set of attributes:
//
//   later    fv = 1, f, fbr: the raw function ABI; sipv = 1, sip: structures
//   earlier  abi = "raw" or "sip", abiv = 1: the same f or sip must be there
// A version that is not written is 1.
// Tested by attributes_test.cc.
#ifndef EYRIE_ABI_V0_ATTRIBUTES_H_
#define EYRIE_ABI_V0_ATTRIBUTES_H_

#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/module_def.h"

namespace eyrie::abi::v0 {

// Names the function that allocates results.
inline constexpr absl::string_view kResultAllocatorKey = "fbr";

// Views into the attributes.
struct Attributes {
  std::optional<absl::string_view> raw;  // f: raw_signature.h reads it
  std::optional<absl::string_view> sip;  // sip: sip_signature.h reads it
  std::optional<absl::string_view> result_allocator;

  bool empty() const { return !raw && !sip; }

  // UNIMPLEMENTED: a version or a convention that is not known, by name.
  // INVALID_ARGUMENT: `abi` names a convention whose signature is missing, or
  // `abiv` stands without `abi`.
  static absl::StatusOr<Attributes> Read(
      std::span<const vm::Attribute> attributes);
};

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_ATTRIBUTES_H_
