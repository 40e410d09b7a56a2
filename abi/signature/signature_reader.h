// Reads the signature of a function from its attributes and its convention.
//
// Tested by signature_test.cc, abi/call/testing/json_fuzz.cc.
#ifndef EYRIE_ABI_SIGNATURE_SIGNATURE_READER_H_
#define EYRIE_ABI_SIGNATURE_SIGNATURE_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "abi/signature/inferred_types.h"
#include "abi/signature/signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/isa/callconv.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"

namespace eyrie::abi {

// Returns the signature of a function: from its records, or V0's attributes,
// or its declaration, or its calling convention; the first of them that it
// has. Unknown members of records are ignored, and unknown types are kUnknown.
// INVALID_ARGUMENT: the records are malformed (the message gives the byte
// offset), or they contradict the calling convention or the declaration.
absl::StatusOr<Signature> ReadSignature(
    absl::string_view function, std::span<const vm::Attribute> attributes,
    const vm::CallingConvention& convention);
// Does the same for a function of a module. If the calling convention is its
// only source, it gets the types that its code shows.
absl::StatusOr<Signature> ReadSignature(absl::string_view function,
                                        uint32_t ordinal,
                                        TypeInference& inference);

// Returns the signature that declaration, convention and code alone give.
Signature ReadDeclaredSignature(absl::string_view function, uint32_t ordinal,
                                TypeInference& inference);

// Reads the signatures of a module's exports. Not thread-safe.
class ExportSignatures {
 public:
  // Both must outlive this. If `verified` is null, types are not inferred.
  ExportSignatures(const vm::ModuleDef& def, const vm::VerifiedModule* verified)
      : def_(def) {
    if (verified != nullptr) inference_.emplace(*verified);
  }

  // Fails as ReadSignature and CallingConvention::Parse do.
  absl::StatusOr<Signature> Of(const vm::ExportDef& exported);

 private:
  const vm::ModuleDef& def_;
  std::optional<TypeInference> inference_;
};

// The number of fences that an asynchronous function takes: wait and signal.
inline constexpr size_t kFences = 2;
// Reports whether the last arguments are these fences.
bool TakesFences(std::span<const vm::Attribute> attributes,
                 const vm::CallingConvention& convention);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_SIGNATURE_READER_H_
