// A function's arguments and results as structures, by the structured index
// paths of V0.
//
// Tested by structures_test.cc.
#ifndef EYRIE_ABI_STRUCTURES_H_
#define EYRIE_ABI_STRUCTURES_H_

#include <memory>
#include <vector>

#include "abi/signature.h"
#include "abi/v0/sip_signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {

// How the structures that a signature has become what its function takes.
struct StructuredCall {
  v0::SipSignature structure;
  // The part of the inputs that each argument of the signature is; null for
  // one that is nothing. They point into the structure.
  std::vector<const v0::SipNode*> arguments;
  // What the function itself takes and returns. Its arguments and results are
  // named by their paths.
  std::shared_ptr<const Signature> flat;
};

// The signature of a function whose own is `flat`, by its attribute `sip`: a
// list as inputs is the arguments in order, a dict those by name, a leaf the
// only one; the results are one value. INVALID_ARGUMENT: the text is
// malformed, with the byte; it speaks of raw values that the function does not
// have; or it has no path for one of its arguments.
absl::StatusOr<Signature> WithStructures(Signature flat, absl::string_view sip);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_STRUCTURES_H_
