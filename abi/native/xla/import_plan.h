// Maps an import's slots to a handler's arguments. Computed once from the
// import's calling convention and the declaration.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_IMPORT_PLAN_H_
#define EYRIE_ABI_NATIVE_XLA_IMPORT_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/native/xla/declaration.h"
#include "absl/status/statusor.h"
#include "vm/isa/callconv.h"

namespace eyrie::native {

struct FfiImportPlan {
  static constexpr uint32_t kNoSlot = ~uint32_t{0};

  struct Buffer {
    uint32_t slot;  // kNoSlot: a token
    const FfiOperand* operand;
    // The result that is this argument's copy, and is passed in its place.
    std::optional<uint32_t> inout = std::nullopt;
  };
  struct Scalar {
    uint32_t slot;
    FfiType type;  // kNone: the text of a !vm.buffer
    std::string attribute;
    uint32_t place;  // index among the numbers, or the texts
  };

  std::vector<Buffer> buffers;  // in the handler's order
  std::vector<Scalar> scalars;
  std::vector<FfiResult> results;    // in the handler's order
  const EqualDims* equal = nullptr;  // of the handler's arguments
  uint32_t returned = 0;             // how many the import returns
  uint32_t wait_slot = kNoSlot;      // the wait fence; the signal fence is next

  bool has_fences() const { return wait_slot != kNoSlot; }

  // INVALID_ARGUMENT: the import's convention does not match the declaration;
  // the message gives both. UNIMPLEMENTED: the import is variadic. The
  // declaration must outlive the plan.
  static absl::StatusOr<FfiImportPlan> Create(
      const FfiDeclaration& declaration,
      const vm::CallingConvention& convention);
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_IMPORT_PLAN_H_
