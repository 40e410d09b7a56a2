// A handler of a library as a function that imports can be bound to.
#ifndef EYRIE_ABI_NATIVE_XLA_FUNCTION_H_
#define EYRIE_ABI_NATIVE_XLA_FUNCTION_H_

#include <memory>

#include "abi/native/library.h"
#include "abi/native/native_function.h"
#include "abi/native/xla/declaration.h"
#include "abi/native/xla/frame.h"

namespace eyrie::native {

struct PackedFunction;

// Returns the function. `packed` is what the handler CallPacked calls; null for
// other handlers.
std::shared_ptr<const NativeFunction> MakeFfiFunction(
    std::shared_ptr<const FfiDeclaration> declaration,
    std::shared_ptr<const NativeLibrary> library, const FfiHandlers& handlers,
    std::shared_ptr<const PackedFunction> packed);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_FUNCTION_H_
