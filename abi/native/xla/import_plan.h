// How the slots of an import become the arguments of a handler: worked out once
// from the import's calling convention and the declaration.
//
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_IMPORT_PLAN_H_
#define EYRIE_ABI_NATIVE_XLA_IMPORT_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "abi/native/xla/declaration.h"
#include "absl/status/statusor.h"
#include "vm/callconv.h"

namespace eyrie::native {

struct FfiImportPlan {
  static constexpr uint32_t kNoSlot = ~uint32_t{0};

  struct Buffer {
    uint32_t slot;  // kNoSlot: a token
    const FfiOperand* operand;
  };
  struct Scalar {
    uint32_t slot;
    FfiType type;  // kNone: the text of a !vm.buffer
    std::string attribute;
    uint32_t place;  // among those of its kind: numbers, or texts
  };

  std::vector<Buffer> buffers;  // as the handler has them
  std::vector<Scalar> scalars;
  std::vector<FfiResult> results;  // as the handler has them
  uint32_t returned = 0;           // how many of them the import has
  uint32_t wait_slot = kNoSlot;    // of fences: to wait for, then to signal

  bool has_fences() const { return wait_slot != kNoSlot; }

  // INVALID_ARGUMENT: the convention is another one than the declaration has;
  // the sentence gives both. UNIMPLEMENTED: a variadic import. The declaration
  // must outlive the plan.
  static absl::StatusOr<FfiImportPlan> Create(
      const FfiDeclaration& declaration,
      const vm::CallingConvention& convention);
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_IMPORT_PLAN_H_
