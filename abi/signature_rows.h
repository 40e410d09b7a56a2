// Signatures as rows of tests give them: a calling convention and attributes
// of a function 'f'.
#ifndef EYRIE_ABI_SIGNATURE_ROWS_H_
#define EYRIE_ABI_SIGNATURE_ROWS_H_

#include <string>
#include <vector>

#include "abi/signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "vm/isa/callconv.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {

// Errors are the convention's and Signature::Read's.
inline absl::StatusOr<Signature> ReadSignature(
    absl::string_view convention,
    const std::vector<vm::Attribute>& attributes) {
  const auto parsed = vm::CallingConvention::Parse(convention);
  if (!parsed.ok()) return parsed.status();
  return Signature::Read("f", attributes, *parsed);
}

// "f(i32) -> i32 by iree.abi"
inline std::string SignatureText(const Signature& signature) {
  return absl::StrCat(signature.ToString(), " by ", signature.source_name());
}

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_ROWS_H_
