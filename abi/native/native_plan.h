// Which slots of an import are the tensors of a native function, and how its
// results are made. Computed once for each import, by its convention.
#ifndef EYRIE_ABI_NATIVE_NATIVE_PLAN_H_
#define EYRIE_ABI_NATIVE_NATIVE_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "abi/native/shape_rule.h"
#include "abi/native/tensor_layout.h"

namespace eyrie::native {

struct NativePlan {
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Argument {
    uint32_t slot = kNone;     // kNone: not a tensor
    bool optional = false;     // may be null, if all later ones are
    TensorLayout layout = {};  // in which the function expects it
    // The result that is this argument's copy, and is passed in its place.
    std::optional<uint32_t> inout = {};
  };
  struct Result {
    enum class Kind : uint8_t {
      kBuffer,
      kToken,      // not a result of the import
      kTemporary,  // memory for the function, for one call
    };
    Kind kind = Kind::kBuffer;
    ShapeRule shape = {};
    TensorLayout layout = {};
  };

  const char* callee = "function";  // what messages call it
  std::vector<Argument> arguments;  // in the function's order
  std::vector<Result> results;      // that are memory of the caller
  EqualDims equal;                  // of the arguments
  uint32_t wait_slot = kNone;       // the wait fence; the signal fence is next

  bool has_fences() const { return wait_slot != kNone; }
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_NATIVE_PLAN_H_
