// A handler of a library, as a manifest declares it, and as a function that
// imports can be bound to.
#ifndef EYRIE_ABI_NATIVE_XLA_FUNCTION_H_
#define EYRIE_ABI_NATIVE_XLA_FUNCTION_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/library.h"
#include "abi/native/native_function.h"
#include "abi/native/xla/declaration.h"
#include "abi/native/xla/frame.h"

namespace eyrie::native {

struct PackedFunction;

// The members that handlers and packed functions share.
class DeclaredHandler : public NativeDeclaration {
 public:
  std::string Describe() const final { return declaration_->Describe(); }
  std::string ImportConvention(size_t operands) const final {
    return declaration_->ImportConvention(operands);
  }
  std::vector<std::string> DeclareOperands(size_t operands) const final {
    return declaration_->DeclareOperands(operands);
  }
  bool has_rest() const final { return declaration_->has_rest(); }
  bool has_fences() const final { return declaration_->fences.value_or(false); }

 protected:
  explicit DeclaredHandler(FfiDeclaration declaration)
      : declaration_(
            std::make_shared<const FfiDeclaration>(std::move(declaration))) {}

  const std::shared_ptr<const FfiDeclaration>& declaration() const {
    return declaration_;
  }

 private:
  const std::shared_ptr<const FfiDeclaration> declaration_;
};

// Returns the function. `packed` is what the handler CallPacked calls; null for
// other handlers.
std::shared_ptr<const NativeFunction> MakeFfiFunction(
    std::shared_ptr<const FfiDeclaration> declaration,
    std::shared_ptr<const NativeLibrary> library, const FfiHandlers& handlers,
    std::shared_ptr<const PackedFunction> packed);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_FUNCTION_H_
