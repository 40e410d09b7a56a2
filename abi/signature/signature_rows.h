// Reads signatures from the rows of tests: a calling convention and the
// attributes of a function 'f'. Only tests use this.
#ifndef EYRIE_ABI_SIGNATURE_SIGNATURE_ROWS_H_
#define EYRIE_ABI_SIGNATURE_SIGNATURE_ROWS_H_

#include <string>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/signature/signature_reader.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "vm/isa/callconv.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {

// Reads a signature. Fails as CallingConvention::Parse and Signature::Read do.
inline absl::StatusOr<Signature> ReadSignature(
    absl::string_view convention,
    const std::vector<vm::Attribute>& attributes) {
  const auto parsed = vm::CallingConvention::Parse(convention);
  if (!parsed.ok()) return parsed.status();
  return ReadSignature("f", attributes, *parsed);
}

// Returns "f(i32) -> i32 by iree.abi".
inline std::string SignatureText(const Signature& signature) {
  return absl::StrCat(signature.ToString(), " by ", signature.source_name());
}

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_SIGNATURE_ROWS_H_
