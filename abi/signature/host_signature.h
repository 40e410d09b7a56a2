// Parses the signature of a host function:
//
//   (x: tensor<?xf32>, n: i32) -> (tensor<?xf32>, bytes)
//   async (4xf32) -> 4xf32
//
// A type is one of MLIR, as a module declares the function that it imports, or
// one of a Signature's text: "?xf32", "array", "bytes", "list<i32>",
// "[i32, f32]", "(i32, f32)", "{a: i32}". "any" is any reference, and
// "ref<name>" an object of the host.
// Tested by host_signature_test.cc.
#ifndef EYRIE_ABI_SIGNATURE_HOST_SIGNATURE_H_
#define EYRIE_ABI_SIGNATURE_HOST_SIGNATURE_H_

#include <string>
#include <vector>

#include "abi/signature/signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace eyrie::abi {

// An argument or a result of a host function.
struct HostParameter {
  Parameter parameter;
  std::string object;  // the name in "ref<name>"; else empty
};

struct HostSignature {
  // Imports end with two fences.
  bool is_async = false;
  std::vector<HostParameter> arguments;
  std::vector<HostParameter> results;

  // INVALID_ARGUMENT: the text is not a signature; the message says where.
  // UNIMPLEMENTED: a scalar of a type that modules do not pass.
  static absl::StatusOr<HostSignature> Parse(absl::string_view text);

  // Returns the calling convention of an import, such as "0rf_r", with the
  // fences if `fences`.
  std::string Convention(bool fences) const;
  // Returns the signature in a uniform text.
  std::string ToString() const;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_HOST_SIGNATURE_H_
