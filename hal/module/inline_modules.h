// The `hal_inline` and `hal_loader` modules, which programs of the execution
// models inline-static and inline-dynamic import instead of `hal`.
//
// inline_imports.def and loader_imports.def list the functions of all
// releases; a row that is out of order, or has another calling convention than
// its function, does not compile. Types are those of `hal`. Immutable; may be
// shared by contexts on any thread.
// Tested by inline_modules_test.cc.
#ifndef EYRIE_HAL_MODULE_INLINE_MODULES_H_
#define EYRIE_HAL_MODULE_INLINE_MODULES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/module/state.h"
#include "vm/native/native_module.h"

namespace eyrie::hal {

inline constexpr uint32_t kHalInlineModuleVersion = 0;
// Version 0.1, as in release 3.12; modules of earlier releases require 0.
inline constexpr uint32_t kHalLoaderModuleVersion = 1;

// Create the modules. Memory and executables come from the first device.
// INVALID_ARGUMENT: `devices` is empty.
absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateHalInlineModule(
    std::vector<Ref<Device>> devices, HalModuleOptions options = {});
absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateHalLoaderModule(
    std::vector<Ref<Device>> devices, HalModuleOptions options = {});

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_INLINE_MODULES_H_
