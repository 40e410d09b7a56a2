// Nests the arguments and results of a function in structures, by the
// structured index paths of V0 (the attribute `sip`).
//
// Tested by abi/call/structures_test.cc.
#ifndef EYRIE_ABI_SIGNATURE_STRUCTURES_H_
#define EYRIE_ABI_SIGNATURE_STRUCTURES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/v0/sip_signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {

// The places of raw arguments and results in structures.
struct Structures {
  v0::SipSignature signature;
  // The part of the inputs for each argument; null for an argument without
  // values. The pointers refer to `signature`, which must not move.
  std::vector<const v0::SipNode*> arguments;
  std::vector<std::string> argument_names;  // "argument 0 ('x')"

  // Return the first place of a raw value: "argument 0 ('x')['a']", "result
  // 0[2]", or "raw result 1" for a result without a place.
  std::string ArgumentPlace(size_t raw) const;
  std::string ResultPlace(size_t raw) const;
};

// Maps the structures of a signature to the raw values of its function.
struct StructuredCall {
  std::shared_ptr<const Structures> structures;
  // The signature of the function itself. Its arguments and results are named
  // by their places.
  std::shared_ptr<const Signature> flat;
};

// The maximum size of the types of structures: the number of types and
// dimensions, plus one for each 16 bytes of names.
inline constexpr size_t kMaxStructureTypes = size_t{1} << 18;

// Returns the structured signature of a function, from its own signature `flat`
// and its attribute `sip`. If the inputs are a list, its items are the
// arguments; if a dict, its entries are arguments by name; if a leaf, it is the
// only argument. The results are one value. INVALID_ARGUMENT: the text is
// malformed (the message gives the byte offset), refers to raw values that the
// function does not have, or omits one of its arguments; or the types exceed
// kMaxStructureTypes.
absl::StatusOr<Signature> WithStructures(Signature flat, absl::string_view sip);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_STRUCTURES_H_
