// The `vmvx` module: the microkernels that bytecode executables import.
//
// imports.def has them. Operands are ranges of buffers with offsets, strides
// and sizes that the program computes: every one is checked at each call, and
// long loops stop when the call does. Immutable; shared by threads.
// Tested by module_test.cc, tiles_test.cc.
#ifndef EYRIE_HAL_VMVX_MODULE_H_
#define EYRIE_HAL_VMVX_MODULE_H_

#include <memory>

#include "vm/native/native_module.h"

namespace eyrie::hal::vmvx {

std::shared_ptr<const vm::NativeModule> CreateModule();

}  // namespace eyrie::hal::vmvx

#endif  // EYRIE_HAL_VMVX_MODULE_H_
