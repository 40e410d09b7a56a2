// The `hal` module that compiled programs import, over a list of devices.
//
// It provides the imports of releases 20230209 to 3.13, which imports.def
// lists. A row that is out of order, or has another calling convention than
// its function, does not compile. Immutable; may be shared by contexts on any
// thread.
// Tested by hal_module_test.cc, imports_test.cc.
#ifndef EYRIE_HAL_MODULE_HAL_MODULE_H_
#define EYRIE_HAL_MODULE_HAL_MODULE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/module/state.h"
#include "vm/native/native_module.h"
#include "vm/object/ref_types.h"

namespace eyrie::hal {

// Version 0.7, as in release 3.13. Modules require at least 5, 6 or 7.
inline constexpr uint32_t kHalModuleVersion = 7;

// Creates the module "hal". Programs index `devices` in this order.
absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateHalModule(
    std::vector<Ref<Device>> devices, HalModuleOptions options = {});

// Returns the types that a module importing `hal` may name: vm.buffer, vm.list
// and all HAL types.
vm::RefTypes HalRefTypes();

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_HAL_MODULE_H_
