// Maps an import's slots to a handler's arguments. Computed once from the
// import's calling convention and the declaration.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_IMPORT_PLAN_H_
#define EYRIE_ABI_NATIVE_XLA_IMPORT_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "abi/native/native_plan.h"
#include "abi/native/xla/declaration.h"
#include "absl/status/statusor.h"
#include "vm/isa/callconv.h"

namespace eyrie::native {

struct FfiImportPlan : NativePlan {
  struct Scalar {
    uint32_t slot;
    FfiType type;  // kNone: the text of a !vm.buffer
    std::string attribute;
    uint32_t place;  // index among the numbers, or the texts
  };

  std::vector<const FfiOperand*> operands;  // of the arguments
  std::vector<Scalar> scalars;
  uint32_t returned = 0;  // how many results the import returns

  // INVALID_ARGUMENT: the import's convention does not match the declaration;
  // the message gives both. UNIMPLEMENTED: the import is variadic. The
  // declaration must outlive the plan.
  static absl::StatusOr<FfiImportPlan> Create(
      const FfiDeclaration& declaration,
      const vm::CallingConvention& convention);
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_IMPORT_PLAN_H_
