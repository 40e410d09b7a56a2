// The types of a function's arguments and results, as its code shows them.
//
// A function without a declaration still checks its buffer views before it uses
// them (hal.buffer_view.assert), and creates those that it returns
// (hal.buffer_view.create). A function that forwards its arguments to another,
// as those of asynchronous modules do, has the types of that one. Only checks
// that every call performs count, so nothing is refused that the function would
// accept.
// Tested by inferred_types_test.cc,
// tests/conformance/abi/inferred_test.cc.
#ifndef EYRIE_ABI_SIGNATURE_INFERRED_TYPES_H_
#define EYRIE_ABI_SIGNATURE_INFERRED_TYPES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "abi/signature/signature.h"
#include "vm/module/verifier.h"

namespace eyrie::abi {

struct InferredTypes {
  // One for each value of the calling convention; kUnknown if the code does not
  // show it. A dimension that is computed is dynamic.
  std::vector<Type> arguments;
  std::vector<Type> results;
};

// The functions of one module, each analyzed at most once. Not thread-safe.
class TypeInference {
 public:
  // The module must outlive this.
  explicit TypeInference(const vm::VerifiedModule& module) : module_(module) {}

  const vm::VerifiedModule& module() const { return module_; }
  // The reference is valid as long as this. Unknown types if the function is
  // being analyzed, or is too large for it.
  const InferredTypes& Of(uint32_t function);

 private:
  // A function that forwards to another, which forwards, and so on.
  static constexpr int kMaxCalls = 8;

  const vm::VerifiedModule& module_;
  int calls_ = 0;
  std::map<uint32_t, InferredTypes> known_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_INFERRED_TYPES_H_
