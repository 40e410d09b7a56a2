// The `vmvx` module: the microkernels that bytecode executables import.
//
// imports.def lists them. Operands are ranges of buffers. The program computes
// their offsets, strides and sizes, so each call checks all of them. Long loops
// stop when the call must stop. Immutable; threads may share a module.
// Tested by module_test.cc, tiles_test.cc.
#ifndef EYRIE_HAL_VMVX_MODULE_H_
#define EYRIE_HAL_VMVX_MODULE_H_

#include <memory>

#include "vm/native/native_module.h"

namespace eyrie::hal::vmvx {

// Creates the module. Never returns null.
std::shared_ptr<const vm::NativeModule> CreateModule();

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_MODULE_H_
