// A function's arguments and results as structures, by the structured index
// paths of V0.
//
// Tested by structures_test.cc.
#ifndef EYRIE_ABI_STRUCTURES_H_
#define EYRIE_ABI_STRUCTURES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "abi/signature.h"
#include "abi/v0/sip_signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {

// Where raw arguments and results stand in structures.
struct Structures {
  v0::SipSignature signature;
  // The part of the inputs that each argument is; null for one that is
  // nothing. They point into the signature, which stays where it is.
  std::vector<const v0::SipNode*> arguments;
  std::vector<std::string> argument_names;  // "argument 0 ('x')"

  // The first place of a raw value: "argument 0 ('x')['a']", "result 0[2]";
  // "raw result 1" for a result that has none.
  std::string ArgumentPlace(size_t raw) const;
  std::string ResultPlace(size_t raw) const;
};

// How the structures that a signature has become what its function takes.
struct StructuredCall {
  std::shared_ptr<const Structures> structures;
  // What the function itself takes and returns. Its arguments and results are
  // named by their places.
  std::shared_ptr<const Signature> flat;
};

// What the types of structures may come to: types, their dimensions and 16
// bytes of their names.
inline constexpr size_t kMaxStructureTypes = size_t{1} << 18;

// The signature of a function whose own is `flat`, by its attribute `sip`: a
// list as inputs is the arguments in order, a dict those by name, a leaf the
// only one; the results are one value. INVALID_ARGUMENT: the text is
// malformed, with the byte; it speaks of raw values that the function does not
// have; it has no place for one of its arguments; or the limit above.
absl::StatusOr<Signature> WithStructures(Signature flat, absl::string_view sip);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_STRUCTURES_H_
