// Binds functions of the host to imports, and calls them.
//
// A call reads its arguments from the caller's frame into slots, calls the
// function, and writes its results to the frame. Numbers need no allocation.
// Tested by linker_test.cc, linker_hostile_test.cc.
#ifndef EYRIE_ABI_C_HOST_FUNCTION_H_
#define EYRIE_ABI_C_HOST_FUNCTION_H_

#include <memory>

#include "abi/c/host_call.h"
#include "absl/status/statusor.h"
#include "vm/isa/callconv.h"
#include "vm/module/module.h"

namespace eyrie::abi {

// Binds the function to an import. UNIMPLEMENTED: the import has another
// calling convention; the message has both.
absl::StatusOr<vm::NativeImport> BindHostFunction(
    std::shared_ptr<const HostFunction> function,
    const vm::CallingConvention& convention, HostModuleState& module);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_C_HOST_FUNCTION_H_
