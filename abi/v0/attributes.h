// Reads the V0 signatures of an export, from either set of attributes:
//
//   later    fv = 1, f, fbr: the raw function ABI; sipv = 1, sip: structures
//   earlier  abi = "raw" or "sip", abiv = 1: requires the same f or sip
//
// A missing version means 1.
// Tested by attributes_test.cc.
#ifndef EYRIE_ABI_V0_ATTRIBUTES_H_
#define EYRIE_ABI_V0_ATTRIBUTES_H_

#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/module/module_def.h"

namespace eyrie::abi::v0 {

// The name of the function that allocates results.
inline constexpr absl::string_view kResultAllocatorKey = "fbr";

// Views of the attributes.
struct Attributes {
  std::optional<absl::string_view> raw;  // f: for raw_signature.h
  std::optional<absl::string_view> sip;  // sip: for sip_signature.h
  std::optional<absl::string_view> result_allocator;

  bool empty() const { return !raw && !sip; }

  // UNIMPLEMENTED: a version or convention is unknown; the message names it.
  // INVALID_ARGUMENT: `abi` names a convention whose signature is missing, or
  // `abiv` is present without `abi`.
  static absl::StatusOr<Attributes> Read(
      std::span<const vm::Attribute> attributes);
};

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_ATTRIBUTES_H_
